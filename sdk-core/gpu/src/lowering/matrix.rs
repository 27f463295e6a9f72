//! Products with a weight matrix.

use super::{Dispatch, Profile};
use crate::{Error, Result, Tensor, Weight};

/// `y = x · weightᵀ`.
pub(super) fn lower(
    _x: &Tensor,
    _weight: &Weight<Tensor>,
    _y: &Tensor,
    _profile: &Profile,
) -> Result<Vec<Dispatch>> {
    Err(Error::Unsupported { what: "matmul".into(), why: "its kernels are not built yet".into() })
}
