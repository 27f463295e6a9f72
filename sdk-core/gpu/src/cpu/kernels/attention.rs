//! Attention over a paged cache.
//!
//! Work is cut into tiles of tokens, heads of the cache and stretches of the context ([`plan`]). A token by itself
//! meets its rows where they lie, all heads that share them at once, at the speed of memory; tokens of one sequence
//! are multiplied together ([`worker`]). Stretches leave their sums, which are merged at the end.

mod found;
mod plan;
mod softening;
mod worker;

use std::sync::atomic::{AtomicUsize, Ordering};

use half::f16;

use self::{
    plan::{Plan, Span},
    worker::Worker,
};
use super::split::parts;
use crate::{
    Attention, Cache, DType, Result,
    cpu::{
        scratch::scratch,
        simd::{Level, attend::Kept, lanes, math, vectorised},
        team,
        view::View,
    },
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn attention(level: Level, of: &Attention<HostTensor>) -> Result<()> {
    // SAFETY: the types are the caches', which are of one kind.
    unsafe {
        match (&of.keys, &of.values) {
            (Cache::Dense(keys), Cache::Dense(values)) => match keys.dtype {
                DType::F16 => Problem::<f16>::new(of, Side::dense(keys), Side::dense(values)).solve(level),
                _ => Problem::<f32>::new(of, Side::dense(keys), Side::dense(values)).solve(level),
            },
            (Cache::Bytes { words, scales }, Cache::Bytes { words: values, scales: value_scales }) => {
                let (keys, values) = (Side::bytes(words, scales), Side::bytes(values, value_scales));
                Problem::<i8>::new(of, keys, values).solve(level)
            }
            // The front admits caches of one kind only.
            _ => Ok(()),
        }
    }
}

/// Keys or values.
struct Side<T> {
    elements: View<T>,
    /// By head of a row.
    scales: Option<View<f32>>,
    /// Rows of the cache, and heads of a row.
    dims: [usize; 2],
}

impl<T> Side<T> {
    fn dense(rows: &HostTensor) -> Self {
        Self { elements: rows.view(), scales: None, dims: [0, 1].map(|i| rows.shape.dims()[i] as usize) }
    }

    fn bytes(words: &HostTensor, scales: &HostTensor) -> Self {
        Self { scales: Some(scales.view()), ..Self::dense(words) }
    }
}

/// One call, with its sizes at hand.
struct Problem<T> {
    q: View<f32>,
    y: View<f32>,
    keys: Side<T>,
    values: Side<T>,
    pages: View<u32>,
    page: usize,
    /// What each token sees.
    spans: Vec<Span>,
    scale: f32,
    /// Heads of `q` that share a head of the cache, heads of the cache, and elements of a head.
    group: usize,
    kv_heads: usize,
    head: usize,
    cache_rows: usize,
}

impl<T: Kept> Problem<T> {
    /// # Safety
    /// The contract of [`super`].
    unsafe fn new(of: &Attention<HostTensor>, keys: Side<T>, values: Side<T>) -> Self {
        let tokens = of.rows.rows();
        let [cache_rows, kv_heads] = keys.dims;
        let (rows, page) = (of.rows.view::<u32>(), of.page as usize);
        let span = |token| {
            // SAFETY: there are two numbers for each token.
            let (first, position) = unsafe { (rows.at(2 * token).read(), rows.at(2 * token + 1).read()) };
            // No more than there are entries for.
            let entries = of.pages.len().saturating_sub(first as usize);
            let to = (position as usize + 1).min(entries.saturating_mul(page));
            Span { first: first as usize, start: of.start(position), to }
        };
        Self {
            q: of.q.view(),
            y: of.y.view(),
            keys,
            values,
            pages: of.pages.view(),
            page,
            spans: (0..tokens).map(span).collect(),
            scale: of.scale,
            group: of.q.rows() / tokens / kv_heads,
            kv_heads,
            head: of.q.columns(),
            cache_rows,
        }
    }

    /// # Safety
    /// The contract of [`super`].
    unsafe fn solve(&self, level: Level) -> Result<()> {
        let plan = Plan::new(&self.spans, self.group, self.kv_heads, team::threads());
        let bytes = 2 * self.head * size_of::<T>() * self.kv_heads * plan.meetings;
        let count = parts(plan.tasks.len(), bytes / plan.tasks.len().max(1)).min(team::threads());
        let worker = |_| Worker::new(plan.most_queries, self.head, plan.is_wide);
        let mut workers: Vec<Worker<T>> = (0..count).map(worker).collect::<Result<_>>()?;
        let mut partial = scratch::<f32>(plan.partial * (self.head + 2))?;
        let (workers, partial) = (View::of(&mut workers), View::of(&mut partial));
        let next = AtomicUsize::new(0);
        team::share(count, &|worker| {
            // SAFETY: each part has a worker of its own.
            let worker = unsafe { &mut *workers.at(worker) };
            while let Some(task) = plan.tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let tile = &plan.tiles[task.tile];
                // SAFETY: the task is one of this problem, and its results are its own.
                unsafe { worker.run(level, self, tile, task, partial) };
            }
        });
        for tile in plan.tiles.iter().filter(|tile| tile.stretches > 1) {
            let queries = tile.tokens.len() * self.group;
            for (kv, query) in (0..self.kv_heads).flat_map(|kv| (0..queries).map(move |query| (kv, query))) {
                let parts = (0..tile.stretches).map(|stretch| {
                    let slot = tile.partial + (stretch * self.kv_heads + kv) * queries + query;
                    // SAFETY: each task of the tile left its sums at its slots.
                    unsafe { partial.at(slot * (self.head + 2)).cast_const() }
                });
                // SAFETY: the query is one of the tile's, and nobody else is at work any more.
                unsafe { merge(level, parts, self.y.at(self.at(tile.tokens.start, kv, query)), self.head) };
            }
        }
        Ok(())
    }

    /// Where a query of a tile that begins with token `first` is in `q` and `y`.
    fn at(&self, first: usize, kv: usize, query: usize) -> usize {
        let token = first + query / self.group;
        ((token * self.kv_heads + kv) * self.group + query % self.group) * self.head
    }
}

/// The result of a query from those of its stretches, of which each is `head` sums, the highest score and the total.
///
/// # Safety
/// All parts have `head + 2` elements, and `y` room for `head`.
unsafe fn merge(level: Level, parts: impl Iterator<Item = *const f32> + Clone, y: *mut f32, head: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let highest = parts.clone().fold(f32::MIN, |most, part| part.add(head).read().max(most));
        let weight = |part: *const f32| math::exp(part.add(head).read() - highest);
        let total: f32 = parts.clone().map(|part| weight(part) * part.add(head + 1).read()).sum();
        let inverse = if total == 0.0 { 0.0 } else { 1.0 / total };
        y.write_bytes(0, head);
        for part in parts {
            add(level, part, weight(part) * inverse, y, head);
        }
    }
}

vectorised! {
    /// `y += factor * x`.
    unsafe fn add(x: *const f32, factor: f32, y: *mut f32, n: usize) {
        lanes::zip(x, y, y, n, |x, y| y + factor * x);
    }
}
