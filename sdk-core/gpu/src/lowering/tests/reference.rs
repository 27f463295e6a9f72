//! Every operation in f64, with the error that a kernel may make.
//!
//! The bounds are those of the kernels' own headers. Two things hold for all: a rounding costs half an ulp of f32,
//! and drivers may take denormals for zero, wherever they meet one.

mod attention;

use super::array::Array;
use crate::{RopePairs, Weight, op::Op, trust::recurrence};

/// Half an ulp of f32, relative.
const HALF_ULP: f64 = 1.0 / (1_u64 << 24) as f64;

/// The largest denormal of f32, and a little.
const DENORMAL: f64 = 1.2e-38;

/// A number, and how far from it a kernel may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) value: f64,
    pub(super) tolerance: f64,
}

impl Expected {
    /// `half_ulps` roundings of `magnitude`, and denormals lost where they were multiplied by `gain`.
    fn near(value: f64, half_ulps: f64, magnitude: f64, gain: f64) -> Self {
        Self { value, tolerance: half_ulps * HALF_ULP * magnitude.abs() + DENORMAL * (1.0 + gain.abs()) }
    }

    fn exact(value: f64) -> Self {
        Self { value, tolerance: 0.0 }
    }

    pub(super) fn admits(&self, got: f64) -> bool {
        let most = f64::from(f32::MAX);
        if self.value.is_nan() || got.is_nan() {
            return self.value.is_nan() && got.is_nan();
        }
        if got.is_infinite() || self.value.is_infinite() {
            return got.signum() == self.value.signum()
                && got.abs() > most
                && self.value.abs() + self.tolerance >= most;
        }
        (got - self.value).abs() <= self.tolerance
    }
}

/// What `op` should give, for each of its outputs that has a meaning.
pub(super) fn expected(op: &Op<Array>) -> Vec<Vec<Expected>> {
    match op {
        Op::AddRmsNorm { x, delta, weight, epsilon, .. } => {
            let sum = binary(x, delta, |x, delta| Expected::near(x + delta, 1.0, x + delta, 1.0));
            let rounded: Vec<f64> = sum.iter().map(|sum| f64::from(sum.value as f32)).collect();
            let rows = rounded.chunks_exact(x.columns());
            let y = rows.flat_map(|row| rmsnorm(row, &weight.values, f64::from(*epsilon))).collect();
            vec![sum, y]
        }
        Op::Store { x, slots, cache } => attention::stored(x, slots, cache),
        Op::Convolve(of) => near_the_largest(recurrence::convolved(of), 1e-5),
        // Each token of a run passes its errors on.
        Op::GatedDelta(of) => near_the_largest(recurrence::remembered(of), 1e-4),
        _ => vec![single(op)],
    }
}

/// What an operation with one output should give.
fn single(op: &Op<Array>) -> Vec<Expected> {
    match op {
        Op::Fill { y, value } => {
            let filled = Array::new(y.dtype, y.shape.dims(), vec![f64::from(*value); y.values.len()]);
            filled.values.into_iter().map(Expected::exact).collect()
        }
        Op::Copy { x, y } => {
            let copied = Array::new(y.dtype, y.shape.dims(), x.values.clone());
            copied.values.into_iter().map(Expected::exact).collect()
        }
        Op::Add { a, b, .. } => binary(a, b, |a, b| Expected::near(a + b, 1.0, a + b, 1.0)),
        Op::Mul { a, b, .. } => binary(a, b, |a, b| Expected::near(a * b, 1.0, a * b, a.abs() + b.abs())),
        Op::SiluMul { gate, up, .. } => binary(gate, up, |gate, up| {
            let value = gate * sigmoid(gate) * up;
            Expected::near(value, 16.0 + 4.0 * gate.abs().min(104.0), value, up.abs() * (1.0 + gate.abs()))
        }),
        Op::Gelu { x, .. } => x.values.iter().map(|&x| gelu(x)).collect(),
        Op::GeluMul { gate, up, .. } => binary(gate, up, |gate, up| {
            let Expected { value, tolerance } = gelu(gate);
            let near = Expected::near(value * up, 1.0, value * up, up);
            Expected { tolerance: near.tolerance + tolerance * up.abs(), ..near }
        }),
        Op::SigmoidMul { gate, x, .. } => binary(gate, x, |gate, x| {
            let value = sigmoid(gate) * x;
            Expected::near(value, 16.0 + 4.0 * gate.abs().min(104.0), value, x)
        }),
        Op::Softcap { x, cap, .. } => {
            let cap = f64::from(*cap);
            x.values
                .iter()
                .map(|&x| Expected::near(cap * (x / cap).tanh(), 24.0, x.abs().min(cap), 1.0 + cap))
                .collect()
        }
        Op::Scale { x, factor, .. } => {
            let factor = f64::from(*factor);
            x.values.iter().map(|&x| Expected::near(x * factor, 1.0, x * factor, 1.0 + factor)).collect()
        }
        Op::RmsNorm { x, weight, epsilon, .. } => {
            x.rows().flat_map(|row| rmsnorm(row, &weight.values, f64::from(*epsilon))).collect()
        }
        Op::LayerNorm { x, weight, bias, epsilon, .. } => x
            .rows()
            .flat_map(|row| layernorm(row, &weight.values, &bias.values, f64::from(*epsilon)))
            .collect(),
        Op::Softmax { x, scale, .. } => x.rows().flat_map(|row| softmax(row, f64::from(*scale))).collect(),
        Op::Rope { x, angles, pairs, .. } => rope(x, angles, *pairs),
        Op::Gather { table, ids, y } => gather(table, ids, y),
        Op::Argmax { x, .. } => x.rows().map(|row| Expected::exact(argmax(row) as f64)).collect(),
        Op::Sum { x, .. } => x.rows().map(sum).collect(),
        Op::MatMul { x, weight, .. } => matmul(x, weight),
        Op::Attention { of, .. } => attention::attended(of),
        Op::AddRmsNorm { .. } | Op::Store { .. } | Op::Convolve(_) | Op::GatedDelta(_) => {
            unreachable!("they have two outputs, or patch one")
        }
    }
}

