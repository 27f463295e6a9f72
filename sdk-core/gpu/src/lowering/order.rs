//! Which dispatches of one operation must wait for others of it.
//!
//! The parts of a split operation write elements of their own, but bindings begin at the alignment below them, and
//! a gathered table's parts share one result: bound ranges may overlap where elements do not. Vulkan speaks of
//! ranges, and so does its validation layer; a barrier between such parts costs nothing beside their size.

use std::{ops::Range, sync::Arc};

use super::{Binding, Dispatch};
use crate::{Buffer, op::Access};

/// Sets the barriers that the bound ranges ask for; those that are set stay.
pub(super) fn order(dispatches: &mut [Dispatch]) {
    let mut running: Vec<Use> = Vec::new();
    for dispatch in dispatches {
        let uses: Vec<Use> = dispatch.bindings.iter().zip(dispatch.kernel.bindings).map(Use::new).collect();
        dispatch.barrier |= uses.iter().any(|new| running.iter().any(|old| old.conflicts_with(new)));
        if dispatch.barrier {
            running.clear();
        }
        running.extend(uses);
    }
}

/// A range of a buffer under a kernel's hands.
struct Use {
    buffer: Buffer,
    range: Range<u64>,
    access: Access,
}

impl Use {
    fn new((binding, &access): (&Binding, &Access)) -> Self {
        let range = binding.offset..binding.offset + binding.bytes;
        Self { buffer: binding.buffer.clone(), range, access }
    }

    fn conflicts_with(&self, other: &Self) -> bool {
        (self.access.writes() || other.access.writes())
            && Arc::ptr_eq(&self.buffer.inner, &other.buffer.inner)
            && self.range.start < other.range.end
            && other.range.start < self.range.end
    }
}
