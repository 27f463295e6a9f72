//! One task: queries of a tile over a stretch of positions, a block at a time.
//!
//! Sums are kept moved to the highest score so far. A position that a query does not see adds nothing to it, not even
//! NaN.

use std::{mem, ops::Range};

use super::{
    Problem, Side,
    found::{Found, find},
    plan::{Span, Task, Tile},
    softening::{Softening, multiply},
};
use crate::{
    Result,
    cpu::{
        kernels::product,
        scratch::scratch,
        simd::{
            Level,
            attend::{self, Kept, Rows},
            vectorised,
        },
        view::View,
    },
};

/// Positions that one token meets together, a multiple of [`attend::STEP`]: what all heads have of them fits the
/// second-level cache, beside as many that are fetched ahead.
const NARROW: usize = 64;

/// Positions that several tokens meet together.
const WIDE: usize = 256;

/// Memory of one thread.
pub(super) struct Worker<T> {
    /// Queries, times the scale: by head of the cache, then by query.
    queries: Vec<f32>,
    /// Sums of values by weight, and what weights are made with, in the same order.
    sums: Vec<f32>,
    softenings: Vec<Softening>,
    /// Scores and then weights of a block for the queries of one head of the cache.
    scores: Vec<f32>,
    /// Rows of a block as f32.
    wide: Vec<f32>,
    /// Where the rows of this block and of the next lie.
    rows: Vec<*const T>,
    ahead: Vec<*const T>,
}

impl<T: Kept> Worker<T> {
    /// For tasks of so many queries, over all of their heads; `is_wide` if some are of several tokens.
    pub(super) fn new(queries: usize, head: usize, is_wide: bool) -> Result<Self> {
        let block = if is_wide { WIDE } else { NARROW };
        Ok(Self {
            queries: scratch(queries * head)?,
            sums: scratch(queries * head)?,
            softenings: vec![Softening::NONE; queries],
            scores: scratch(queries * block)?,
            wide: scratch(if is_wide { WIDE * head } else { 0 })?,
            rows: Vec::with_capacity(NARROW),
            ahead: Vec::with_capacity(NARROW),
        })
    }

    /// Carries out a task and leaves its results in `y`, or in `partial` where there are more stretches.
    ///
    /// # Safety
    /// The contract of [`super::super`]; the task is one of the problem's, and this worker was made for its tiles.
    pub(super) unsafe fn run(
        &mut self,
        level: Level,
        problem: &Problem<T>,
        tile: &Tile,
        task: &Task,
        partial: View<f32>,
    ) {
        let spans = &problem.spans[tile.tokens.clone()];
        let count = spans.len() * problem.group;
        // SAFETY: the caller's promise.
        unsafe { self.begin(problem, tile, task, count) };
        let is_narrow = spans.len() == 1;
        let most = if is_narrow { NARROW } else { WIDE };
        let mut left = tile.stretch(task.stretch);
        let (mut block, mut next) = (Vec::with_capacity(most), Vec::with_capacity(most));
        // SAFETY: tiles have no positions beyond their table.
        unsafe { find(problem, spans[0].first, &mut left, most, &mut block) };
        while !block.is_empty() {
            // SAFETY: as above.
            unsafe { find(problem, spans[0].first, &mut left, most, &mut next) };
            for (at, kv) in task.heads.clone().enumerate() {
                // SAFETY: the rows that were found are within the cache.
                unsafe {
                    if is_narrow {
                        self.narrow(level, problem, kv, at * count, [&block, &next]);
                    } else {
                        self.together(level, problem, kv, spans, &block);
                    }
                }
            }
            mem::swap(&mut block, &mut next);
        }
        // SAFETY: the caller's promise.
        unsafe { self.finish(level, problem, tile, task, count, partial) };
    }