/// Errors of sums, measured against the largest of their results.
fn near_the_largest(answers: Vec<Vec<f64>>, part: f64) -> Vec<Vec<Expected>> {
    let largest = answers.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
    let near = |value| Expected { value, tolerance: part * largest };
    answers.into_iter().map(|answer| answer.into_iter().map(near).collect()).collect()
}

fn binary(a: &Array, b: &Array, f: impl Fn(f64, f64) -> Expected) -> Vec<Expected> {
    a.values.iter().zip(b.values.iter().cycle()).map(|(&a, &b)| f(a, b)).collect()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn gelu(x: f64) -> Expected {
    let z = 2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
    // Far below zero f64 gives -inf * 0 for -inf, and so does f32 for anything whose cube it cannot hold.
    let value = x * sigmoid(z);
    Expected::near(value, 16.0 + 8.0 * z.abs().min(104.0), value, x)
}

/// How many half ulps a sum over a row may lose: lanes of 128 columns, then the tree.
fn lost(columns: usize) -> f64 {
    columns.div_ceil(128) as f64 + 24.0
}

fn sum(row: &[f64]) -> Expected {
    let magnitude: f64 = row.iter().map(|x| x.abs()).sum();
    Expected::near(row.iter().sum(), lost(row.len()), magnitude, row.len() as f64)
}

fn rmsnorm(row: &[f64], weight: &[f64], epsilon: f64) -> Vec<Expected> {
    let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
    let scale = 1.0 / (mean + epsilon).sqrt();
    let each = |(x, w): (&f64, &f64)| {
        let value = x * scale * w;
        Expected::near(value, lost(row.len()) + 12.0, value, scale * (w.abs() + x.abs()))
    };
    row.iter().zip(weight).map(each).collect()
}

fn layernorm(row: &[f64], weight: &[f64], bias: &[f64], epsilon: f64) -> Vec<Expected> {
    let n = row.len() as f64;
    let mean = row.iter().sum::<f64>() / n;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let scale = 1.0 / (variance + epsilon).sqrt();
    let magnitude = row.iter().map(|x| x.abs()).sum::<f64>() / n;
    let lost = lost(row.len()) + 12.0;
    let mean_error = lost * HALF_ULP * magnitude + DENORMAL;
    let each = |((x, w), b): ((&f64, &f64), &f64)| {
        let normal = (x - mean) * scale;
        // A wrong mean moves every element, and the variance by its square.
        let moved = scale * mean_error * (1.0 + (scale * mean_error).min(1.0) * normal.abs());
        let magnitude = (lost * normal.abs() + 2.0 * scale * x.abs()) * w.abs() + b.abs();
        let near = Expected::near(normal * w + b, 2.0, magnitude, scale * (1.0 + w.abs()) + normal.abs());
        Expected { tolerance: near.tolerance + moved * w.abs(), ..near }
    };
    row.iter().zip(weight).zip(bias).map(each).collect()
}

fn softmax(row: &[f64], scale: f64) -> Vec<Expected> {
    let scaled: Vec<f64> = row.iter().map(|x| x * scale).collect();
    let most = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scaled.iter().map(|z| (z - most).exp()).sum();
    let each = |z: &f64| {
        let value = (z - most).exp() / total;
        let steep = (z - most).abs().min(104.0);
        // Every term of the total errs as the largest ones do: those of d near zero weigh most.
        Expected::near(value, lost(row.len()) + 24.0 + 4.0 * steep, value, 1.0 + scale.abs())
    };
    scaled.iter().map(each).collect()
}

fn rope(x: &Array, angles: &Array, pairs: RopePairs) -> Vec<Expected> {
    let tokens = angles.shape.dims()[0] as usize;
    let turned = angles.values.len() / tokens / 2;
    let heads = x.values.len() / tokens / x.columns();
    let mut y: Vec<_> = x.values.iter().map(|&x| Expected::exact(x)).collect();
    for (h, head) in x.rows().enumerate() {
        for p in 0..turned {
            let angle = 2 * (h / heads * turned + p);
            let (cos, sin) = (angles.values[angle], angles.values[angle + 1]);
            let (i, j) = match pairs {
                RopePairs::Halves => (p, p + turned),
                RopePairs::Neighbours => (2 * p, 2 * p + 1),
            };
            let (a, b) = (head[i], head[j]);
            let near = |p: f64, q: f64| Expected::near(p + q, 3.0, p.abs() + q.abs(), 4.0);
            y[h * x.columns() + i] = near(a * cos, -b * sin);
            y[h * x.columns() + j] = near(a * sin, b * cos);
        }
    }
    y
}

/// A product in any order of its terms loses at most one rounding for each, and a few for dequantisation.
fn matmul(x: &Array, weight: &Weight<Array>) -> Vec<Expected> {
    let w = dequantised(weight);
    let row = |x: &[f64], w: &[Expected]| {
        let terms = || x.iter().zip(w);
        let magnitude: f64 = terms().map(|(x, w)| x.abs() * w.tolerance).sum();
        // Numbers that stay where they lie in a word are up to 2^28, and what they meet is that much smaller.
        let gain: f64 = terms().map(|(x, w)| (x.abs() + w.tolerance + 1.0) * f64::from(1 << 28)).sum();
        Expected::near(terms().map(|(x, w)| x * w.value).sum(), x.len() as f64 + 8.0, magnitude, gain)
    };
    x.rows().flat_map(|x| w.chunks_exact(x.len()).map(move |w| row(x, w))).collect()
}

/// All weights, each with its magnitude as tolerance: `|scale * q| + |bias|`.
fn dequantised(weight: &Weight<Array>) -> Vec<Expected> {
    match weight {
        Weight::Dense(w) => w.values.iter().map(|&w| Expected { value: w, tolerance: w.abs() }).collect(),
        Weight::Quantised(q) => {
            let (bits, group) = (q.bits.count() as usize, q.group.size() as usize);
            let row = |(r, stream): (usize, &[f64])| {
                let bit = |i: usize| (stream[i / 32] as u64 >> (i % 32)) & 1;
                let each = |c: usize| {
                    let number = (0..bits).map(|b| bit(c * bits + b) << b).sum::<u64>() as f64;
                    let at = r * q.scales.columns() + c / group;
                    let (scale, bias) = (q.scales.values[at], q.biases.values[at]);
                    Expected { value: scale * number + bias, tolerance: (scale * number).abs() + bias.abs() }
                };
                (0..q.scales.columns() * group).map(each).collect::<Vec<_>>()
            };
            q.words.rows().enumerate().flat_map(row).collect()
        }
    }
}

fn gather(table: &Weight<Array>, ids: &Array, y: &Array) -> Vec<Expected> {
    let columns = y.columns();
    let element = |row: usize, c: usize| match table {
        Weight::Dense(table) => table.rows().nth(row).map(|row| Expected::exact(row[c])),
        Weight::Quantised(q) => {
            let (bits, group) = (q.bits.count() as usize, q.group.size() as usize);
            let stream = q.words.rows().nth(row)?;
            let bit = |i: usize| (stream[i / 32] as u64 >> (i % 32)) & 1;
            let value = (0..bits).map(|b| bit(c * bits + b) << b).sum::<u64>() as f64;
            let at = row * q.scales.columns() + c / group;
            let (scale, bias) = (q.scales.values[at], q.biases.values[at]);
            let magnitude = (scale * value).abs() + bias.abs();
            Some(Expected::near(scale * value + bias, 2.0, magnitude, value))
        }
    };
    let row = |id: &f64| {
        (0..columns).map(|c| element(*id as usize, c).unwrap_or(Expected::exact(0.0))).collect::<Vec<_>>()
    };
    ids.values.iter().flat_map(row).collect()
}

fn argmax(row: &[f64]) -> usize {
    let mut best: Option<(usize, f64)> = None;
    for (i, &x) in row.iter().enumerate() {
        if !x.is_nan() && best.is_none_or(|(_, most)| x > most) {
            best = Some((i, x));
        }
    }
    best.map_or(0, |(i, _)| i)
}
