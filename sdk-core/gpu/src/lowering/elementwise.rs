//! Kernels that treat every element alike: split by ranges of elements.

use super::{
    Dispatch, Kernel, Profile,
    bind::{bind, chunks},
};
use crate::{Result, Tensor};

/// `y = f(a, b)`: the first kernel where `b` is as long as `a`, the second where a `b` of one row meets every row.
pub(super) fn binary(
    [pairs, row]: [&'static Kernel; 2],
    [a, b, y]: [&Tensor; 3],
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let n = y.shape().elements();
    let columns = b.shape().elements();
    let capacity = profile.capacity_of("an element", 4)?;
    let pairwise = |at: u64, b_at: u64, n: u64| {
        let ranges = [(a, at), (b, b_at), (y, at)];
        let [a, b, y] = ranges.map(|(tensor, at)| bind(tensor, at..at + n, profile));
        let params = vec![n as u32, 0, 0, a.words, b.words, y.words];
        Dispatch::new(pairs, [a, b, y], params, profile.strided(n, pairs.workgroup[0]))
    };
    if columns == n {
        return Ok(chunks(n, capacity).map(|r| pairwise(r.start, r.start, r.end - r.start)).collect());
    }
    if columns > capacity {
        let rows = (0..n).step_by(columns as usize);
        let parts = rows.flat_map(|row| chunks(columns, capacity).map(move |r| (row + r.start, r)));
        return Ok(parts.map(|(at, r)| pairwise(at, r.start, r.end - r.start)).collect());
    }
    let broadcast = chunks(n, capacity).map(|r| {
        let (a, y) = (bind(a, r.clone(), profile), bind(y, r.clone(), profile));
        let b = bind(b, 0..columns, profile);
        let n = r.end - r.start;
        let first = (r.start % columns) as u32;
        let params = vec![n as u32, columns as u32, first, a.words, b.words, y.words];
        Dispatch::new(row, [a, b, y], params, profile.strided(n, row.workgroup[0]))
    });
    Ok(broadcast.collect())
}

/// `y = f(x)`, with a number for those kernels that take one.
pub(super) fn unary(
    kernel: &'static Kernel,
    number: f32,
    [x, y]: [&Tensor; 2],
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let parts = chunks(y.shape().elements(), profile.capacity_of("an element", 4)?).map(|r| {
        let (x, y) = (bind(x, r.clone(), profile), bind(y, r.clone(), profile));
        let n = r.end - r.start;
        let params = vec![n as u32, number.to_bits(), x.words, y.words];
        Dispatch::new(kernel, [x, y], params, profile.strided(n, kernel.workgroup[0]))
    });
    Ok(parts.collect())
}
