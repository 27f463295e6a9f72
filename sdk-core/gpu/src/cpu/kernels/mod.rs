//! The kernels, one file each, by the names of the WGSL set.
//!
//! All take host tensors and share their contract: operands are as the front admits them for the operation (types,
//! shapes, overlap), and every pointer is good for its shape. `level` is an instruction set that the machine has.

mod add;
mod add_rmsnorm;
mod argmax;
mod attention;
mod convolve;
mod copy;
mod dequantise;
mod fill;
mod gated_delta;
mod gather;
mod gelu;
mod gelu_mul;
mod layernorm;
mod matmul;
mod matmul_q;
mod matvec;
mod matvec_q;
mod mul;
#[cfg(target_arch = "x86_64")]
mod panels;
mod product;
mod rmsnorm;
mod rope;
mod scale;
mod sigmoid_mul;
mod silu_mul;
mod softcap;
mod softmax;
mod split;
mod store;
mod sum;

pub(super) use add::add;
pub(super) use add_rmsnorm::add_rmsnorm;
pub(super) use argmax::argmax;
pub(super) use attention::attention;
pub(super) use convolve::convolve;
pub(super) use copy::copy;
pub(super) use fill::fill;
pub(super) use gated_delta::gated_delta;
pub(super) use gather::gather;
pub(super) use gelu::gelu;
pub(super) use gelu_mul::gelu_mul;
pub(super) use layernorm::layernorm;
pub(super) use matmul::matmul;
pub(super) use matmul_q::matmul_q;
pub(super) use matvec::matvec;
pub(super) use matvec_q::matvec_q;
pub(super) use mul::mul;
pub(super) use rmsnorm::rmsnorm;
pub(super) use rope::rope;
pub(super) use scale::scale;
pub(super) use sigmoid_mul::sigmoid_mul;
pub(super) use silu_mul::silu_mul;
pub(super) use softcap::softcap;
pub(super) use softmax::softmax;
pub(super) use store::store;
pub(super) use sum::sum;
