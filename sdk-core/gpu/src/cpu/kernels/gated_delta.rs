//! The gated delta rule: the state of a head fades, takes a token in, and is asked.
//!
//! Threads take heads of runs: a head's state stays in a core's own cache while the run's tokens pass.

use super::split::split;
use crate::{
    GatedDelta,
    cpu::simd::{Level, lanes, math, vectorised},
    op::HostTensor,
    recurrence::DeltaDims,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn gated_delta(level: Level, of: &GatedDelta<HostTensor>) {
    let channels = of.qkv.columns();
    let Some(dims) = DeltaDims::of(of.state.shape.dims(), channels as u32) else { return };
    let [states, heads, key_heads, key, value] =
        [dims.states, dims.heads, dims.key_heads, dims.key, dims.value].map(|n| n as usize);
    let tokens = of.qkv.rows();
    let (qkv, y) = (of.qkv.view::<f32>(), of.y.view::<f32>());
    let (decay, strength) = (of.decay.view::<f32>(), of.strength.view::<f32>());
    let (constants, state, runs) =
        (of.constants.view::<f32>(), of.state.view::<f32>(), of.runs.view::<u32>());
    let count_of_runs = of.runs.rows();
    split(count_of_runs * heads, 8 * value * key, 1, &|start, end| {
        for (run, h) in (start..end).map(|item| (item / heads, item % heads)) {
            // SAFETY: there are four words for each run.
            let [before, after, first, count] =
                [0, 1, 2, 3].map(|i| unsafe { runs.at(4 * run + i).read() as usize });
            if after >= states {
                continue;
            }
            let first = first.min(tokens);
            // SAFETY: states, tokens and heads are all within their tensors; what a run leaves, and its rows of `y`,
            // are nobody else's.
            unsafe {
                let s = state.at((after * heads + h) * value * key);
                if before >= states {
                    s.write_bytes(0, value * key);
                } else if before != after {
                    s.copy_from_nonoverlapping(state.at((before * heads + h) * value * key), value * key);
                }
                let (rate, bias) = (constants.at(h).read(), constants.at(heads + h).read());
                for t in first..first + count.min(tokens - first) {
                    let row = qkv.at(t * channels);
                    let shared = h / (heads / key_heads);
                    let (q, k) = (row.add(shared * key), row.add((key_heads + shared) * key));
                    let (of_q, of_k) =
                        (inverse_rms(level, q, key, of.epsilon), inverse_rms(level, k, key, of.epsilon));
                    let opened = f64::from(decay.at(t * heads + h).read() + bias);
                    let softened = opened.max(0.0) + (-opened.abs()).exp().ln_1p();
                    let factors = Factors {
                        fading: (-f64::from(rate) * softened).exp() as f32,
                        taken: 1.0 / (1.0 + math::exp(-strength.at(t * heads + h).read())),
                        of_k: (of_k / (key as f64).sqrt()) as f32,
                        of_q: (of_q / key as f64) as f32,
                    };
                    let v = row.add(2 * key_heads * key + h * value).cast_const();
                    let y = y.at((t * heads + h) * value);
                    head_of(level, s, [value, key], k, q, v, y, &factors);
                }
            }
        }
    });
}

/// The numbers of one token and head.
struct Factors {
    fading: f32,
    taken: f32,
    /// What norms keys and queries.
    of_k: f32,
    of_q: f32,
}

vectorised! {
    unsafe fn inverse_rms(x: *const f32, n: usize, epsilon: f32) -> f64 {
        1.0 / (lanes::sum(x, n, |x| x * x) / n as f64 + f64::from(epsilon)).sqrt()
    }
}

vectorised! {
    /// # Safety
    /// A state of `rows` by `n` is at `s`, a key and a query of `n` at `k` and `q`, `rows` values at `v`; `rows` elements
    /// are writable at `y`. What is written is apart from all else.
    #[allow(clippy::too_many_arguments, reason = "it is the inside of a loop")]
    unsafe fn head_of(s: *mut f32, dims: [usize; 2], k: *const f32, q: *const f32, v: *const f32, y: *mut f32, of: &Factors) {
        let [rows, n] = dims;
        for row in 0..rows {
            let s = s.add(row * n);
            let mut sums = [0.0; lanes::LANES];
            lanes::blocks(n, |start, n| {
                let (s, k) = (lanes::read(s.add(start), n, 0.0), lanes::read(k.add(start), n, 0.0));
                for (sum, (s, k)) in sums.iter_mut().zip(s.iter().zip(&k)) {
                    *sum += s * k;
                }
            });
            let known = of.fading * of.of_k * sums.iter().sum::<f32>();
            let new = (v.add(row).read() - known) * of.taken * of.of_k;
            let mut sums = [0.0; lanes::LANES];
            lanes::blocks(n, |start, n| {
                let mut block = lanes::read(s.add(start), n, 0.0);
                let (k, q) = (lanes::read(k.add(start), n, 0.0), lanes::read(q.add(start), n, 0.0));
                for (sum, (s, (k, q))) in sums.iter_mut().zip(block.iter_mut().zip(k.iter().zip(&q))) {
                    *s = of.fading * *s + new * k;
                    *sum += *s * q;
                }
                lanes::write(s.add(start), n, &block);
            });
            y.add(row).write(of.of_q * sums.iter().sum::<f32>());
        }
    }
}
