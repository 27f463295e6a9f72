//! The known work: three products of a matrix, cut into units.
//!
//! The units of an exercise lie one after the other, and each run goes on where the last one ended, as one operation
//! as far as that reaches. So a fast device gets operations that fill it and a slow one small ones, and no byte is read
//! again before all the others were: what is measured is memory, not a cache.

use std::time::Instant;

use bytemuck::cast_slice;
use half::f16;

use super::{
    Result, Stop,
    known::{Answers, PERIOD, lay, products, rows},
    pace::Run,
};
use crate::{Batch, Bits, Buffer, DType, Device, Group, Quantised, Tensor, Weight};

/// Side of the weights of the compute exercise: they stay in a cache.
const SIDE: u32 = 512;
/// Rows of x in a unit of it.
const COMPUTE_ROWS: u32 = 128;
/// Units of it: 2048 rows keep a few hundred workgroups busy.
const COMPUTE_UNITS: u32 = 16;

/// Columns of the weights that are streamed: as wide as a layer.
const WIDTH: u32 = 4096;
/// Rows of f32 weights in a unit: 4 MiB.
const MEMORY_ROWS: u32 = 256;
/// Rows of 4-bit weights in a unit: 4 MiB of words, and scales and biases.
const DECODE_ROWS: u32 = 2048;
const DECODE_GROUP: Group = Group::G64;

/// Less than this may lie in a cache.
const LEAST_STREAMED: u64 = 32 << 20;
/// More than this tells nothing more.
const MOST_STREAMED: u64 = 64 << 20;

/// Something known that a device can be timed on.
pub(super) struct Exercise {
    device: Device,
    operands: Operands,
    answers: Answers,
    /// Answers in a unit.
    answers_per_unit: u32,
    /// How many units there are.
    units: u32,
    /// The unit that comes next.
    next: u32,
    /// How many units the last run wrote, at most all.
    written: u32,
}

/// What is multiplied.
enum Operands {
    /// Units are rows of x.
    Compute { x: Buffer, weights: Tensor },
    /// Units are rows of the weights.
    Memory { x: Tensor, weights: Buffer },
    /// The same, of 4-bit weights.
    Decode { x: Tensor, words: Buffer, scales: Buffer, biases: Buffer },
}

impl Exercise {
    /// Products of matrices that fit into caches: bound by arithmetic.
    pub(super) fn compute(device: &Device, memory: u64) -> Result<Self, Stop> {
        let rows = COMPUTE_ROWS * COMPUTE_UNITS;
        enough(memory, bytes(2 * rows + SIDE, SIDE, 4))?;
        let [x, weights] = [1, 2].map(|salt| floats(SIDE, salt));
        let known = products(&x, &weights, SIDE as usize);
        let operands = Operands::Compute {
            x: laid(device, bytes(rows, SIDE, 4), cast_slice(&x))?,
            weights: tensor(
                &laid(device, bytes(SIDE, SIDE, 4), cast_slice(&weights))?,
                DType::F32,
                0,
                SIDE,
                SIDE,
            )?,
        };
        Self::new(device, operands, COMPUTE_UNITS, COMPUTE_ROWS * SIDE, SIDE as usize, known)
    }

    /// A vector times f32 weights: half an operation a byte, so that reading them is all that takes time.
    pub(super) fn memory(device: &Device, memory: u64) -> Result<Self, Stop> {
        let units = streamed(memory, bytes(MEMORY_ROWS, WIDTH, 4))?;
        let (x, weights) = (vector(), floats(WIDTH, 4));
        let known = products(&x, &weights, WIDTH as usize);
        let operands = Operands::Memory {
            x: on_device(device, &x)?,
            weights: laid(device, bytes(units * MEMORY_ROWS, WIDTH, 4), cast_slice(&weights))?,
        };
        Self::new(device, operands, units, MEMORY_ROWS, usize::MAX, known)
    }

