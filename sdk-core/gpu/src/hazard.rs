//! Which steps must wait for which: barriers where needed and only there.
//!
//! Also answers whether a batch may be repeated after a device loss: it may, unless it overwrites bytes that it
//! read before (a residual added in place, say), because then the inputs may be gone.

use std::{collections::HashMap, ops::Range};

use crate::op::Access;

/// What a batch has touched so far. Buffers are known by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    buffers: HashMap<u64, Touched>,
    not_repeatable: bool,
}

#[derive(Debug, Default)]
struct Touched {
    /// Since the last barrier.
    read: Vec<Range<u64>>,
    written: Vec<Range<u64>>,
    /// Since the beginning: bytes that were read before this batch wrote them, and bytes that it wrote.
    inputs: Vec<Range<u64>>,
    outputs: Vec<Range<u64>>,
}

impl Hazards {
    /// Records one step; returns whether a barrier must come before it.
    pub(crate) fn step(&mut self, touches: &[(u64, Range<u64>, Access)]) -> bool {
        // Kernels touch whole words.
        let words = |r: &Range<u64>| r.start / 4 * 4..r.end.next_multiple_of(4);
        let barrier = touches.iter().any(|(id, range, access)| {
            let range = words(range);
            self.buffers.get(id).is_some_and(|b| {
                overlaps(&b.written, &range) || (access.writes() && overlaps(&b.read, &range))
            })
        });
        if barrier {
            for buffer in self.buffers.values_mut() {
                buffer.read.clear();
                buffer.written.clear();
            }
        }
        // Reads first: a step that works in place reads before it writes.
        for (id, range, _) in touches.iter().filter(|t| t.2.reads()) {
            let (range, buffer) = (words(range), self.buffers.entry(*id).or_default());
            if !buffer.outputs.iter().any(|o| o.start <= range.start && range.end <= o.end) {
                add(&mut buffer.inputs, range.clone());
            }
            add(&mut buffer.read, range);
        }
        for (id, range, access) in touches.iter().filter(|t| t.2.writes()) {
            let whole =
                range.start.next_multiple_of(4)..(range.end / 4 * 4).max(range.start.next_multiple_of(4));
            let (range, buffer) = (words(range), self.buffers.entry(*id).or_default());
            self.not_repeatable |= overlaps(&buffer.inputs, &range);
            // Only words that were written whole are this batch's own; who patches says not which.
            if *access == Access::Write {
                add(&mut buffer.outputs, whole);
            }
            add(&mut buffer.written, range);
        }
        barrier
    }

    /// Whether running the batch again gives the same result.
    pub(crate) fn is_repeatable(&self) -> bool {
        !self.not_repeatable
    }
}

fn overlaps(ranges: &[Range<u64>], range: &Range<u64>) -> bool {
    ranges.iter().any(|r| r.start < range.end && range.start < r.end)
}

/// Keeps a list short: neighbours that are recorded one after the other, or again, become one range.
fn add(ranges: &mut Vec<Range<u64>>, range: Range<u64>) {
    if let Some(last) = ranges.last_mut()
        && last.start <= range.end
        && range.start <= last.end
    {
        *last = last.start.min(range.start)..last.end.max(range.end);
    } else {
        ranges.push(range);
    }
}

#[cfg(test)]
mod tests {
    use super::{Access::*, *};

    fn hazards(steps: &[&[(u64, Range<u64>, Access)]]) -> (Vec<bool>, bool) {
        let mut hazards = Hazards::default();
        let barriers = steps.iter().map(|s| hazards.step(s)).collect();
        (barriers, hazards.is_repeatable())
    }

    #[test]
    fn independent_steps_run_side_by_side() {
        let (barriers, _) =
            hazards(&[&[(1, 0..64, Read), (2, 0..64, Write)], &[(1, 0..64, Read), (2, 64..128, Write)]]);
        assert_eq!(barriers, [false, false]);
    }

    #[test]
    fn a_reader_waits_for_its_writer_once() {
        let write = [(1, 0..64, Write)];
        let read = [(1, 32..48, Read), (2, 0..4, Write)];
        let again = [(1, 0..16, Read), (3, 0..4, Write)];
        assert_eq!(hazards(&[&write, &read, &again]).0, [false, true, false]);
    }

    #[test]
    fn a_writer_waits_for_earlier_readers() {
        assert_eq!(hazards(&[&[(1, 0..8, Read)], &[(1, 4..8, Write)]]).0, [false, true]);
    }

    #[test]
    fn halves_of_one_word_are_one_word() {
        assert_eq!(hazards(&[&[(1, 0..2, Write)], &[(1, 2..4, Write)]]).0, [false, true]);
    }

    #[test]
    fn a_batch_that_overwrites_its_input_cannot_be_repeated() {
        assert!(!hazards(&[&[(1, 0..64, Read), (1, 0..64, Write)]]).1);
    }

    #[test]
    fn working_in_place_on_what_the_batch_made_itself_can_be_repeated() {
        assert!(hazards(&[&[(1, 0..64, Write)], &[(1, 0..64, Read), (1, 0..64, Write)]]).1);
    }

    #[test]
    fn what_was_patched_is_waited_for_and_may_be_patched_again_unless_it_was_read() {
        let store = [(1, 0..8, Read), (2, 0..64, Patch)];
        let attend = [(2, 0..64, Read), (3, 0..8, Write)];
        assert_eq!(hazards(&[&store, &attend]), (vec![false, true], true));
        assert!(hazards(&[&store, &store]).1, "the same parts become the same again");
        assert!(!hazards(&[&store, &attend, &store]).1, "the rest was there before, and is not what it was");
    }
}
