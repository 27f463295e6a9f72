//! Layers with a state: the states afterwards, and the result.

use std::convert::Infallible;

use super::Value;
use crate::{Convolution, GatedDelta, recurrence::DeltaDims};

/// An operand as plain numbers.
pub(crate) struct Numbers {
    pub(crate) dims: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl From<&Value> for Numbers {
    fn from(value: &Value) -> Self {
        Self { dims: value.shape.dims().to_vec(), values: value.numbers() }
    }
}

/// The tokens of one sequence: the states that it begins with and leaves, and its rows.
struct Run {
    from: usize,
    to: usize,
    tokens: std::ops::Range<usize>,
}

/// The runs that are not skipped. What lies beyond the tokens is none of theirs.
fn runs(words: &Numbers, tokens: usize, states: usize) -> Vec<Run> {
    let run = |word: &[f64]| {
        let [from, to, first, count] = [0, 1, 2, 3].map(|i| word[i] as usize);
        Run { from, to, tokens: first.min(tokens)..first.saturating_add(count).min(tokens) }
    };
    words.values.chunks(4).map(run).filter(|run| run.to < states).collect()
}

/// The states and the result of a convolution.
pub(crate) fn convolved<T>(of: &Convolution<T>) -> Vec<Vec<f64>>
where
    for<'a> Numbers: From<&'a T>,
{
    let Ok(Convolution { x, weight, state, runs: words, y }) =
        of.try_map(&mut |operand, _| Ok::<_, Infallible>(Numbers::from(operand)));
    let (channels, taps) = (weight.dims[1] as usize, weight.dims[0] as usize);
    let kept = taps - 1;
    let (mut states, mut out) = (state.values, y.values);
    let before = states.clone();
    let tokens = x.values.len() / channels;
    for run in runs(&words, tokens, state.dims[0] as usize) {
        for c in 0..channels {
            let old = (0..kept).map(|i| before.get((run.from * kept + i) * channels + c).copied());
            let mut inputs: Vec<f64> = old.map(|old| old.unwrap_or(0.0)).collect();
            inputs.extend(run.tokens.clone().map(|t| x.values[t * channels + c]));
            for (i, t) in run.tokens.clone().enumerate() {
                let terms = (0..taps).map(|j| weight.values[j * channels + c] * inputs[i + j]);
                let sum: f64 = terms.sum();
                out[t * channels + c] = sum / (1.0 + (-sum).exp());
            }
            for (i, input) in inputs[inputs.len() - kept..].iter().enumerate() {
                states[(run.to * kept + i) * channels + c] = *input;
            }
        }
    }
    vec![states, out]
}

/// The states and the result of the gated delta rule.
pub(crate) fn remembered<T>(of: &GatedDelta<T>) -> Vec<Vec<f64>>
where
    for<'a> Numbers: From<&'a T>,
{
    let Ok(GatedDelta { qkv, decay, strength, constants, state, runs: words, epsilon, y }) =
        of.try_map(&mut |operand, _| Ok::<_, Infallible>(Numbers::from(operand)));
    let channels = qkv.dims.last().map_or(0, |width| *width as usize);
    let Some(DeltaDims { states: count, heads, key_heads, key, value }) =
        DeltaDims::of(&state.dims, channels as u32)
    else {
        return Vec::new();
    };
    let [heads, key_heads, key, value] = [heads, key_heads, key, value].map(|n| n as usize);
    let (mut states, mut out) = (state.values, y.values);
    let before = states.clone();
    for run in runs(&words, qkv.values.len() / channels, count as usize) {
        for h in 0..heads {
            let place = |state: usize| (state * heads + h) * value * key;
            let mut s = match before.get(place(run.from)..place(run.from) + value * key) {
                Some(old) => old.to_vec(),
                None => vec![0.0; value * key],
            };
            for t in run.tokens.clone() {
                let row = &qkv.values[t * channels..][..channels];
                let shared = h / (heads / key_heads);
                let q = normed(&row[shared * key..][..key], 1.0 / key as f64, epsilon);
                let k =
                    normed(&row[(key_heads + shared) * key..][..key], (key as f64).sqrt().recip(), epsilon);
                let v = &row[2 * key_heads * key + h * value..][..value];
                let softened = (decay.values[t * heads + h] + constants.values[heads + h]).exp().ln_1p();
                let fading = (-constants.values[h] * softened).exp();
                let taken = 1.0 / (1.0 + (-strength.values[t * heads + h]).exp());
                for (i, s) in s.chunks_mut(key).enumerate() {
                    for s in s.iter_mut() {
                        *s *= fading;
                    }
                    let known: f64 = s.iter().zip(&k).map(|(s, k)| s * k).sum();
                    let new = (v[i] - known) * taken;
                    for (s, k) in s.iter_mut().zip(&k) {
                        *s += new * k;
                    }
                    out[(t * heads + h) * value + i] = s.iter().zip(&q).map(|(s, q)| s * q).sum();
                }
            }
            states[place(run.to)..][..value * key].copy_from_slice(&s);
        }
    }
    vec![states, out]
}

fn normed(x: &[f64], scale: f64, epsilon: f32) -> Vec<f64> {
    let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    x.iter().map(|x| x * scale / (mean + f64::from(epsilon)).sqrt()).collect()
}
