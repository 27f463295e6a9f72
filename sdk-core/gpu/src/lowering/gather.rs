//! Rows of a table by their ids. Results are split by rows, and so is a table that one binding cannot hold: each
//! part then writes the rows whose ids it has, and the first also writes zeros for ids that no part has.

use std::ops::Range;

use super::{
    Dispatch, Profile,
    bind::{Bound, bind, chunks},
    variants,
};
use crate::{Error, Quantised, Result, Tensor, Weight};

/// `y[i] = table[ids[i]]`.
pub(super) fn gather(
    table: &Weight<Tensor>,
    [ids, y]: [&Tensor; 2],
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let (total, columns) = table.dims();
    let results: Vec<_> =
        chunks(ids.shape().elements(), profile.capacity_of("gather: a row", columns * 4)?).collect();
    let mut dispatches = Vec::new();
    for rows in chunks(total, most_rows(table, profile)?) {
        for results in &results {
            let part = Part {
                n: (results.end - results.start) * columns,
                columns,
                rows: rows.clone(),
                total,
                ids: bind(ids, results.clone(), profile),
                y: bind(y, results.start * columns..results.end * columns, profile),
            };
            dispatches.push(match table {
                Weight::Dense(table) => part.dense(table, profile)?,
                Weight::Quantised(table) => part.quantised(table, profile)?,
            });
        }
    }
    Ok(dispatches)
}

/// How many rows of the table one dispatch can see.
///
/// Rows of 16-bit elements may begin in the middle of a word, but a binding cannot: an even number of rows ends
/// at the end of a word.
fn most_rows(table: &Weight<Tensor>, profile: &Profile) -> Result<u64> {
    let tensors = match table {
        Weight::Dense(table) => vec![table],
        Weight::Quantised(q) => vec![&q.words, &q.scales, &q.biases],
    };
    let bytes_of_row = |tensor: &&Tensor| u64::from(tensor.shape().columns()) * tensor.dtype().bytes();
    let mut most = u64::MAX;
    for bytes in tensors.iter().map(bytes_of_row) {
        most = most.min(profile.capacity_of("gather: a row of the table", bytes)?);
    }
    let even = tensors.iter().map(bytes_of_row).any(|bytes| !bytes.is_multiple_of(4));
    if even && most < table.dims().0 {
        most &= !1;
    }
    if most == 0 {
        return Err(Error::Unsupported {
            what: "gather: two rows of the table".into(),
            why: format!("one kernel argument holds at most {} bytes on this device", profile.capacity()),
        });
    }
    Ok(most)
}

/// Some rows of the table, and some of the result.
struct Part {
    n: u64,
    columns: u64,
    rows: Range<u64>,
    total: u64,
    ids: Bound,
    y: Bound,
}

impl Part {
    fn dense(self, table: &Tensor, profile: &Profile) -> Result<Dispatch> {
        let kernel = variants::gather(table.dtype())?;
        let table = self.rows_of(table, profile);
        let offsets = [table.words, self.ids.words, self.y.words];
        let params = [&[self.n as u32, self.columns as u32], &self.range()[..], &offsets[..]].concat();
        let grid = profile.strided(self.n, kernel.workgroup[0]);
        Ok(Dispatch::new(kernel, [table, self.ids, self.y], params, grid))
    }

    fn quantised(self, table: &Quantised<Tensor>, profile: &Profile) -> Result<Dispatch> {
        let kernel = variants::gather_q(table.scales.dtype())?;
        let [words, scales, biases] =
            [&table.words, &table.scales, &table.biases].map(|tensor| self.rows_of(tensor, profile));
        let shape = [self.n as u32, self.columns as u32, table.bits.count(), table.group.size()];
        let offsets = [words.words, scales.words, biases.words, self.ids.words, self.y.words];
        let params = [&shape[..], &self.range()[..], &offsets[..]].concat();
        let grid = profile.strided(self.n, kernel.workgroup[0]);
        Ok(Dispatch::new(kernel, [words, scales, biases, self.ids, self.y], params, grid))
    }

    fn rows_of(&self, tensor: &Tensor, profile: &Profile) -> Bound {
        let columns = u64::from(tensor.shape().columns());
        bind(tensor, self.rows.start * columns..self.rows.end * columns, profile)
    }

    /// `first`, `rows`, `total` and `zeroes`, as both kernels take them.
    fn range(&self) -> [u32; 4] {
        let Range { start, end } = self.rows;
        [start as u32, (end - start) as u32, self.total as u32, u32::from(start == 0)]
    }
}
