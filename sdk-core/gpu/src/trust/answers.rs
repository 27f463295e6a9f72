//! The known answers: each operation in f64, as plainly as it can be written.
//!
//! Nothing here is fast or shared with a backend. That is the point: it is what they are judged by.

mod attention;
pub(crate) mod recurrence;

use super::value::Value;
use crate::{Quantised, RopePairs, Weight, op::Op};

/// What `op` should give, element by element, for each of its outputs that has a meaning.
pub(crate) fn answer(op: &Op<Value>) -> Vec<Vec<f64>> {
    match op {
        Op::AddRmsNorm { x, delta, weight, epsilon, .. } => {
            let sum: Vec<f64> = pairwise(x, delta, |x, delta| f64::from((x + delta) as f32));
            let y = sum.chunks(x.shape.columns() as usize).flat_map(|row| rmsnorm(row, weight, *epsilon));
            let y = y.collect();
            vec![sum, y]
        }
        Op::Store { x, slots, cache } => attention::stored(x, slots, cache),
        Op::Convolve(of) => recurrence::convolved(of),
        Op::GatedDelta(of) => recurrence::remembered(of),
        _ => vec![single(op)],
    }
}

/// The answer of an operation with one output.
fn single(op: &Op<Value>) -> Vec<f64> {
    match op {
        Op::Fill { y, value } => vec![f64::from(*value); y.shape.elements() as usize],
        Op::Copy { x, .. } => x.numbers(),
        Op::Add { a, b, .. } => pairwise(a, b, |a, b| a + b),
        Op::Mul { a, b, .. } => pairwise(a, b, |a, b| a * b),
        Op::SiluMul { gate, up, .. } => pairwise(gate, up, |g, u| g / (1.0 + (-g).exp()) * u),
        Op::Gelu { x, .. } => x.numbers().into_iter().map(gelu).collect(),
        Op::GeluMul { gate, up, .. } => pairwise(gate, up, |g, u| gelu(g) * u),
        Op::SigmoidMul { gate, x, .. } => pairwise(gate, x, |g, x| x / (1.0 + (-g).exp())),
        Op::Softcap { x, cap, .. } => {
            x.numbers().iter().map(|x| f64::from(*cap) * (x / f64::from(*cap)).tanh()).collect()
        }
        Op::Scale { x, factor, .. } => x.numbers().iter().map(|x| x * f64::from(*factor)).collect(),
        Op::RmsNorm { x, weight, epsilon, .. } => by_rows(x, |row| rmsnorm(row, weight, *epsilon)),
        Op::LayerNorm { x, weight, bias, epsilon, .. } => by_rows(x, |row| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / row.len() as f64;
            let scale = 1.0 / (variance + f64::from(*epsilon)).sqrt();
            row.iter()
                .enumerate()
                .map(|(i, v)| (v - mean) * scale * weight.number(i) + bias.number(i))
                .collect()
        }),
        Op::Softmax { x, scale, .. } => by_rows(x, |row| {
            let scaled: Vec<f64> = row.iter().map(|v| v * f64::from(*scale)).collect();
            let most = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> = scaled.iter().map(|v| (v - most).exp()).collect();
            let sum: f64 = powers.iter().sum();
            powers.into_iter().map(|p| p / sum).collect()
        }),
        Op::Rope { x, angles, pairs, .. } => rope(x, angles, *pairs),
        Op::Gather { table, ids, .. } => gather(table, ids),
        Op::MatMul { x, weight, .. } => matmul(x, weight),
        Op::Argmax { x, .. } => by_rows(x, |row| {
            let mut best = 0;
            for (i, v) in row.iter().enumerate() {
                if *v > row[best] || row[best].is_nan() && !v.is_nan() {
                    best = i;
                }
            }
            vec![best as f64]
        }),
        Op::Sum { x, .. } => by_rows(x, |row| vec![row.iter().sum()]),
        Op::Attention { of, .. } => attention::attended(of),
        Op::AddRmsNorm { .. } | Op::Store { .. } | Op::Convolve(_) | Op::GatedDelta(_) => Vec::new(),
    }
}

