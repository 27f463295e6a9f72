//! Kernels that give a workgroup to each row: split by rows, never within one.

use std::ops::Range;

use super::{
    Dispatch, Profile,
    bind::{bind, bind_whole, chunks},
    variants,
};
use crate::{Result, Tensor};

/// `y = x / rms(x) * weight`.
pub(super) fn rmsnorm(
    [x, weight, y]: [&Tensor; 3],
    epsilon: f32,
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let kernel = variants::row_kernels(profile).rmsnorm;
    let weight = bind_whole(weight, "rmsnorm: a weight", profile)?;
    by_rows("rmsnorm", x, profile, |part| {
        let (x, y) = (bind(x, part.elements(), profile), bind(y, part.elements(), profile));
        let params = vec![part.count(), part.columns(), epsilon.to_bits(), x.words, weight.words, y.words];
        Dispatch::new(kernel, [x, weight.clone(), y], params, part.grid)
    })
}

/// `sum = x + delta`, and `y = sum / rms(sum) * weight`.
pub(super) fn add_rmsnorm(
    [x, delta, weight, sum, y]: [&Tensor; 5],
    epsilon: f32,
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let kernel = variants::row_kernels(profile).add_rmsnorm;
    let weight = bind_whole(weight, "add_rmsnorm: a weight", profile)?;
    by_rows("add_rmsnorm", x, profile, |part| {
        let [x, delta, sum, y] = [x, delta, sum, y].map(|tensor| bind(tensor, part.elements(), profile));
        let offsets = [x.words, delta.words, weight.words, sum.words, y.words];
        let params = [&[part.count(), part.columns(), epsilon.to_bits()], &offsets[..]].concat();
        Dispatch::new(kernel, [x, delta, weight.clone(), sum, y], params, part.grid)
    })
}

/// `y = (x - mean) / std * weight + bias`.
pub(super) fn layernorm(
    [x, weight, bias, y]: [&Tensor; 4],
    epsilon: f32,
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let kernel = variants::row_kernels(profile).layernorm;
    let weight = bind_whole(weight, "layernorm: a weight", profile)?;
    let bias = bind_whole(bias, "layernorm: a bias", profile)?;
    by_rows("layernorm", x, profile, |part| {
        let (x, y) = (bind(x, part.elements(), profile), bind(y, part.elements(), profile));
        let offsets = [x.words, weight.words, bias.words, y.words];
        let params = [&[part.count(), part.columns(), epsilon.to_bits()], &offsets[..]].concat();
        Dispatch::new(kernel, [x, weight.clone(), bias.clone(), y], params, part.grid)
    })
}

/// `y = softmax(scale * x)`.
pub(super) fn softmax([x, y]: [&Tensor; 2], scale: f32, profile: &Profile) -> Result<Vec<Dispatch>> {
    let kernel = variants::row_kernels(profile).softmax;
    by_rows("softmax", x, profile, |part| {
        let (x, y) = (bind(x, part.elements(), profile), bind(y, part.elements(), profile));
        let params = vec![part.count(), part.columns(), scale.to_bits(), x.words, y.words];
        Dispatch::new(kernel, [x, y], params, part.grid)
    })
}

/// One number of each row: its sum, or the index of its largest element.
pub(super) fn reduce(which: Reduction, [x, y]: [&Tensor; 2], profile: &Profile) -> Result<Vec<Dispatch>> {
    let kernels = variants::row_kernels(profile);
    let (kernel, name) = match which {
        Reduction::Sum => (kernels.sum, "sum"),
        Reduction::Argmax => (kernels.argmax, "argmax"),
    };
    by_rows(name, x, profile, |part| {
        let (x, y) = (bind(x, part.elements(), profile), bind(y, part.rows.clone(), profile));
        let params = vec![part.count(), part.columns(), x.words, y.words];
        Dispatch::new(kernel, [x, y], params, part.grid)
    })
}

/// What [`reduce`] keeps of a row.
#[derive(Clone, Copy)]
pub(super) enum Reduction {
    Sum,
    Argmax,
}

/// Some rows of a tensor, small enough for one dispatch.
struct Part {
    rows: Range<u64>,
    columns: u64,
    grid: [u32; 3],
}

impl Part {
    fn elements(&self) -> Range<u64> {
        self.rows.start * self.columns..self.rows.end * self.columns
    }

    fn count(&self) -> u32 {
        (self.rows.end - self.rows.start) as u32
    }

    fn columns(&self) -> u32 {
        self.columns as u32
    }
}

/// A dispatch for each part of `x` that a binding and a grid can hold.
fn by_rows(
    name: &str,
    x: &Tensor,
    profile: &Profile,
    mut dispatch: impl FnMut(&Part) -> Dispatch,
) -> Result<Vec<Dispatch>> {
    let columns = u64::from(x.shape().columns());
    let most = profile.capacity_of(&format!("{name}: a row"), columns * 4)?.min(profile.most_folded());
    chunks(x.shape().rows(), most)
        .map(|rows| {
            let grid = profile.folded(rows.end - rows.start)?;
            Ok(dispatch(&Part { rows, columns, grid }))
        })
        .collect()
}
