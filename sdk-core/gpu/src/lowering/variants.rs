//! Which variant of a kernel serves which device and which element types: the one table.

use super::{Kernel, Profile, kernels as k};
use crate::{Cache, DType, Error, Result, RopePairs, Tensor};

/// The kernels that reduce rows.
pub(super) struct RowKernels {
    pub(super) rmsnorm: &'static Kernel,
    pub(super) add_rmsnorm: &'static Kernel,
    pub(super) store_bytes: &'static Kernel,
    pub(super) layernorm: &'static Kernel,
    pub(super) softmax: &'static Kernel,
    pub(super) sum: &'static Kernel,
    pub(super) argmax: &'static Kernel,
}

/// Within subgroups first, where the device can and is to be trusted with it.
static SUBGROUP: RowKernels = RowKernels {
    rmsnorm: k::RMSNORM_SUBGROUP,
    add_rmsnorm: k::ADD_RMSNORM_SUBGROUP,
    store_bytes: k::STORE_BYTES_SUBGROUP,
    layernorm: k::LAYERNORM_SUBGROUP,
    softmax: k::SOFTMAX_SUBGROUP,
    sum: k::SUM_SUBGROUP,
    argmax: k::ARGMAX_SUBGROUP,
};

/// Through shared memory: for every device.
static SHARED: RowKernels = RowKernels {
    rmsnorm: k::RMSNORM_SHARED,
    add_rmsnorm: k::ADD_RMSNORM_SHARED,
    store_bytes: k::STORE_BYTES_SHARED,
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

/// Rows that become rows of a cache of this element type.
pub(super) fn store(cache: DType) -> Result<&'static Kernel> {
    Ok(match cache {
        DType::F32 => k::STORE_F32,
        DType::F16 => k::STORE_F16,
        DType::Bf16 | DType::U32 => return Err(no_kernel(format!("store to a cache of {cache:?}"))),
    })
}

/// A kernel of attention and how many queries one of its workgroups takes.
#[derive(Clone, Copy)]
pub(super) struct QueryTile {
    pub(super) kernel: &'static Kernel,
    pub(super) queries: u64,
}

/// Elements of a head that the kernels of many queries have room for.
const MOST_OF_MANY: u64 = 256;

/// Attention over a cache for so many tokens, with `group` heads of theirs to a head of the cache.
///
/// Many tokens are taken for tokens of one sequence, which share what they read; few for one of each.
pub(super) fn attention(keys: &Cache<Tensor>, tokens: u64, group: u64, head: u64) -> Result<QueryTile> {
    let many = head <= MOST_OF_MANY && (group > 4 || tokens >= 16);
    let kernel = match (keys, many) {
        (Cache::Dense(keys), _) => match (keys.dtype(), many) {
            (DType::F32, false) => k::ATTENTION_F32,
            (DType::F32, true) => k::ATTENTION_MANY_F32,
            (DType::F16, false) => k::ATTENTION_F16,
            (DType::F16, true) => k::ATTENTION_MANY_F16,
            (other, _) => return Err(no_kernel(format!("attention over a cache of {other:?}"))),
        },
        (Cache::Bytes { .. }, false) => k::ATTENTION_BYTES,
        (Cache::Bytes { .. }, true) => k::ATTENTION_MANY_BYTES,
    };
    Ok(QueryTile { kernel, queries: if many { 8 } else { 4 } })
}

/// The gated delta rule over keys of this many elements.
pub(super) fn gated_delta(key: u32) -> &'static Kernel {
    if key <= 128 { k::GATED_DELTA_NARROW } else { k::GATED_DELTA_WIDE }
}

/// The front checks element types before they come here; this is for whoever calls without it.
fn no_kernel(what: String) -> Error {
    Error::Unsupported { what, why: "there is no kernel for these element types".into() }
}
