//! The softmax of attention, a block of scores at a time.

use std::ops::Range;

use crate::cpu::simd::{Level, lanes, math, vectorised};

/// What a query has of its softmax so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softening {
    /// The highest score, which everything else was moved to: nothing overflows.
    pub(super) highest: f32,
    /// The sum of weights.
    pub(super) total: f32,
}

impl Softening {
    pub(super) const NONE: Self = Self { highest: f32::MIN, total: 0.0 };

    /// Turns the visible scores into weights and all others into zeros, and moves the sums of values so far to the
    /// highest score.
    pub(super) fn add(&mut self, level: Level, scores: &mut [f32], visible: Range<usize>, sums: &mut [f32]) {
        scores[..visible.start].fill(0.0);
        scores[visible.end..].fill(0.0);
        if visible.is_empty() {
            return;
        }
        let seen = &mut scores[visible];
        // SAFETY: a slice's own elements.
        let highest = unsafe { highest_of(level, seen.as_ptr(), seen.len(), self.highest) };
        // SAFETY: as above.
        let total = unsafe { exponentials(level, seen.as_mut_ptr(), seen.len(), highest) };
        if highest > self.highest {
            let correction = math::exp(self.highest - highest);
            self.total *= correction;
            self.highest = highest;
            multiply(level, sums, correction);
        }
        self.total += total as f32;
    }
}

/// Multiplies all numbers by one.
pub(super) fn multiply(level: Level, numbers: &mut [f32], factor: f32) {
    // SAFETY: a slice's own elements.
    unsafe { multiplied(level, numbers.as_mut_ptr(), numbers.len(), factor) };
}

vectorised! {
    /// The highest of some scores and of those before; NaN is left out.
    unsafe fn highest_of(scores: *const f32, n: usize, before: f32) -> f32 {
        let mut tops = [before; lanes::LANES];
        lanes::blocks(n, |start, n| {
            let block = lanes::read(scores.add(start), n, before);
            for (top, value) in tops.iter_mut().zip(&block) {
                *top = if *value > *top { *value } else { *top };
            }
        });
        tops.iter().fold(before, |a, &b| if b > a { b } else { a })
    }
}

vectorised! {
    /// Makes scores weights, and gives their sum.
    unsafe fn exponentials(scores: *mut f32, n: usize, highest: f32) -> f64 {
        lanes::map(scores, scores, n, |score| math::exp(score - highest));
        lanes::sum(scores, n, |weight| weight)
    }
}

vectorised! {
    unsafe fn multiplied(x: *mut f32, n: usize, factor: f32) {
        lanes::map(x, x, n, |x| x * factor);
    }
}
