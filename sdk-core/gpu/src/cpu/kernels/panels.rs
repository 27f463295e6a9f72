//! `y = x Wᵀ` for several rows of activations and MLX affine weights, in panels: see [`crate::cpu::simd::panel`].

use std::{array, ops::Range};

use half::{bf16, f16};

use super::split::{parts, split};
use crate::{
    DType, Quantised, Result,
    cpu::{
        scratch::scratch,
        simd::{
            Level,
            activations::PairedRow,
            dense::{Columns, DenseWeight},
            panel::{AT_ONCE, Activations, FEW, Panel, PanelKernels, ROWS, Words},
        },
        team,
        view::View,
    },
    op::HostTensor,
};

/// Weights of a row that are taken apart at once: a multiple of every group, and small enough that a panel of them stays
/// in the first-level cache.
const BLOCK: usize = 512;

/// The groups of a block, at most.
const GROUPS: usize = BLOCK / 32;

/// # Safety
/// The contract of [`super`], and the machine has the kernels' instructions.
pub(super) unsafe fn in_panels(
    level: Level,
    kernels: PanelKernels,
    x: &HostTensor,
    weight: &Quantised<HostTensor>,
    y: &HostTensor,
) -> Result<()> {
    // SAFETY: the type is the scales'.
    unsafe {
        match weight.scales.dtype {
            DType::F16 => all::<f16>(level, kernels, x, weight, y),
            DType::Bf16 => all::<bf16>(level, kernels, x, weight, y),
            DType::F32 | DType::U32 => all::<f32>(level, kernels, x, weight, y),
        }
    }
}

/// # Safety
/// As [`in_panels`], and `S` is the type of the scales.
unsafe fn all<S: DenseWeight>(
    level: Level,
    kernels: PanelKernels,
    x: &HostTensor,
    weight: &Quantised<HostTensor>,
    y: &HostTensor,
) -> Result<()> {
    let (m, k, n) = (x.rows(), x.columns(), weight.words.rows());
    // SAFETY: `x` is `[m, k]`.
    let activations = unsafe { Rounded::of(level, x.view(), [m, k], weight)? };
    let product = Product {
        kernels,
        activations: &activations,
        words: weight.words.view(),
        words_per_row: weight.words.columns(),
        fields_per_word: if weight.bits.count() == 4 { 8 } else { 4 },
        bits: weight.bits.count() as usize,
        columns: S::columns(),
        scales: weight.scales.view::<S>(),
        biases: weight.biases.view::<S>(),
        group: weight.group.size() as usize,
        y: y.view(),
        sizes: [m, k, n],
    };
    let panels = n.div_ceil(ROWS);
    let parts = parts(panels, ROWS * m * 4 * product.words_per_row);
    let per_part = panels.div_ceil(parts);
    let room = Room::size(m);
    let mut memory = scratch::<f32>(parts * room)?;
    let memory = View::of(&mut memory);
    team::share(panels.div_ceil(per_part), &|part| {
        for panel in part * per_part..panels.min((part + 1) * per_part) {
            let rows = panel * ROWS..n.min((panel + 1) * ROWS);
            // SAFETY: each part has room of its own, and columns of `y` of its own.
            unsafe { product.panel(&rows, &Room::at(memory.offset(part * room))) };
        }
    });
    Ok(())
}

/// All activations as integers; see [`PairedRow`].
struct Rounded {
    pairs: Vec<u32>,
    units: Vec<f32>,
    sums: Vec<f32>,
}

impl Rounded {
    /// # Safety
    /// `[rows, k]` elements are readable at `x`, and the machine has `level`.
    unsafe fn of(
        level: Level,
        x: View<f32>,
        [rows, k]: [usize; 2],
        weight: &Quantised<HostTensor>,
    ) -> Result<Self> {
        let groups = k / weight.group.size() as usize;
        let mut integers = scratch::<i16>(rows * k)?;
        let mut all = Self {
            pairs: scratch(rows * k / 2)?,
            units: scratch(rows * groups)?,
            sums: scratch(rows * groups)?,
        };
        let (integers, pairs) = (View::of(&mut integers), View::of(&mut all.pairs));
        let (units, sums) = (View::of(&mut all.units), View::of(&mut all.sums));
        split(rows, 8 * k, 1, &|first, end| {
            for row in first..end {
                // SAFETY: each row has a part of its own in all of them.
                unsafe {
                    let to = PairedRow {
                        pairs: pairs.at(row * k / 2),
                        units: units.at(row * groups),
                        sums: sums.at(row * groups),
                    };
                    to.fill(level, x.at(row * k), k, (weight.bits, weight.group), integers.at(row * k));
                }
            }
        });
        Ok(all)
    }
}