    /// Takes the queries in, and forgets what was before.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn begin(&mut self, problem: &Problem<T>, tile: &Tile, task: &Task, count: usize) {
        let head = problem.head;
        let queries = task.heads.clone().flat_map(|kv| (0..count).map(move |query| (kv, query)));
        for ((kv, query), to) in queries.zip(self.queries.chunks_exact_mut(head)) {
            // SAFETY: the query is one of the tile's, and has `head` elements.
            let from = unsafe { problem.q.at(problem.at(tile.tokens.start, kv, query)) };
            for (i, to) in to.iter_mut().enumerate() {
                // SAFETY: as above.
                *to = problem.scale * unsafe { from.add(i).read() };
            }
        }
        let all = task.heads.len() * count;
        self.sums[..all * head].fill(0.0);
        self.softenings[..all].fill(Softening::NONE);
    }

    /// Leaves the results.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn finish(
        &mut self,
        level: Level,
        problem: &Problem<T>,
        tile: &Tile,
        task: &Task,
        count: usize,
        partial: View<f32>,
    ) {
        let head = problem.head;
        let queries = task.heads.clone().flat_map(|kv| (0..count).map(move |query| (kv, query)));
        let results = self.sums.chunks_exact_mut(head).zip(&self.softenings);
        for ((kv, query), (sums, &Softening { highest, total })) in queries.zip(results) {
            // SAFETY: the query's place in `y`, or the stretch's in `partial`, is this task's alone.
            unsafe {
                if tile.stretches == 1 {
                    // A query that sees nothing gives zeros.
                    multiply(level, sums, if total == 0.0 { 0.0 } else { 1.0 / total });
                    let y = problem.y.at(problem.at(tile.tokens.start, kv, query));
                    y.copy_from_nonoverlapping(sums.as_ptr(), head);
                } else {
                    let slot = tile.partial + (task.stretch * problem.kv_heads + kv) * count + query;
                    let to = partial.at(slot * (head + 2));
                    to.copy_from_nonoverlapping(sums.as_ptr(), head);
                    to.add(head).write(highest);
                    to.add(head + 1).write(total);
                }
            }
        }
    }

    /// A block for the queries of one token, which all see all of it; they begin with number `first`. The block that
    /// comes after it is fetched meanwhile.
    ///
    /// # Safety
    /// The rows that were found are within the cache.
    unsafe fn narrow(
        &mut self,
        level: Level,
        problem: &Problem<T>,
        kv: usize,
        first: usize,
        [block, next]: [&[Found]; 2],
    ) {
        let head = problem.head;
        // SAFETY: rows are within the cache; there are queries, scores and sums for all heads of the group.
        unsafe {
            self.locate(problem, &problem.keys, kv, block, next);
            for part in parts(problem.group) {
                let score = attend::loops::<T>(level, part.len()).score;
                let q = self.queries.as_ptr().add((first + part.start) * head);
                let scores = self.scores.as_mut_ptr().add(part.start * NARROW);
                let rows = Rows { rows: &self.rows, ahead: &self.ahead };
                score(q, head, rows, scores, NARROW);
            }
            for query in 0..problem.group {
                let scores = &mut self.scores[query * NARROW..][..block.len()];
                let sums = &mut self.sums[(first + query) * head..][..head];
                scale(problem, &problem.keys, kv, block, scores);
                self.softenings[first + query].add(level, scores, 0..block.len(), sums);
                scale(problem, &problem.values, kv, block, scores);
            }
            self.locate(problem, &problem.values, kv, block, next);
            for part in parts(problem.group) {
                let weigh = attend::loops::<T>(level, part.len()).weigh;
                let weights = self.scores.as_ptr().add(part.start * NARROW);
                let sums = self.sums.as_mut_ptr().add((first + part.start) * head);
                let rows = Rows { rows: &self.rows[..block.len()], ahead: &self.ahead };
                weigh(weights, NARROW, rows, sums, head);
            }
        }
    }

    /// Notes where the rows of a block and of the next lie.
    ///
    /// # Safety
    /// The rows that were found are within the cache.
    unsafe fn locate(
        &mut self,
        problem: &Problem<T>,
        side: &Side<T>,
        kv: usize,
        block: &[Found],
        next: &[Found],
    ) {
        for (to, found) in [(&mut self.rows, block), (&mut self.ahead, next)] {
            to.clear();
            to.extend(found.iter().map(|found| {
                let at = (found.row * problem.kv_heads + kv) * problem.head;
                // SAFETY: the caller's promise.
                unsafe { side.elements.at(at) }.cast_const()
            }));
        }
        // The last is met again until there are as many as loops take.
        if let Some(&last) = self.rows.last() {
            self.rows.resize(block.len().next_multiple_of(attend::STEP), last);
        }
    }

    /// A block for the queries of several tokens, of which each sees a part of it.
    ///
    /// # Safety
    /// The rows that were found are within the cache.
    unsafe fn together(
        &mut self,
        level: Level,
        problem: &Problem<T>,
        kv: usize,
        spans: &[Span],
        block: &[Found],
    ) {
        let (head, n, count) = (problem.head, block.len(), spans.len() * problem.group);
        // SAFETY: there is room for a block of rows and for scores of all queries.
        unsafe {
            self.widen(level, problem, &problem.keys, kv, block);
            let (rows, q, scores) = (self.wide.as_ptr(), self.queries.as_ptr(), self.scores.as_mut_ptr());
            // Scores are `[queries, WIDE]`: the transpose of rows times queries.
            product::columns([n, count, head], (scores, WIDE), (rows, [1, head]), (q, head), false);
            for query in 0..count {
                let scores = &mut self.scores[query * WIDE..][..n];
                let sums = &mut self.sums[query * head..][..head];
                let visible = visible(&spans[query / problem.group], block);
                self.softenings[query].add(level, scores, visible, sums);
            }
            self.widen(level, problem, &problem.values, kv, block);
            let (rows, weights, sums) = (self.wide.as_ptr(), self.scores.as_ptr(), self.sums.as_mut_ptr());
            if all_finite(level, rows, n * head) {
                product::columns([head, count, n], (sums, head), (rows, [head, 1]), (weights, WIDE), true);
                return;
            }
            // What a query does not see has no weight, but zero times infinity is not zero.
            let rows: Vec<*const f32> = (0..n).map(|i| rows.add(i * head)).collect();
            let weigh = attend::loops::<f32>(level, 1).weigh;
            for query in 0..count {
                let visible = visible(&spans[query / problem.group], block);
                let weights = weights.add(query * WIDE + visible.start);
                let rows = Rows { rows: &rows[visible], ahead: &[] };
                weigh(weights, WIDE, rows, sums.add(query * head), head);
            }
        }
    }

    /// Makes rows of a block f32.
    ///
    /// # Safety
    /// The rows that were found are within the cache, and a block fits.
    unsafe fn widen(
        &mut self,
        level: Level,
        problem: &Problem<T>,
        side: &Side<T>,
        kv: usize,
        block: &[Found],
    ) {
        for (found, to) in block.iter().zip(self.wide.chunks_exact_mut(problem.head)) {
            let at = found.row * problem.kv_heads + kv;
            // SAFETY: the caller's promise.
            unsafe {
                T::to_f32(level, side.elements.at(at * problem.head), to.as_mut_ptr(), problem.head);
                if let Some(scales) = side.scales {
                    multiply(level, to, scales.at(at).read());
                }
            }
        }
    }
}

