//! Where Python's indexes and slices lie.

use super::Outcome;

/// Where an index lies; those below nought count from the end.
pub(super) fn place(index: i128, count: usize) -> Option<usize> {
    let index = if index < 0 { index + i128::try_from(count).ok()? } else { index };
    usize::try_from(index).ok()
}

/// The places of a slice, as Python has them.
pub(super) fn cut(count: usize, [start, stop, step]: [Option<i128>; 3]) -> Outcome<Vec<usize>> {
    let (count, step) = (count as i128, step.unwrap_or(1));
    let (low, high) = if step < 0 { (-1, count - 1) } else { (0, count) };
    let bound = |bound: Option<i128>, otherwise: i128| match bound {
        None => otherwise,
        Some(bound) if bound < 0 => bound.saturating_add(count).max(low),
        Some(bound) => bound.min(high),
    };
    let (start, stop) = match step {
        0 => return Err("a slice with a step of nought".into()),
        1.. => (bound(start, low), bound(stop, high)),
        _ => (bound(start, high), bound(stop, low)),
    };
    let mut places = Vec::new();
    let mut at = start;
    while if step > 0 { at < stop } else { at > stop } {
        places.extend(usize::try_from(at).ok());
        at = at.saturating_add(step);
    }
    Ok(places)
}
