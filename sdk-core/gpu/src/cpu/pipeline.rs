//! From an operation to its kernel.

use super::{kernels, simd::Level};
use crate::{
    Result, Weight,
    op::{HostTensor, Op},
};

/// Carries out one operation on host memory, on this thread and the team.
///
/// The only error is memory for scratch that could not be had.
///
/// # Safety
/// Every operand keeps the promise of [`HostTensor`], and types and shapes are what the front admits for `op`.
pub(crate) unsafe fn run(op: &Op<HostTensor>) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { run_at(Level::best(), op) }
}

/// The same with a chosen instruction set, so that tests can compare them.
///
/// # Safety
/// As [`run`]; and the machine has the instructions of `level`.
pub(super) unsafe fn run_at(level: Level, op: &Op<HostTensor>) -> Result<()> {
    // SAFETY: the caller's promise, for each of the kernels.
    unsafe {
        match op {
            Op::Fill { y, value } => kernels::fill(y, *value),
            Op::Copy { x, y } => kernels::copy(level, x, y),
            Op::Add { a, b, y } => kernels::add(level, a, b, y),
            Op::Mul { a, b, y } => kernels::mul(level, a, b, y),
            Op::SiluMul { gate, up, y } => kernels::silu_mul(level, gate, up, y),
            Op::Gelu { x, y } => kernels::gelu(level, x, y),
            Op::GeluMul { gate, up, y } => kernels::gelu_mul(level, gate, up, y),
            Op::SigmoidMul { gate, x, y } => kernels::sigmoid_mul(level, gate, x, y),
            Op::Softcap { x, y, cap } => kernels::softcap(level, x, *cap, y),
            Op::Scale { x, y, factor } => kernels::scale(level, x, *factor, y),
            Op::RmsNorm { x, weight, y, epsilon } => kernels::rmsnorm(level, x, weight, *epsilon, y),
            Op::AddRmsNorm { x, delta, weight, sum, y, epsilon } => {
                kernels::add_rmsnorm(level, [x, delta, weight], *epsilon, [sum, y]);
            }
            Op::LayerNorm { x, weight, bias, y, epsilon } => {
                kernels::layernorm(level, x, weight, bias, *epsilon, y);
            }
            Op::Softmax { x, y, scale } => kernels::softmax(level, x, *scale, y),
            Op::Rope { x, angles, y, pairs } => kernels::rope(level, x, angles, *pairs, y),
            Op::Gather { table, ids, y } => kernels::gather(level, table, ids, y),
            Op::MatMul { x, weight: Weight::Dense(weight), y } => match x.rows() {
                1 => kernels::matvec(level, x, weight, y),
                _ => return kernels::matmul(level, x, weight, y),
            },
            Op::MatMul { x, weight: Weight::Quantised(weight), y } => match x.rows() {
                1 => return kernels::matvec_q(level, x, weight, y),
                _ => return kernels::matmul_q(level, x, weight, y),
            },
            Op::Argmax { x, y } => kernels::argmax(level, x, y),
            Op::Sum { x, y } => kernels::sum(level, x, y),
            Op::Store { x, slots, cache } => kernels::store(level, x, slots, cache),
            Op::Attention { of, .. } => return kernels::attention(level, of),
            Op::Convolve(of) => kernels::convolve(level, of),
            Op::GatedDelta(of) => kernels::gated_delta(level, of),
        }
    }
    Ok(())
}
