//! Memory that a kernel needs for one call.

use crate::{Error, Result};

/// Zeroed memory, or the error that says it was not to be had.
pub(super) fn scratch<T: Copy + Default>(len: usize) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(len).map_err(|_| Error::OutOfMemory {
        asked: len as u64 * size_of::<T>() as u64,
        available: 0,
        limit: 0,
        pool: "host",
        help: "free memory: the kernel found none to work in",
    })?;
    memory.resize(len, T::default());
    Ok(memory)
}
