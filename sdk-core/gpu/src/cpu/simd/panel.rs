//! Sixteen rows of MLX affine weights side by side, for several rows of activations.
//!
//! [`super::quantised`] takes the words of a row apart again for every row of activations. Here that is done once: a panel
//! holds the 16-bit pairs of sixteen rows, each row in a lane of two vectors, so that a multiply-add with one pair of
//! activations serves sixteen results, no sum goes across lanes, and scales and biases are vectors too. The integers are
//! those of [`super::quantised`], and so are the bounds.
//!
//! Arm's multiply-add of 16 bits does no more at once than the one of f32, so there is nothing to be gained there.

use super::Level;
use crate::Bits;

pub(super) mod avx2;

/// Rows of weights in a panel.
pub(crate) const ROWS: usize = 16;

/// Rows of activations that meet a panel at once, at most.
pub(crate) const AT_ONCE: usize = 6;

/// Rows of activations that are too few for a panel to be worth writing down, at most.
pub(crate) const FEW: usize = 4;

/// What makes panels and multiplies by them.
#[derive(Clone, Copy)]
pub(crate) struct PanelKernels {
    /// Takes words apart: pairs go to `[word][pair][row]`.
    pub(crate) unpack: unsafe fn(words: &Words<'_>, pairs: *mut u32),
    /// Adds the products with 1 to [`AT_ONCE`] rows of activations to `[row of activations][row of weights]`.
    pub(crate) multiply: unsafe fn(panel: &Panel, activations: &Activations, count: usize, sums: *mut f32),
    /// The same for 1 to [`FEW`] rows and words as they are; the panel's pairs are not looked at.
    pub(crate) multiply_words:
        unsafe fn(words: &Words<'_>, panel: &Panel, activations: &Activations, count: usize, sums: *mut f32),
}

/// Some words of sixteen rows.
pub(crate) struct Words<'a> {
    /// Where they begin, packed.
    pub(crate) rows: &'a [*const u32; ROWS],
    /// How many words of fields each row has; see [`super::quantised::Row::words`].
    pub(crate) count: usize,
    /// What lies this many bytes behind them is asked for.
    pub(crate) ahead: usize,
}

/// Some groups of sixteen rows of weights.
pub(crate) struct Panel {
    /// As they were unpacked.
    pub(crate) pairs: *const u32,
    /// `[group][row]`.
    pub(crate) scales: *const f32,
    /// `[group][row]`.
    pub(crate) biases: *const f32,
    /// How many groups.
    pub(crate) groups: usize,
    /// Pairs of a group.
    pub(crate) pairs_per_group: usize,
}

/// The same groups of rows of activations; see [`super::activations::PairedRow`].
pub(crate) struct Activations {
    /// Of the first row.
    pub(crate) pairs: *const u32,
    /// Pairs between rows.
    pub(crate) pairs_per_row: usize,
    /// Of the first row.
    pub(crate) units: *const f32,
    /// Of the first row.
    pub(crate) sums: *const f32,
    /// Units, and sums, between rows.
    pub(crate) groups_per_row: usize,
}

/// The kernels of a level, if it gains by panels.
///
/// # Safety of the results
/// Pointers reach as far as the sizes say, and the machine has the level.
pub(crate) fn kernels(level: Level, bits: Bits) -> Option<PanelKernels> {
    match level {
        Level::Avx2 | Level::Avx512 => Some(match bits {
            Bits::B4 => avx2::kernels::<super::quantised::Four>(),
            Bits::B6 => avx2::kernels::<super::quantised::Six>(),
            Bits::B8 => avx2::kernels::<super::quantised::Eight>(),
        }),
        Level::Portable => None,
    }
}