/// The size of the numbers that went into each answer, where it is more than the answer itself: sums of products
/// cancel, and their error is measured against what was summed.
pub(crate) fn magnitude(op: &Op<Value>) -> f64 {
    let largest = |v: &[f64]| v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    match op {
        Op::MatMul { x, weight, .. } => {
            let (rows, columns) = weight.shape();
            let w: Vec<f64> = (0..rows * columns).map(|i| weight.number(i / columns, i % columns)).collect();
            largest(&x.numbers()) * largest(&w) * (columns as f64).sqrt()
        }
        Op::Sum { x, .. } => largest(&x.numbers()) * f64::from(x.shape.columns()).sqrt(),
        // Zeros of the cache, and indices, say nothing about what was rounded; words are right or wrong.
        Op::Store { .. } => 1.0,
        _ => answer(op).iter().map(|answer| largest(answer)).fold(0.0, f64::max),
    }
}

fn pairwise(a: &Value, b: &Value, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let (a, b) = (a.numbers(), b.numbers());
    a.iter().zip(b.iter().cycle()).map(|(a, b)| f(*a, *b)).collect()
}

fn by_rows(x: &Value, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    x.numbers().chunks(x.shape.columns() as usize).flat_map(f).collect()
}

fn rmsnorm(row: &[f64], weight: &Value, epsilon: f32) -> Vec<f64> {
    let mean = row.iter().map(|v| v * v).sum::<f64>() / row.len() as f64;
    let scale = 1.0 / (mean + f64::from(epsilon)).sqrt();
    row.iter().enumerate().map(|(i, v)| v * scale * weight.number(i)).collect()
}

fn gelu(x: f64) -> f64 {
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
    0.5 * x * (1.0 + inner.tanh())
}

fn rope(x: &Value, angles: &Value, pairs: RopePairs) -> Vec<f64> {
    let mut y = x.numbers();
    let (&[tokens, heads, head], &[_, half, _]) = (x.shape.dims(), angles.shape.dims()) else { return y };
    for token in 0..tokens as usize {
        for at in 0..heads as usize {
            let start = (token * heads as usize + at) * head as usize;
            for pair in 0..half as usize {
                let angle = (token * half as usize + pair) * 2;
                let (cos, sin) = (angles.number(angle), angles.number(angle + 1));
                let (i, j) = match pairs {
                    RopePairs::Halves => (pair, pair + half as usize),
                    RopePairs::Neighbours => (2 * pair, 2 * pair + 1),
                };
                let (a, b) = (x.number(start + i), x.number(start + j));
                y[start + i] = a * cos - b * sin;
                y[start + j] = a * sin + b * cos;
            }
        }
    }
    y
}

fn gather(table: &Weight<Value>, ids: &Value) -> Vec<f64> {
    let (rows, columns) = table.shape();
    let row = |id: usize| -> Vec<f64> {
        if id < rows { (0..columns).map(|c| table.number(id, c)).collect() } else { vec![0.0; columns] }
    };
    (0..ids.shape.elements() as usize).flat_map(|i| row(ids.word(i) as usize)).collect()
}

fn matmul(x: &Value, weight: &Weight<Value>) -> Vec<f64> {
    let (rows, columns) = weight.shape();
    let w: Vec<f64> = (0..rows * columns).map(|i| weight.number(i / columns, i % columns)).collect();
    let dot = |row: &[f64], w: &[f64]| row.iter().zip(w).map(|(x, w)| x * w).sum();
    by_rows(x, |row| w.chunks(columns).map(|w| dot(row, w)).collect())
}

impl Weight<Value> {
    fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(w) => (w.shape.rows() as usize, w.shape.columns() as usize),
            Self::Quantised(q) => (q.scales.shape.rows() as usize, q.groups() * q.group.size() as usize),
        }
    }

    fn number(&self, row: usize, column: usize) -> f64 {
        match self {
            Self::Dense(w) => w.number(row * w.shape.columns() as usize + column),
            Self::Quantised(q) => {
                let group = row * q.groups() + column / q.group.size() as usize;
                q.scales.number(group) * f64::from(q.raw(row, column)) + q.biases.number(group)
            }
        }
    }
}

impl Quantised<Value> {
    fn groups(&self) -> usize {
        self.scales.shape.columns() as usize
    }

    /// The stored integer: `bits` bits of the row's little-endian stream.
    fn raw(&self, row: usize, column: usize) -> u32 {
        let (bits, start) = (self.bits.count() as usize, row * self.words.shape.columns() as usize);
        let (word, shift) = (start + column * bits / 32, column * bits % 32);
        let next = if shift + bits > 32 { u64::from(self.words.word(word + 1)) << 32 } else { 0 };
        ((next | u64::from(self.words.word(word))) >> shift) as u32 & ((1 << bits) - 1)
    }
}
