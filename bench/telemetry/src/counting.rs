//! An allocator that counts: how often it was asked, what is held, and the most that was.
//!
//! Each thread counts for itself, so that nobody else's work is taken for that which is measured.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

/// The system's allocator, counting.
pub struct Counting;

#[derive(Clone, Copy)]
struct Counts {
    asked: usize,
    /// Below 0 on a thread that frees what others made.
    held: isize,
    most: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { asked: 0, held: 0, most: 0 }) };
}

/// How often `work` asked for memory.
pub fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNTS.get().asked;
    work();
    COUNTS.get().asked - before
}

/// Bytes that this thread holds now.
pub fn held() -> isize {
    COUNTS.get().held
}

/// The most bytes that this thread held at once while `work` was done, and what came of the work.
pub fn most_held<T>(work: impl FnOnce() -> T) -> (isize, T) {
    let now = COUNTS.get();
    COUNTS.set(Counts { most: now.held, ..now });
    let done = work();
    (COUNTS.get().most, done)
}

fn count(asked: usize, bytes: isize) {
    // A thread that is ending has no counter any more, and nothing to count.
    let _ = COUNTS.try_with(|counts| {
        let before = counts.get();
        let held = before.held + bytes;
        counts.set(Counts { asked: before.asked + asked, held, most: before.most.max(held) });
    });
}

// SAFETY: every call is passed on to the system's allocator with the arguments as they came, which upholds what that
// allocator promises; counting touches a plain thread-local cell and neither allocates nor unwinds. The default `realloc`
// goes through both functions.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size().cast_signed());
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -layout.size().cast_signed());
        // SAFETY: `pointer` came from `System` through `alloc` with this layout, by the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn allocations_are_counted_at_all() {
        assert_eq!(allocations(|| drop(black_box(Box::new(7)))), 1);
        assert_eq!(allocations(|| drop(String::new())), 0);
    }

    #[test]
    fn the_most_that_was_held_outlives_its_release() {
        let before = held();
        let (most, ()) = most_held(|| drop(black_box(vec![0_u8; 1_000_000])));
        assert_eq!((most - before, held() - before), (1_000_000, 0));
    }
}
