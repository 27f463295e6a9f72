//! From operations to dispatches: shared by Vulkan and Metal, and pure.
//!
//! Lowering chooses the kernel variant from the device's [`Profile`], splits what is larger than one binding or
//! one grid, and computes the parameters. It touches no device, so tests run it with injected limits.
//!
//! A tensor may start anywhere (at a multiple of 4 bytes) but a binding may not: a binding starts at the
//! alignment below, and the rest is passed to the kernel as an element offset.

mod bind;
mod elementwise;
pub(crate) mod kernels;
mod matrix;

use crate::{
    Buffer, DeviceDescription, DeviceKind, Features, Limits, Result, Tensor, Workarounds,
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
    /// SPIR-V words.
    pub(crate) spirv: &'static [u32],
    /// Metal source.
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
    /// Whether it reads what an earlier dispatch of the same operation wrote.
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
    match op {
        Op::Add { a, b, y } => elementwise::binary(kernels::ADD, [a, b, y], profile),
        Op::MatMul { x, weight, y } => matrix::lower(x, weight, y, profile),
        _ => Ok(Vec::new()),
    }
}
