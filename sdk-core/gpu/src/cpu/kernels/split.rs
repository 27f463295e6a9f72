//! How work is cut for the team.

use crate::cpu::team;

/// Below this many bytes touched, waking threads costs more than they save.
const WORTH_SHARING: usize = 128 << 10;

/// Calls `work` with ranges that make up `0..items`, on several threads where there is enough to do.
///
/// Ranges start at multiples of `step`. There are a few for each thread, since cores differ in speed.
pub(super) fn split(items: usize, bytes_per_item: usize, step: usize, work: &(dyn Fn(usize, usize) + Sync)) {
    let parts = parts(items.div_ceil(step), bytes_per_item.saturating_mul(step));
    let per_part = items.div_ceil(step).div_ceil(parts) * step;
    team::share(items.div_ceil(per_part), &|part| {
        let start = part * per_part;
        work(start, items.min(start + per_part));
    });
}

/// How many parts `items` are worth.
pub(super) fn parts(items: usize, bytes_per_item: usize) -> usize {
    let worth = items.saturating_mul(bytes_per_item) / (WORTH_SHARING / 2);
    if worth < 2 { 1 } else { worth.min(16 * team::threads()).min(items).max(1) }
}
