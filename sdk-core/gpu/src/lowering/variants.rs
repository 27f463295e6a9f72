//! Which variant of a kernel serves which device and which element types: the one table.

use super::{Kernel, Profile, kernels as k};
use crate::{DType, Error, Result, RopePairs};

/// The kernels that reduce rows.
pub(super) struct RowKernels {
    pub(super) rmsnorm: &'static Kernel,
    pub(super) layernorm: &'static Kernel,
    pub(super) softmax: &'static Kernel,
    pub(super) sum: &'static Kernel,
    pub(super) argmax: &'static Kernel,
}

/// Within subgroups first, where the device can and is to be trusted with it.
static SUBGROUP: RowKernels = RowKernels {
    rmsnorm: k::RMSNORM_SUBGROUP,
    layernorm: k::LAYERNORM_SUBGROUP,
    softmax: k::SOFTMAX_SUBGROUP,
    sum: k::SUM_SUBGROUP,
    argmax: k::ARGMAX_SUBGROUP,
};

/// Through shared memory: for every device.
static SHARED: RowKernels = RowKernels {
    rmsnorm: k::RMSNORM_SHARED,
    layernorm: k::LAYERNORM_SHARED,
    softmax: k::SOFTMAX_SHARED,
    sum: k::SUM_SHARED,
    argmax: k::ARGMAX_SHARED,
};

/// How a device reduces rows.
pub(super) fn row_kernels(profile: &Profile) -> &'static RowKernels {
    let subgroups = profile.features.subgroup_arithmetic && !profile.workarounds.no_subgroup_arithmetic;
    if subgroups { &SUBGROUP } else { &SHARED }
}

/// Which elements rope turns together.
pub(super) fn rope(pairs: RopePairs) -> &'static Kernel {
    match pairs {
        RopePairs::Halves => k::ROPE_HALVES,
        RopePairs::Neighbours => k::ROPE_NEIGHBOURS,
    }
}

/// A copy from one element type to another.
pub(super) fn copy(from: DType, to: DType) -> Result<&'static Kernel> {
    use DType::{Bf16, F16, F32};
    Ok(match (from, to) {
        (from, to) if from == to => k::COPY_WORDS,
        (F32, F16) => k::COPY_F32_F16,
        (F32, Bf16) => k::COPY_F32_BF16,
        (F16, F32) => k::COPY_F16_F32,
        (F16, Bf16) => k::COPY_F16_BF16,
        (Bf16, F32) => k::COPY_BF16_F32,
        (Bf16, F16) => k::COPY_BF16_F16,
        _ => return Err(no_kernel(format!("copy from {from:?} to {to:?}"))),
    })
}

/// A gather from a table of this element type.
pub(super) fn gather(table: DType) -> Result<&'static Kernel> {
    Ok(match table {
        DType::F32 => k::GATHER_F32,
        DType::F16 => k::GATHER_F16,
        DType::Bf16 => k::GATHER_BF16,
        DType::U32 => return Err(no_kernel(format!("gather from a table of {table:?}"))),
    })
}

/// A gather from a quantised table with scales of this element type.
pub(super) fn gather_q(scales: DType) -> Result<&'static Kernel> {
    Ok(match scales {
        DType::F32 => k::GATHER_Q_F32,
        DType::F16 => k::GATHER_Q_F16,
        DType::Bf16 => k::GATHER_Q_BF16,
        DType::U32 => return Err(no_kernel(format!("gather with scales of {scales:?}"))),
    })
}

/// The front checks element types before they come here; this is for whoever calls without it.
fn no_kernel(what: String) -> Error {
    Error::Unsupported { what, why: "there is no kernel for these element types".into() }
}
