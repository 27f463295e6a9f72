//! `y = silu(Σ weight · x)` over the last inputs of each channel, which a state carries on.
//!
//! Threads take channels: each passes all runs and their tokens in order, and no two meet.

use super::split::split;
use crate::{
    Convolution,
    cpu::simd::{Level, lanes, math, vectorised},
    op::HostTensor,
};

/// Taps of the longest convolution that the front admits.
const MOST_TAPS: usize = 8;

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn convolve(level: Level, of: &Convolution<HostTensor>) {
    let (taps, channels) = (of.weight.rows(), of.weight.columns());
    let (tokens, states) = (of.x.rows(), of.state.shape.dims()[0] as usize);
    let kept = taps - 1;
    let (x, weight, y) = (of.x.view::<f32>(), of.weight.view::<f32>(), of.y.view::<f32>());
    let (state, runs) = (of.state.view::<f32>(), of.runs.view::<u32>());
    split(channels, 8 * taps * tokens, lanes::LANES, &|start, end| {
        for run in 0..of.runs.rows() {
            // SAFETY: there are four words for each run.
            let [before, after, first, count] =
                [0, 1, 2, 3].map(|i| unsafe { runs.at(4 * run + i).read() as usize });
            if after >= states {
                continue;
            }
            let first = first.min(tokens);
            let count = count.min(tokens - first);
            // Row `i` of the inputs, the state's first; nothing where a state of zeros has it.
            // SAFETY: `first + count` is within the tokens, and callers stay below `kept + count`.
            let input = |i: usize| unsafe {
                if i >= kept {
                    Some(x.at((first + i - kept) * channels + start).cast_const())
                } else {
                    (before < states).then(|| state.at((before * kept + i) * channels + start).cast_const())
                }
            };
            for t in 0..count {
                let mut terms = [(std::ptr::null(), std::ptr::null()); MOST_TAPS];
                let mut used = 0;
                for (j, input) in (0..taps).filter_map(|j| input(t + j).map(|input| (j, input))) {
                    // SAFETY: a row of the weight.
                    terms[used] = (input, unsafe { weight.at(j * channels + start).cast_const() });
                    used += 1;
                }
                // SAFETY: each thread writes its own channels of `y`, which is apart from all inputs.
                unsafe {
                    row_of(level, &terms[..used], y.at((first + t) * channels + start), end - start);
                }
            }
            // Upwards, so that a state that moves within itself is read before it is overwritten.
            for j in 0..kept {
                // SAFETY: `after` is a state; this thread's channels of it are nobody else's.
                unsafe {
                    let to = state.at((after * kept + j) * channels + start);
                    match input(count + j) {
                        Some(from) => std::ptr::copy(from, to, end - start),
                        None => to.write_bytes(0, end - start),
                    }
                }
            }
        }
    });
}

vectorised! {
    /// # Safety
    /// `n` elements are readable at each pointer of `terms`, and writable at `y`, which is apart from them.
    unsafe fn row_of(terms: &[(*const f32, *const f32)], y: *mut f32, n: usize) {
        lanes::blocks(n, |start, n| {
            let mut sums = [0.0; lanes::LANES];
            for (x, weight) in terms {
                let (x, weight) = (lanes::read(x.add(start), n, 0.0), lanes::read(weight.add(start), n, 0.0));
                for (sum, (x, weight)) in sums.iter_mut().zip(x.iter().zip(&weight)) {
                    *sum += x * weight;
                }
            }
            for sum in &mut sums {
                *sum /= 1.0 + math::exp(-*sum);
            }
            lanes::write(y.add(start), n, &sums);
        });
    }
}
