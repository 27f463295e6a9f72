//! `y = (x - mean) / √(variance + ε) * weight + bias` by rows. Mean and variance are in double precision.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn layernorm(
    level: Level,
    x: &HostTensor,
    weight: &HostTensor,
    bias: &HostTensor,
    epsilon: f32,
    y: &HostTensor,
) {
    let n = x.columns();
    let rows = x.rows();
    let (x, y) = (x.view::<f32>(), y.view::<f32>());
    let (weight, bias) = (weight.view::<f32>(), bias.view::<f32>());
    split(rows, 24 * n, 1, &|start, end| {
        for row in start..end {
            // SAFETY: rows are disjoint and within the tensors; weight and bias are rows.
            unsafe { row_of(level, x.at(row * n), weight.at(0), bias.at(0), y.at(row * n), n, epsilon) };
        }
    });
}

vectorised! {
    unsafe fn row_of(x: *const f32, weight: *const f32, bias: *const f32, y: *mut f32, n: usize, epsilon: f32) {
        let mean = lanes::sum(x, n, |x| x) / n as f64;
        let variance = lanes::sum(x, n, |x| (x - mean) * (x - mean)) / n as f64;
        let factor = 1.0 / (variance + f64::from(epsilon)).sqrt();
        lanes::blocks(n, |start, n| {
            let mut block = lanes::read(x.add(start), n, 0.0);
            let weight = lanes::read(weight.add(start), n, 0.0);
            let bias = lanes::read(bias.add(start), n, 0.0);
            for value in &mut block {
                *value = ((f64::from(*value) - mean) * factor) as f32;
            }
            for ((value, weight), bias) in block.iter_mut().zip(&weight).zip(&bias) {
                *value = *value * weight + bias;
            }
            lanes::write(y.add(start), n, &block);
        });
    }
}
