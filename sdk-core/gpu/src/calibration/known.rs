//! Numbers whose products are known: small whole ones, in rows that repeat.
//!
//! Rows repeat after [`PERIOD`], which no tile of any kernel does, so that a tile in the wrong place shows. All numbers
//! are positive, so that the answer is also the magnitude that its error is judged by; and each row is drawn from a
//! wider range than the one before, so that no two answers are alike.

use std::ops::Range;

use super::Stop;
use crate::{Buffer, Result};

/// After how many rows the numbers repeat.
pub(super) const PERIOD: usize = 13;

/// The largest error of an answer that is believed, as a part of it; the same as in self-tests.
const BOUND: f64 = 1e-4;

/// `PERIOD` rows of whole numbers, from 0 to at most 14. Another salt gives other numbers.
pub(super) fn rows(columns: usize, salt: u32) -> Vec<u32> {
    let mut state = salt;
    let mut rows = Vec::with_capacity(PERIOD * columns);
    for row in 0..PERIOD as u32 {
        for _ in 0..columns {
            state = state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
            rows.push((state >> 16) % (row + 3));
        }
    }
    rows
}

/// The products of `PERIOD` rows with `PERIOD` others, in the order of [`Answers::expected`].
pub(super) fn products(x: &[f32], weights: &[f32], columns: usize) -> Vec<f64> {
    let dot = |x: &[f32], w: &[f32]| x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
    x.chunks(columns).flat_map(|x| weights.chunks(columns).map(move |w| dot(x, w))).collect()
}

/// Fills a buffer with a block over and over: it is written once, then doubled on the device.
pub(super) fn lay(buffer: &Buffer, block: &[u8]) -> Result<()> {
    let mut laid = buffer.size().min(block.len() as u64);
    buffer.write(0, &block[..laid as usize])?;
    let mut batch = buffer.device().batch();
    while laid < buffer.size() {
        let more = laid.min(buffer.size() - laid);
        batch.copy_bytes(buffer, 0..more, buffer, laid)?;
        laid += more;
    }
    batch.submit()?.wait()
}

/// Where a device writes its answers, and what they should be.
pub(super) struct Answers {
    pub(super) buffer: Buffer,
    /// Answers of one row of x; those of a single row are never at the end of it.
    pub(super) columns: usize,
    /// By row of x and row of the weights, both as they repeat.
    pub(super) products: Vec<f64>,
}

impl Answers {
    /// Puts what is no answer in the place of all answers, so that only what is computed after this is believed.
    pub(super) fn spoil(&self) -> Result<()> {
        lay(&self.buffer, bytemuck::cast_slice(&[f32::NAN; 1024]))
    }

    /// Reads the answers in a range, and says which one is wrong.
    pub(super) fn check(&self, range: Range<usize>) -> Result<(), Stop> {
        let mut got = vec![0.0_f32; range.len()];
        self.buffer.read(4 * range.start as u64, bytemuck::cast_slice_mut(&mut got))?;
        for (at, got) in range.zip(got) {
            let want = self.expected(at);
            let error = (f64::from(got) - want).abs();
            // A NaN is not within any bound.
            if error.is_nan() || error > BOUND * want {
                return Err(Stop::Because(format!(
                    "its answers are wrong: element {at} is {got}, expected {want}"
                )));
            }
        }
        Ok(())
    }

    fn expected(&self, at: usize) -> f64 {
        let (row, column) = (at / self.columns % PERIOD, at % self.columns % PERIOD);
        self.products.get(row * PERIOD + column).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BackendKind, Gpu, OpenOptions};

    fn cpu() -> Gpu {
        Gpu::open(OpenOptions::default().backend(BackendKind::Cpu)).unwrap()
    }

    #[test]
    fn a_block_is_laid_over_a_buffer_of_any_size() {
        let gpu = cpu();
        for size in [1, 12, 13, 14, 26, 1000] {
            let buffer = gpu.device().allocate(size).unwrap();
            let block: Vec<u8> = (1..=13).collect();
            lay(&buffer, &block).unwrap();
            let mut bytes = vec![0; size as usize];
            buffer.read(0, &mut bytes).unwrap();
            assert!(bytes.iter().eq(block.iter().cycle().take(size as usize)), "{size}: {bytes:?}");
        }
    }

    #[test]
    fn no_two_rows_have_the_same_product() {
        let [x, w] = [1, 2].map(|salt| rows(512, salt).iter().map(|n| (n + 1) as f32).collect::<Vec<_>>());
        let mut products = products(&x, &w, 512);
        products.sort_by(f64::total_cmp);
        assert_eq!(products.len(), PERIOD * PERIOD);
        let apart = |pair: &[f64]| pair[1] - pair[0] > BOUND * pair[1];
        assert!(products.windows(2).filter(|pair| apart(pair)).count() > 160, "{products:?}");
    }

    #[test]
    fn one_wrong_answer_is_found_and_named() {
        let gpu = cpu();
        let answers =
            Answers { buffer: gpu.device().allocate(8).unwrap(), columns: 1, products: vec![2.0; 169] };
        let check = |got: [f32; 2]| {
            answers.buffer.write(0, bytemuck::cast_slice(&got)).unwrap();
            match answers.check(0..2) {
                Ok(()) => String::new(),
                Err(Stop::Because(why)) => why,
                Err(Stop::Error(error)) => panic!("{error}"),
            }
        };
        assert_eq!(check([2.0, 2.0]), "");
        assert_eq!(check([2.0, 2.5]), "its answers are wrong: element 1 is 2.5, expected 2");
        assert!(check([f32::NAN, 2.0]).contains("NaN"));
        answers.spoil().unwrap();
        assert!(answers.check(0..2).is_err(), "spoilt answers are no answers");
    }
}
