//! Which rows and columns of a stored matrix are wanted.
//!
//! Some matrices hold two things row by row, such as queries and their gates; and a slice of a model has only some heads
//! and some columns of each layer. What is not wanted is not put on the device.

use std::ops::Range;

/// A part of a matrix. Rows come in the order of the ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    rows: Vec<Range<u64>>,
    columns: Range<u64>,
    /// Columns of the whole matrix.
    of_columns: u64,
}

/// A place in a file, counted from where its tensor begins.
pub(crate) struct Piece {
    /// Whole rows, one after the other.
    pub(crate) bytes: Range<u64>,
    /// What is wanted of each of them.
    pub(crate) of_each: Range<u64>,
    /// Bytes of a whole row.
    pub(crate) row: u64,
}

impl Cut {
    /// Everything.
    pub(crate) fn whole(rows: u32, columns: u32) -> Self {
        let columns = u64::from(columns);
        Self { rows: std::iter::once(0..u64::from(rows)).collect(), columns: 0..columns, of_columns: columns }
    }

    /// Of every `period` rows those in `wanted`.
    pub(crate) fn every(self, period: u32, wanted: Range<u32>) -> Self {
        let (period, wanted) = (u64::from(period), u64::from(wanted.start)..u64::from(wanted.end));
        let blocks = self.rows.iter().flat_map(|rows| rows.clone().step_by(period as usize));
        Self { rows: blocks.map(|at| at + wanted.start..at + wanted.end).collect(), ..self }
    }

    /// Those of its rows that are in `wanted`. For a whole matrix.
    pub(crate) fn rows_in(self, wanted: &Range<u32>) -> Self {
        let all = u32::try_from(self.rows[0].end).unwrap_or(u32::MAX);
        self.every(all, wanted.clone())
    }

    /// Those of its columns that are in `wanted`.
    pub(crate) fn columns_in(self, wanted: &Range<u32>) -> Self {
        Self { columns: u64::from(wanted.start)..u64::from(wanted.end), ..self }
    }

    pub(crate) fn rows(&self) -> u32 {
        self.rows.iter().map(|rows| rows.end - rows.start).sum::<u64>() as u32
    }

    pub(crate) fn columns(&self) -> u32 {
        (self.columns.end - self.columns.start) as u32
    }

    /// How many of a stored tensor's bytes are wanted. `of_rows` are all rows of it.
    pub(crate) fn bytes(&self, stored: u64, of_rows: u64) -> u64 {
        let row = stored / of_rows.max(1);
        let each = self.in_row(row);
        u64::from(self.rows()) * (each.end - each.start)
    }

    /// Where the wanted bytes lie in a tensor with rows of `row` bytes, at most `most` bytes at once.
    pub(crate) fn pieces(&self, row: u64, most: u64) -> impl Iterator<Item = Piece> {
        let of_each = self.in_row(row);
        let together = (most / row.max(1)).max(1);
        self.rows.iter().flat_map(move |rows| {
            let (of_each, end) = (of_each.clone(), rows.end);
            rows.clone().step_by(together as usize).map(move |at| Piece {
                bytes: at * row..(at + together).min(end) * row,
                of_each: of_each.clone(),
                row,
            })
        })
    }

    /// Columns begin and end with groups, so that this divides.
    fn in_row(&self, row: u64) -> Range<u64> {
        let at = |column: u64| row * column / self.of_columns.max(1);
        at(self.columns.start)..at(self.columns.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(cut: &Cut, row: u64, most: u64) -> Vec<(Range<u64>, Range<u64>)> {
        cut.pieces(row, most).map(|piece| (piece.bytes, piece.of_each)).collect()
    }

    #[test]
    fn a_whole_matrix_is_read_in_pieces_of_whole_rows() {
        let cut = Cut::whole(5, 8);
        assert_eq!(places(&cut, 16, 40), [(0..32, 0..16), (32..64, 0..16), (64..80, 0..16)]);
        assert_eq!(cut.bytes(80, 5), 80);
    }

    #[test]
    fn queries_and_gates_lie_in_turns() {
        let gates = Cut::whole(8, 4).every(4, 2..4);
        assert_eq!(places(&gates, 10, 100), [(20..40, 0..10), (60..80, 0..10)]);
        assert_eq!((gates.rows(), gates.bytes(80, 8)), (4, 40));
    }

    #[test]
    fn a_slice_of_columns_is_a_part_of_every_row() {
        // 128 columns of 4 bits: 64 bytes a row, of which the second half is wanted.
        let cut = Cut::whole(3, 128).columns_in(&(64..128));
        assert_eq!(places(&cut, 64, 1000), [(0..192, 32..64)]);
        assert_eq!((cut.columns(), cut.bytes(192, 3)), (64, 96));
    }
}
