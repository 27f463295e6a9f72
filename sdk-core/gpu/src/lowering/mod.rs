//! From operations to dispatches: shared by Vulkan and Metal, and pure.
//!
//! Lowering chooses the kernel variant from the device's [`Profile`], splits what is larger than one binding or
//! one grid, and computes the parameters. It touches no device, so tests run it with injected limits.
//!
//! A tensor may start anywhere (at a multiple of 4 bytes) but a binding may not: a binding starts at the
//! alignment below, and the rest is passed to the kernel as an element offset.

pub(crate) mod attention;
mod bind;
mod convert;
mod elementwise;
mod gather;
pub(crate) mod kernels;
mod matrix;
mod order;
#[cfg(any(not(target_vendor = "apple"), test))]
mod packed;
mod recurrence;
mod rope;
mod rows;
mod store;
#[cfg(test)]
mod tests;
mod variants;

#[cfg(any(not(target_vendor = "apple"), test))]
pub(crate) use packed::Packed;
use rows::Reduction;

use crate::{
    Buffer, DeviceDescription, DeviceKind, Error, Features, Limits, Result, Tensor, Workarounds,
    op::{Access, Op},
};

/// What lowering needs to know of a device.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) limits: Limits,
    pub(crate) features: Features,
    pub(crate) kind: DeviceKind,
    pub(crate) subgroup_size: Option<u32>,
    pub(crate) workarounds: Workarounds,
}

impl Profile {
    pub(crate) fn of(device: &DeviceDescription) -> Self {
        Self {
            limits: device.limits,
            features: device.features,
            kind: device.kind,
            subgroup_size: device.subgroup_size,
            workarounds: Workarounds::of(device),
        }
    }
}

/// One kernel, compiled by the build script from `kernels/<name>.wgsl`.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// File, and variant where there are several: `matvec_q4_f16`.
    pub(crate) name: &'static str,
    /// The entry point's name in the SPIR-V and in the Metal source: the file's name.
    pub(crate) entry: &'static str,
    /// SPIR-V. A program carries only what its platform runs.
    #[cfg(any(not(target_vendor = "apple"), test))]
    pub(crate) spirv: Packed,
    /// Metal source.
    #[cfg(any(target_vendor = "apple", test))]
    pub(crate) msl: &'static str,
    /// What it does with each storage buffer, by binding number in group 0.
    pub(crate) bindings: &'static [Access],
    /// Bytes of parameters (push constants; at most 128).
    pub(crate) params_bytes: u32,
    /// Threads of one workgroup.
    pub(crate) workgroup: [u32; 3],
    /// Changes whenever the generated code does.
    pub(crate) version: u64,
}

/// A kernel with everything that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub(crate) kernel: &'static Kernel,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) params: Vec<u32>,
    pub(crate) workgroups: [u32; 3],
    /// Whether it must wait for earlier dispatches of the same operation.
    pub(crate) barrier: bool,
}

/// A range of a buffer as a kernel argument; the offset is aligned for the device.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) buffer: Buffer,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// The dispatches that carry out `op` on a device.
pub(crate) fn lower(op: &Op<Tensor>, profile: &Profile) -> Result<Vec<Dispatch>> {
    let mut dispatches = match op {
        Op::Fill { y, value } => convert::fill(y, *value, profile),
        Op::Copy { x, y } => convert::copy(x, y, profile),
        Op::Add { a, b, y } => {
            elementwise::binary([kernels::ADD_PAIRS, kernels::ADD_ROW], [a, b, y], profile)
        }
        Op::Mul { a, b, y } => {
            elementwise::binary([kernels::MUL_PAIRS, kernels::MUL_ROW], [a, b, y], profile)
        }
        Op::SiluMul { gate, up, y } => elementwise::binary([kernels::SILU_MUL; 2], [gate, up, y], profile),
        Op::Gelu { x, y } => elementwise::unary(kernels::GELU, 0.0, [x, y], profile),
        Op::GeluMul { gate, up, y } => elementwise::binary([kernels::GELU_MUL; 2], [gate, up, y], profile),
        Op::SigmoidMul { gate, x, y } => {
            elementwise::binary([kernels::SIGMOID_MUL; 2], [gate, x, y], profile)
        }
        Op::Softcap { x, y, cap } => elementwise::unary(kernels::SOFTCAP, *cap, [x, y], profile),
        Op::Scale { x, y, factor } => elementwise::unary(kernels::SCALE, *factor, [x, y], profile),
        Op::RmsNorm { x, weight, y, epsilon } => rows::rmsnorm([x, weight, y], *epsilon, profile),
        Op::AddRmsNorm { x, delta, weight, sum, y, epsilon } => {
            rows::add_rmsnorm([x, delta, weight, sum, y], *epsilon, profile)
        }
        Op::LayerNorm { x, weight, bias, y, epsilon } => {
            rows::layernorm([x, weight, bias, y], *epsilon, profile)
        }
        Op::Softmax { x, y, scale } => rows::softmax([x, y], *scale, profile),
        Op::Rope { x, angles, y, pairs } => rope::rope([x, angles, y], *pairs, profile),
        Op::Gather { table, ids, y } => gather::gather(table, [ids, y], profile),
        Op::MatMul { x, weight, y } => matrix::lower(x, weight, y, profile),
        Op::Argmax { x, y } => rows::reduce(Reduction::Argmax, [x, y], profile),
        Op::Sum { x, y } => rows::reduce(Reduction::Sum, [x, y], profile),
        Op::Store { x, slots, cache } => store::store([x, slots], cache, profile),
        Op::Attention { of, partial } => attention::attention(of, partial.as_ref(), profile),
        Op::Convolve(of) => recurrence::convolve(of, profile),
        Op::GatedDelta(of) => recurrence::gated_delta(of, profile),
    }?;
    for dispatch in &dispatches {
        runs_on(dispatch.kernel, &profile.limits)?;
    }
    order::order(&mut dispatches);
    Ok(dispatches)
}

/// Refuses a kernel that the device cannot start at all.
fn runs_on(kernel: &Kernel, limits: &Limits) -> Result<()> {
    let threads = kernel.workgroup.iter().product();
    let needs = [
        ("storage buffers", kernel.bindings.len() as u32, limits.max_bindings),
        ("bytes of parameters", kernel.params_bytes, limits.max_params_bytes),
        ("threads in a workgroup", threads, limits.max_workgroup_threads),
    ];
    match needs.into_iter().find(|(_, needed, allowed)| needed > allowed) {
        None => Ok(()),
        Some((of, needed, allowed)) => Err(Error::Unsupported {
            what: format!("kernel {}", kernel.name),
            why: format!("it needs {needed} {of}, the device allows {allowed}"),
        }),
    }
}

/// The kernels that [`lower`] would use, each once.
pub(crate) fn kernels_of(op: &Op<Tensor>, profile: &Profile) -> Result<Vec<&'static str>> {
    let mut names: Vec<_> = lower(op, profile)?.iter().map(|dispatch| dispatch.kernel.name).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}
