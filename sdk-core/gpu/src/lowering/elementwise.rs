//! Kernels that treat every element alike: split by ranges of elements.

use super::{Dispatch, Kernel, Profile, bind::bind};
use crate::{Result, Tensor};

/// `y = f(a, b)`, where a `b` of one row meets every row of `a`.
pub(super) fn binary(
    kernel: &'static Kernel,
    [a, b, y]: [&Tensor; 3],
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let columns = b.shape().elements();
    let n = y.shape().elements();
    let (a, b, y) = (bind(a, 0..n, profile), bind(b, 0..columns, profile), bind(y, 0..n, profile));
    let params = vec![n as u32, columns as u32, 0, a.words, b.words, y.words];
    Ok(vec![Dispatch::new(kernel, [a, b, y], params, profile.strided(n, kernel.workgroup[0]))])
}