/// Multiplies scores or weights by the scales of their rows, if rows have any.
///
/// # Safety
/// The rows that were found are within the cache.
unsafe fn scale<T>(problem: &Problem<T>, side: &Side<T>, kv: usize, block: &[Found], numbers: &mut [f32]) {
    let Some(scales) = side.scales else { return };
    for (number, found) in numbers.iter_mut().zip(block) {
        // SAFETY: the caller's promise.
        *number *= unsafe { scales.at(found.row * problem.kv_heads + kv).read() };
    }
}

/// Which rows of a block a token sees.
fn visible(span: &Span, block: &[Found]) -> Range<usize> {
    let start = block.partition_point(|found| found.position < span.start);
    start..block.partition_point(|found| found.position < span.to).max(start)
}

/// The heads of a group in parts that the loops take.
fn parts(group: usize) -> impl Iterator<Item = Range<usize>> {
    (0..group).step_by(attend::MOST).map(move |start| start..group.min(start + attend::MOST))
}

vectorised! {
    /// Whether there is neither infinity nor NaN among the numbers.
    unsafe fn all_finite(x: *const f32, n: usize) -> bool {
        let x = std::slice::from_raw_parts(x, n);
        x.iter().fold(0, |most, x| (x.to_bits() & 0x7FFF_FFFF).max(most)) < 0x7F80_0000
    }
}
