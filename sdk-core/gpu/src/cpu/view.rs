//! Typed pointers into host tensors.
//!
//! Operands of one operation may be the very same memory, so kernels that may run in place never make slices of
//! them: they read and write through [`View`].

use crate::op::HostTensor;

/// A pointer that threads may share: each writes a part of its own.
pub(super) struct View<T>(*mut T);

impl<T> Clone for View<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<T> {}

// SAFETY: a `View` is an address. Whoever dereferences it answers for who else does.
unsafe impl<T> Send for View<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for View<T> {}

impl<T> View<T> {
    /// Memory of one's own, which must outlive every use of the view.
    pub(super) fn of(memory: &mut [T]) -> Self {
        Self(memory.as_mut_ptr())
    }

    /// The view from element `index` on.
    ///
    /// # Safety
    /// As [`at`](Self::at).
    pub(super) unsafe fn offset(self, index: usize) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { self.0.add(index) })
    }

    /// The address of element `index`.
    ///
    /// # Safety
    /// `index` is within the tensor, or one past its end.
    #[inline(always)]
    pub(super) unsafe fn at(self, index: usize) -> *mut T {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(index) }
    }

    /// The address of an element that may lie anywhere: not to be followed.
    pub(super) fn far(self, index: usize) -> *const T {
        self.0.wrapping_add(index)
    }
}

// SAFETY: as above: an address with a type and a shape.
unsafe impl Send for HostTensor {}
// SAFETY: as above.
unsafe impl Sync for HostTensor {}

impl HostTensor {
    /// The elements as `T`, which the caller knows to fit the type of the tensor.
    pub(super) fn view<T>(&self) -> View<T> {
        View(self.data.cast())
    }

    /// How many elements. A tensor in memory has no more than fit an address.
    pub(super) fn len(&self) -> usize {
        self.shape.elements() as usize
    }

    pub(super) fn columns(&self) -> usize {
        self.shape.columns() as usize
    }

    pub(super) fn rows(&self) -> usize {
        self.shape.rows() as usize
    }
}
