//! An allocator that counts what is held, for tests and examples that say how much memory something takes.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The system's allocator, counting the bytes that are held.
pub(crate) struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

/// Bytes that are held now, by all threads.
pub(crate) fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

// SAFETY: every call is passed on to the system's allocator with the arguments as they came, which upholds what that
// allocator promises; counting is one atomic addition, which neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `pointer` came from `System` through `alloc` with this layout, by the caller's promise. The default
        // `realloc` goes through both.
        unsafe { System.dealloc(pointer, layout) }
    }
}
