//! Products with a weight matrix: which kernel, and how it is split.
//!
//! Weights beyond one binding are split by rows, so that each dispatch writes some columns of y; x and y beyond
//! one binding are split by rows of theirs. Dispatches write different parts of y and need no order.

mod tiles;

use std::ops::Range;

use self::tiles::{Shape, Tile, tile};
use super::{
    Dispatch, Profile,
    bind::{Bound, bind, chunks},
};
use crate::{DType, Error, Result, Tensor, Weight};

/// `y = x · weightᵀ`.
pub(super) fn lower(
    x: &Tensor,
    weight: &Weight<Tensor>,
    y: &Tensor,
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let (n, k) = weight.dims();
    let product = Product { x, weight, y, m: x.shape().rows(), n, k };
    let tile = tile(&product.shape()?, profile);
    let columns = product.most_columns(tile, profile)?;
    let rows = product.most_rows(tile, columns, profile)?;
    let mut dispatches = Vec::new();
    for columns in chunks(n, columns) {
        for rows in chunks(product.m, rows) {
            dispatches.push(product.part(tile, rows, columns.clone(), profile)?);
        }
    }
    Ok(dispatches)
}

struct Product<'a> {
    x: &'a Tensor,
    weight: &'a Weight<Tensor>,
    y: &'a Tensor,
    m: u64,
    n: u64,
    k: u64,
}

impl Product<'_> {
    /// The weights' tensors: what is split by rows of w.
    fn weights(&self) -> Vec<&Tensor> {
        match self.weight {
            Weight::Dense(w) => vec![w],
            Weight::Quantised(q) => vec![&q.words, &q.scales, &q.biases],
        }
    }

    fn shape(&self) -> Result<Shape> {
        let format = tiles::Format::of(self.weight)?;
        let words = match self.weight {
            Weight::Dense(w) => w,
            Weight::Quantised(q) => &q.words,
        };
        Ok(Shape {
            m: self.m,
            k: self.k,
            format,
            aligned: [self.x.offset(), words.offset()].iter().all(|offset| offset.is_multiple_of(16)),
        })
    }

    /// How many columns of y, which are rows of w, one dispatch computes.
    fn most_columns(&self, tile: &Tile, profile: &Profile) -> Result<u64> {
        let grid = u64::from(profile.limits.max_workgroups[0]) * tile.columns;
        let mut most = grid.min(profile.capacity_of("matmul: a value of y", 4)?);
        let mut step = 1;
        for tensor in self.weights() {
            let bytes = u64::from(tensor.shape().columns()) * tensor.dtype().bytes();
            most = most.min(profile.capacity_of("matmul: a row of the weights", bytes)?);
            // Rows of 16-bit elements may begin in the middle of a word, but a binding cannot: an even number of
            // rows ends at the end of a word.
            if !bytes.is_multiple_of(4) {
                step = 2;
            }
        }
        if most >= self.n {
            return Ok(self.n);
        }
        if most >= tile.columns {
            // Whole tiles waste nothing, and are even.
            step = tile.columns;
        }
        match most - most % step {
            0 => Err(Error::Unsupported {
                what: "matmul: two rows of the weights".into(),
                why: format!("one kernel argument holds at most {} bytes on this device", profile.capacity()),
            }),
            most => Ok(most),
        }
    }

    /// How many rows of x and y one dispatch computes, if it computes `columns` of y.
    fn most_rows(&self, tile: &Tile, columns: u64, profile: &Profile) -> Result<u64> {
        let grid = u64::from(profile.limits.max_workgroups[1]) * tile.rows;
        let x = profile.capacity_of("matmul: a row of x", self.k * 4)?;
        let y = 1 + (profile.capacity() / 4 - columns) / self.n;
        let most = self.m.min(grid).min(x).min(y);
        Ok(if most < self.m && most >= tile.rows { most - most % tile.rows } else { most })
    }

    fn part(
        &self,
        tile: &Tile,
        rows: Range<u64>,
        columns: Range<u64>,
        profile: &Profile,
    ) -> Result<Dispatch> {
        let (m, n) = (rows.end - rows.start, columns.end - columns.start);
        let x = bind(self.x, rows.start * self.k..rows.end * self.k, profile);
        let y = rows.start * self.n + columns.start..(rows.end - 1) * self.n + columns.end;
        let y = bind(self.y, y, profile);
        let of = |tensor: &Tensor| -> Bound {
            let width = u64::from(tensor.shape().columns());
            bind(tensor, columns.start * width..columns.end * width, profile)
        };
        let shape = [m as u32, n as u32, self.k as u32, self.n as u32];
        let grid = [n.div_ceil(tile.columns) as u32, m.div_ceil(tile.rows) as u32, 1];
        Ok(match self.weight {
            Weight::Dense(w) => {
                let w = of(w);
                let rest = [x.words, w.words, y.words, 0, 0, self.k as u32, 0];
                Dispatch::new(tile.kernel, [x, w, y], [&shape[..], &rest].concat(), grid)
            }
            Weight::Quantised(q) => {
                let [w, scales, biases] = [&q.words, &q.scales, &q.biases].map(of);
                let offsets = [x.words, w.words, y.words, scales.words, biases.words];
                let scaling = [q.group.size(), scale_format(q.scales.dtype())?];
                let params = [&shape[..], &offsets, &scaling].concat();
                Dispatch::new(tile.kernel, [x, w, y, scales, biases], params, grid)
            }
        })
    }
}

/// As in `kernels/pieces/scaling.wgsl`.
fn scale_format(dtype: DType) -> Result<u32> {
    match dtype {
        DType::F32 => Ok(0),
        DType::F16 => Ok(1),
        DType::Bf16 => Ok(2),
        DType::U32 => Err(Error::Unsupported {
            what: "matmul with scales of u32".into(),
            why: "they are f16, bf16 or f32".into(),
        }),
    }
}
