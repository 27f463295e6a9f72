//! `y[i] = table[ids[i]]` in f32; an id beyond the table gives a row of zeros.

use half::{bf16, f16};

use super::{dequantise::dequantise, split::split};
use crate::{
    DType, Weight,
    cpu::simd::{Level, dense::DenseWeight},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn gather(
    level: Level,
    table: &Weight<HostTensor>,
    ids: &HostTensor,
    y: &HostTensor,
) {
    // SAFETY: the types are the tensors', and rows are within the table by the check in `rows`.
    unsafe {
        match table {
            Weight::Dense(table) => match table.dtype {
                DType::F16 => dense::<f16>(level, table, ids, y),
                DType::Bf16 => dense::<bf16>(level, table, ids, y),
                DType::F32 | DType::U32 => dense::<f32>(level, table, ids, y),
            },
            Weight::Quantised(table) => {
                let columns = y.columns();
                rows(ids, table.words.rows(), y, &|row, y| dequantise(level, table, row, 0, columns, y));
            }
        }
    }
}

/// # Safety
/// The contract of [`super`].
unsafe fn dense<T: DenseWeight>(level: Level, table: &HostTensor, ids: &HostTensor, y: &HostTensor) {
    let n = table.columns();
    let start = table.view::<T>();
    // SAFETY: `row` is within the table, and a row fits at `y`.
    rows(ids, table.rows(), y, &|row, y| unsafe { T::to_f32(level, start.at(row * n), y, n) });
}

/// Writes each row of `y` by `write`, or zeros.
fn rows(ids: &HostTensor, table_rows: usize, y: &HostTensor, write: &(dyn Fn(usize, *mut f32) + Sync)) {
    let n = y.columns();
    let (count, ids, y) = (ids.len(), ids.view::<u32>(), y.view::<f32>());
    split(count, 8 * n, 1, &|start, end| {
        for i in start..end {
            // SAFETY: `y` has a row for each id.
            let (id, y) = unsafe { (ids.at(i).read() as usize, y.at(i * n)) };
            if id < table_rows {
                write(id, y);
            } else {
                // SAFETY: as above.
                unsafe { y.write_bytes(0, n) };
            }
        }
    });
}