/// One worker's memory.
struct Room {
    pairs: *mut u32,
    scales: *mut f32,
    biases: *mut f32,
    sums: *mut f32,
}

impl Room {
    /// In elements of four bytes.
    fn size(m: usize) -> usize {
        ROWS * (BLOCK / 2 + 2 * GROUPS + m)
    }

    /// # Safety
    /// As many elements are there.
    unsafe fn at(memory: View<f32>) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let scales = ROWS * BLOCK / 2;
            let biases = scales + ROWS * GROUPS;
            Self {
                pairs: memory.at(0).cast(),
                scales: memory.at(scales),
                biases: memory.at(biases),
                sums: memory.at(biases + ROWS * GROUPS),
            }
        }
    }
}

/// What all panels share.
struct Product<'a, S> {
    kernels: PanelKernels,
    activations: &'a Rounded,
    words: View<u32>,
    words_per_row: usize,
    fields_per_word: usize,
    bits: usize,
    columns: Columns<S>,
    scales: View<S>,
    biases: View<S>,
    group: usize,
    y: View<f32>,
    sizes: [usize; 3],
}

impl<S: DenseWeight> Product<'_, S> {
    /// # Safety
    /// The rows are within the weight and nobody else's, and the room is the caller's own.
    unsafe fn panel(&self, rows: &Range<usize>, room: &Room) {
        let [m, k, n] = self.sizes;
        // SAFETY: the caller's promise; there is room for `m` rows of sums.
        unsafe {
            room.sums.write_bytes(0, m * ROWS);
            for column in (0..k).step_by(BLOCK) {
                self.block(rows, column..k.min(column + BLOCK), room);
            }
            for i in 0..m {
                room.sums.add(i * ROWS).copy_to_nonoverlapping(self.y.at(i * n + rows.start), rows.len());
            }
        }
    }

    /// Adds what some columns give. Where rows of weights are missing, the last one is there again.
    ///
    /// # Safety
    /// As [`panel`](Self::panel).
    unsafe fn block(&self, rows: &Range<usize>, columns: Range<usize>, room: &Room) {
        let [m, k, _] = self.sizes;
        let row = |i: usize| (rows.start + i).min(rows.end - 1);
        let (groups, groups_per_row) = (columns.len() / self.group, k / self.group);
        let first_group = columns.start / self.group;
        // SAFETY: rows and columns are within weights and activations, and a block fits into the room.
        unsafe {
            let packed = columns.start * self.bits / 32;
            let in_words =
                array::from_fn(|i| self.words.at(row(i) * self.words_per_row + packed).cast_const());
            let in_groups =
                |of: View<S>| array::from_fn(|i| of.at(row(i) * groups_per_row + first_group).cast_const());
            (self.columns)(&in_groups(self.scales), groups, room.scales);
            (self.columns)(&in_groups(self.biases), groups, room.biases);
            let words = Words {
                rows: &in_words,
                count: columns.len() / self.fields_per_word,
                ahead: ROWS * self.words_per_row * size_of::<u32>(),
            };
            let panel = Panel {
                pairs: room.pairs,
                scales: room.scales,
                biases: room.biases,
                groups,
                pairs_per_group: self.group / 2,
            };
            let activations = |first: usize| Activations {
                pairs: self.activations.pairs.as_ptr().add(first * (k / 2) + columns.start / 2),
                pairs_per_row: k / 2,
                units: self.activations.units.as_ptr().add(first * groups_per_row + first_group),
                sums: self.activations.sums.as_ptr().add(first * groups_per_row + first_group),
                groups_per_row,
            };
            if m <= FEW {
                (self.kernels.multiply_words)(&words, &panel, &activations(0), m, room.sums);
                return;
            }
            (self.kernels.unpack)(&words, room.pairs);
            for first in (0..m).step_by(AT_ONCE) {
                let sums = room.sums.add(first * ROWS);
                (self.kernels.multiply)(&panel, &activations(first), AT_ONCE.min(m - first), sums);
            }
        }
    }
}
