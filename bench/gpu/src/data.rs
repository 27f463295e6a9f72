//! The same numbers for everybody, and the truth that each contestant's answer is held against.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use half::f16;

/// Reproducible numbers in -1..1.
pub fn uniform(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed;
    (0..count)
        .map(|_| {
            // SplitMix64, as published by Steele, Lea and Flood (2014).
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) >> 40) as f32 / f32::from(1u16 << 11) / f32::from(1u16 << 12) - 1.0
        })
        .collect()
}

/// A product `y[m, n] = x[m, k] · w[n, k]ᵀ`, and files that hold its inputs for other processes.
pub struct Product {
    /// Rows of `x`.
    pub m: usize,
    /// Rows of `w`.
    pub n: usize,
    /// Columns of both.
    pub k: usize,
    /// Left side.
    pub x: Vec<f32>,
    /// Right side, by rows of weights as model files hold them.
    pub w: Vec<f32>,
    /// Where `x.f32` and `w.f32` lie, and where a process writes its `y`.
    pub folder: PathBuf,
}

impl Product {
    /// Makes the inputs and writes them to `folder`.
    pub fn new(m: usize, n: usize, k: usize, folder: &Path) -> Result<Self> {
        let product = Self { m, n, k, x: uniform(1, m * k), w: uniform(2, n * k), folder: folder.to_owned() };
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for (name, values) in [("x.f32", &product.x), ("w.f32", &product.w)] {
            std::fs::write(folder.join(name), bytemuck::cast_slice::<f32, u8>(values))?;
        }
        Ok(product)
    }

    /// Holds `y` against the product in f64 at places spread over the whole result.
    ///
    /// The error is relative to the norm of the true values; a product of other data comes out near 1.
    pub fn check(&self, y: &[f32], w: &[f32], tolerance: f64) -> Result<()> {
        ensure!(y.len() == self.m * self.n, "{} values came back, {} were due", y.len(), self.m * self.n);
        let (mut wrong, mut norm) = (0.0, 0.0);
        for place in 0..512 {
            let index = (place * 7919 + place * place * 31) % y.len();
            let truth = self.at(w, index / self.n, index % self.n);
            let found = f64::from(*y.get(index).context("no such place")?);
            wrong += (found - truth).powi(2);
            norm += truth.powi(2);
        }
        let error = (wrong / norm).sqrt();
        ensure!(
            error <= tolerance,
            "its answer is wrong: relative error {error:.3e}, {tolerance:.0e} is allowed"
        );
        Ok(())
    }

    /// The same for a `y` that another process wrote.
    pub fn check_file(&self, name: &str, tolerance: f64) -> Result<()> {
        let path = self.folder.join(name);
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        self.check(&bytemuck::allocation::pod_collect_to_vec::<u8, f32>(&bytes), &self.w, tolerance)
    }

    fn at(&self, w: &[f32], row: usize, column: usize) -> f64 {
        let x = self.x.iter().skip(row * self.k).take(self.k);
        let w = w.iter().skip(column * self.k).take(self.k);
        x.zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum()
    }
}

/// A matrix in MLX's affine 4-bit form, groups of 64, and what it stands for.
pub struct Quantised {
    /// Eight weights a word, the first in the lowest bits.
    pub words: Vec<u32>,
    /// One a group.
    pub scales: Vec<f16>,
    /// One a group.
    pub biases: Vec<f16>,
    /// The weights that the above mean.
    pub meaning: Vec<f32>,
}

/// Weights that share a scale.
pub const GROUP: usize = 64;

impl Quantised {
    /// Quantises `w` (a multiple of [`GROUP`] long): 0 stands for a group's least weight, 15 for its greatest.
    pub fn of(w: &[f32]) -> Self {
        let mut q = Self { words: Vec::new(), scales: Vec::new(), biases: Vec::new(), meaning: Vec::new() };
        for group in w.chunks_exact(GROUP) {
            let low = group.iter().copied().fold(f32::INFINITY, f32::min);
            let high = group.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let (scale, bias) = (f16::from_f32((high - low) / 15.0), f16::from_f32(low));
            q.scales.push(scale);
            q.biases.push(bias);
            let (scale, bias) = (scale.to_f32(), bias.to_f32());
            for eight in group.chunks_exact(8) {
                let mut word = 0;
                for (place, weight) in eight.iter().enumerate() {
                    let level = ((weight - bias) / scale).round().clamp(0.0, 15.0);
                    word |= (level as u32) << (4 * place);
                    q.meaning.push(scale * level + bias);
                }
                q.words.push(word);
            }
        }
        q
    }

    /// Bytes that a matvec must read.
    pub fn bytes(&self) -> usize {
        self.words.len() * 4 + (self.scales.len() + self.biases.len()) * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_every_time_and_lie_within_one() {
        let numbers = uniform(7, 1000);
        assert_eq!(numbers, uniform(7, 1000));
        assert_ne!(numbers, uniform(8, 1000));
        assert!(numbers.iter().all(|n| (-1.0..1.0).contains(n)));
        assert!(numbers.iter().sum::<f32>().abs() < 100.0);
    }

    #[test]
    fn a_right_answer_passes_and_a_wrong_one_does_not() {
        let folder = std::env::temp_dir().join(format!("bench-gpu-data-{}", std::process::id()));
        let product = Product::new(3, 5, 64, &folder).unwrap();
        let mut y: Vec<f32> = (0..15).map(|i| product.at(&product.w, i / 5, i % 5) as f32).collect();
        product.check(&y, &product.w, 1e-5).unwrap();
        y.swap(0, 7);
        assert!(product.check(&y, &product.w, 1e-5).is_err());
        assert!(product.check(&y[1..], &product.w, 1e-5).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn quantised_weights_mean_nearly_what_they_were() {
        let w = uniform(3, 4 * GROUP);
        let q = Quantised::of(&w);
        assert_eq!((q.words.len(), q.scales.len(), q.meaning.len()), (4 * GROUP / 8, 4, w.len()));
        let step = 2.0 / 15.0;
        assert!(w.iter().zip(&q.meaning).all(|(a, b)| (a - b).abs() < step * 0.51));
        assert_eq!(
            q.words[0] & 15,
            ((q.meaning[0] - q.biases[0].to_f32()) / q.scales[0].to_f32()).round() as u32
        );
    }
}
