//! Ranges of tensors as kernel arguments, and grids that a device takes.

use std::ops::Range;

use super::{Binding, Dispatch, Kernel, Profile};
use crate::{Error, Result, Tensor};

/// Kernels index words with 32 bits and add a grid's stride to them: no binding is larger than this.
const MAX_INDEXED_BYTES: u64 = 1 << 32;

/// A range of a tensor, bound: where the binding begins, and how many words later the range does.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) binding: Binding,
    pub(super) words: u32,
}

/// Binds `elements` of a tensor. Whoever calls it keeps the range within [`Profile::capacity`].
///
/// A range of 16-bit elements begins at an even one. The last word is bound whole, though its upper half may
/// belong to somebody else: allocations are padded.
pub(super) fn bind(tensor: &Tensor, elements: Range<u64>, profile: &Profile) -> Bound {
    let size = tensor.dtype().bytes();
    let start = tensor.offset() + elements.start * size;
    debug_assert!(start.is_multiple_of(4), "{tensor:?} is cut within a word");
    let end = (tensor.offset() + elements.end * size).next_multiple_of(4);
    let offset = start - start % profile.alignment();
    let binding = Binding { buffer: tensor.buffer().clone(), offset, bytes: end - offset };
    Bound { binding, words: ((start - offset) / 4) as u32 }
}

/// Binds a tensor that must fit as a whole.
pub(super) fn bind_whole(tensor: &Tensor, what: &str, profile: &Profile) -> Result<Bound> {
    fits(tensor.bytes(), what, profile)?;
    Ok(bind(tensor, 0..tensor.shape().elements(), profile))
}

/// Refuses what no kernel argument can hold and lowering cannot split.
pub(super) fn fits(bytes: u64, what: &str, profile: &Profile) -> Result<()> {
    let capacity = profile.capacity();
    if bytes <= capacity {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: format!("{what} of {bytes} bytes"),
        why: format!(
            "one kernel argument holds at most {capacity} bytes on this device, and it cannot be split"
        ),
    })
}

/// `0..total` in ranges of at most `most`.
pub(super) fn chunks(total: u64, most: u64) -> impl Iterator<Item = Range<u64>> {
    let most = most.max(1);
    (0..total.div_ceil(most)).map(move |i| i * most..((i + 1) * most).min(total))
}

impl Profile {
    /// Bindings start at multiples of this: the device's alignment, and whole vectors.
    pub(super) fn alignment(&self) -> u64 {
        self.limits.binding_alignment.max(16)
    }

    /// Bytes of a tensor that one binding can cover wherever the tensor begins.
    pub(super) fn capacity(&self) -> u64 {
        let limit = self.limits.max_binding_bytes.min(MAX_INDEXED_BYTES);
        limit.saturating_sub(self.alignment()) & !3
    }

    /// How many of `what`, of `bytes` each, one binding can cover; at least one, or it is an error.
    pub(super) fn capacity_of(&self, what: &str, bytes: u64) -> Result<u64> {
        fits(bytes, what, self)?;
        Ok(self.capacity() / bytes.max(1))
    }

    /// Workgroups for a kernel that strides over `items` with `threads` to a workgroup. Each thread gets a few items,
    /// because a workgroup costs more than an item everywhere, and most on software devices.
    pub(super) fn strided(&self, items: u64, threads: u32) -> [u32; 3] {
        const ITEMS_A_THREAD: u64 = 4;
        let wanted = items.div_ceil(u64::from(threads) * ITEMS_A_THREAD).max(1);
        [wanted.min(u64::from(self.limits.max_workgroups[0])) as u32, 1, 1]
    }

    /// The most items that [`folded`](Self::folded) takes.
    pub(super) fn most_folded(&self) -> u64 {
        let [x, y, _] = self.limits.max_workgroups.map(u64::from);
        (x * y).max(1)
    }

    /// Workgroups for a kernel that does one item each and numbers them `y * groups.x + x`; at least `items`.
    pub(super) fn folded(&self, items: u64) -> Result<[u32; 3]> {
        let x = items.clamp(1, u64::from(self.limits.max_workgroups[0].max(1)));
        let y = items.div_ceil(x).max(1);
        if y > u64::from(self.limits.max_workgroups[1]) {
            let [most_x, most_y, _] = self.limits.max_workgroups;
            return Err(Error::Unsupported {
                what: format!("a grid of {items} workgroups"),
                why: format!("this device takes {most_x} by {most_y}"),
            });
        }
        // Even rows waste the least: 65536 items become 2 * 32768, not 2 * 65535.
        Ok([items.div_ceil(y).max(1) as u32, y as u32, 1])
    }
}

impl Dispatch {
    /// A dispatch that depends on no other of its operation.
    pub(super) fn new<const N: usize>(
        kernel: &'static Kernel,
        bound: [Bound; N],
        params: Vec<u32>,
        workgroups: [u32; 3],
    ) -> Self {
        debug_assert_eq!(kernel.bindings.len(), N, "{}", kernel.name);
        debug_assert_eq!(kernel.params_bytes as usize, params.len() * 4, "{}", kernel.name);
        let bindings = bound.into_iter().map(|b| b.binding).collect();
        Self { kernel, bindings, params, workgroups, barrier: false }
    }
}