    /// A vector times 4-bit weights, as a model does for each token.
    pub(super) fn decode(device: &Device, memory: u64) -> Result<Self, Stop> {
        let groups = WIDTH / DECODE_GROUP.size();
        let units = streamed(memory, bytes(DECODE_ROWS, WIDTH / 8, 4) + 2 * bytes(DECODE_ROWS, groups, 2))?;
        let (x, quants) = (vector(), rows(WIDTH as usize, 5));
        let words: Vec<u32> =
            quants.chunks(8).map(|eight| eight.iter().rev().fold(0, |word, q| word << 4 | q)).collect();
        // Powers of two and a one: every weight is exact.
        let scale = |group: usize| [0.25, 0.5, 1.0][group % 3];
        let scales: Vec<f16> =
            (0..PERIOD).flat_map(|_| (0..groups as usize).map(|g| f16::from_f32(scale(g)))).collect();
        let weight = |(at, q): (usize, &u32)| {
            scale(at % WIDTH as usize / DECODE_GROUP.size() as usize) * *q as f32 + 1.0
        };
        let weights: Vec<f32> = quants.iter().enumerate().map(weight).collect();
        let known = products(&x, &weights, WIDTH as usize);
        let rows = units * DECODE_ROWS;
        let operands = Operands::Decode {
            x: on_device(device, &x)?,
            words: laid(device, bytes(rows, WIDTH / 8, 4), cast_slice(&words))?,
            scales: laid(device, bytes(rows, groups, 2), cast_slice(&scales))?,
            biases: laid(device, bytes(rows, groups, 2), cast_slice(&[f16::ONE; 1024]))?,
        };
        Self::new(device, operands, units, DECODE_ROWS, usize::MAX, known)
    }

    fn new(
        device: &Device,
        operands: Operands,
        units: u32,
        answers_per_unit: u32,
        columns: usize,
        products: Vec<f64>,
    ) -> Result<Self, Stop> {
        let buffer = device.allocate(bytes(units, answers_per_unit, 4))?;
        Ok(Self {
            device: device.clone(),
            operands,
            answers: Answers { buffer, columns, products },
            answers_per_unit,
            units,
            next: 0,
            written: 0,
        })
    }

