//! Where positions are: a table of pages, read with care.

use std::ops::Range;

use super::Problem;

/// A position that has a row of the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) position: usize,
    pub(super) row: usize,
}

/// Finds the rows of the next positions, at most `most` of them, and takes them off `left`. Positions whose page lies
/// beyond the cache have none. Nothing is found only when nothing is left.
///
/// # Safety
/// The table that begins at `first` has an entry for each position that is left.
pub(super) unsafe fn find<T>(
    problem: &Problem<T>,
    first: usize,
    left: &mut Range<usize>,
    most: usize,
    found: &mut Vec<Found>,
) {
    let page = problem.page;
    found.clear();
    while found.len() < most && left.start < left.end {
        // SAFETY: the caller's promise.
        let entry = unsafe { problem.pages.at(first + left.start / page).read() } as usize;
        let end = left.end.min((left.start / page + 1) * page).min(left.start + most - found.len());
        let row = entry.saturating_mul(page).saturating_add(left.start % page);
        // The cache may end within a page.
        let known = problem.cache_rows.saturating_sub(row).min(end - left.start);
        found.extend((0..known).map(|i| Found { position: left.start + i, row: row + i }));
        left.start = end;
    }
}