    /// What runs, in a few words.
    pub(super) fn what(&self) -> &'static str {
        match self.operands {
            Operands::Compute { .. } => "f32 matrix products",
            Operands::Memory { .. } => "f32 weights times a vector",
            Operands::Decode { .. } => "4-bit weights times a vector",
        }
    }

    /// Operations or bytes in a unit.
    pub(super) fn amount(&self) -> f64 {
        match self.operands {
            Operands::Compute { .. } => 2.0 * f64::from(COMPUTE_ROWS) * f64::from(SIDE) * f64::from(SIDE),
            Operands::Memory { ref weights, .. } => weights.size() as f64 / f64::from(self.units),
            Operands::Decode { ref words, ref scales, ref biases, .. } => {
                (words.size() + scales.size() + biases.size()) as f64 / f64::from(self.units)
            }
        }
    }

    /// Whether the CPU would compute in the device's place. Runs the self-tests of kernels that were never used.
    pub(super) fn needs_substitutes(&self) -> Result<bool, Stop> {
        let mut batch = self.device.batch();
        self.record(&mut batch, 0, 1)?;
        Ok(batch.needs_substitutes()?)
    }

    /// Computes so many units, and times that.
    pub(super) fn run(&mut self, units: u32) -> Result<Run, Stop> {
        let begun = Instant::now();
        self.answers.spoil()?;
        let mut batch = self.device.batch();
        let mut left = units;
        while left > 0 {
            let now = left.min(self.units - self.next);
            self.record(&mut batch, self.next, now)?;
            self.next = (self.next + now) % self.units;
            left -= now;
        }
        self.written = units.min(self.units);
        let handed_over = Instant::now();
        batch.submit()?.wait()?;
        let work = handed_over.elapsed();
        Ok(Run { work, whole: begun.elapsed() })
    }

    /// Checks all answers of the last run.
    pub(super) fn check(&self) -> Result<(), Stop> {
        let size = self.answers_per_unit as usize;
        for back in 1..=self.written {
            let unit = ((self.next + self.units - back) % self.units) as usize;
            self.answers.check(unit * size..(unit + 1) * size)?;
        }
        Ok(())
    }

    /// Adds the operation for `count` units, from `first` on.
    fn record(&self, batch: &mut Batch, first: u32, count: u32) -> crate::Result<()> {
        let part = |buffer: &Buffer, dtype, rows, columns| {
            tensor(buffer, dtype, first * rows, count * rows, columns)
        };
        let answers = |rows, columns| part(&self.answers.buffer, DType::F32, rows, columns);
        match &self.operands {
            Operands::Compute { x, weights } => {
                let x = part(x, DType::F32, COMPUTE_ROWS, SIDE)?;
                batch.matmul(&x, &Weight::Dense(weights.clone()), &answers(COMPUTE_ROWS, SIDE)?)?;
            }
            Operands::Memory { x, weights } => {
                let weights = part(weights, DType::F32, MEMORY_ROWS, WIDTH)?;
                batch.matvec(x, &Weight::Dense(weights), &answers(MEMORY_ROWS, 1)?)?;
            }
            Operands::Decode { x, words, scales, biases } => {
                let groups = WIDTH / DECODE_GROUP.size();
                let weights = Quantised {
                    words: part(words, DType::U32, DECODE_ROWS, WIDTH / 8)?,
                    scales: part(scales, DType::F16, DECODE_ROWS, groups)?,
                    biases: part(biases, DType::F16, DECODE_ROWS, groups)?,
                    bits: Bits::B4,
                    group: DECODE_GROUP,
                };
                batch.matvec(x, &Weight::Quantised(weights), &answers(DECODE_ROWS, 1)?)?;
            }
        }
        Ok(())
    }
}

/// Whole numbers from 1 to 15 in rows that repeat.
fn floats(columns: u32, salt: u32) -> Vec<f32> {
    rows(columns as usize, salt).into_iter().map(|number| (number + 1) as f32).collect()
}

/// One row of them, as long as the weights that are streamed are wide.
fn vector() -> Vec<f32> {
    let mut x = floats(WIDTH, 3);
    x.truncate(WIDTH as usize);
    x
}

fn on_device(device: &Device, x: &[f32]) -> crate::Result<Tensor> {
    let tensor = device.tensor(DType::F32, &[1, x.len() as u32])?;
    tensor.buffer().write(0, cast_slice(x))?;
    Ok(tensor)
}

fn laid(device: &Device, bytes: u64, block: &[u8]) -> crate::Result<Buffer> {
    let buffer = device.allocate(bytes)?;
    lay(&buffer, block)?;
    Ok(buffer)
}

/// Rows of a matrix that fills a buffer, from `first` on.
fn tensor(buffer: &Buffer, dtype: DType, first: u32, rows: u32, columns: u32) -> crate::Result<Tensor> {
    Tensor::new(buffer, u64::from(first) * u64::from(columns) * dtype.bytes(), dtype, &[rows, columns])
}

fn bytes(rows: u32, columns: u32, each: u64) -> u64 {
    u64::from(rows) * u64::from(columns) * each
}

/// How many units of such a size may be streamed.
fn streamed(memory: u64, unit: u64) -> Result<u32, Stop> {
    enough(memory, LEAST_STREAMED.next_multiple_of(unit))?;
    Ok((memory.min(MOST_STREAMED) / unit) as u32)
}

fn enough(memory: u64, needed: u64) -> Result<(), Stop> {
    if memory >= needed {
        return Ok(());
    }
    Err(Stop::Because(format!("it needs {needed} bytes of memory, and may take {memory}")))
}
