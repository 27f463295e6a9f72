//! Attention over a paged cache, and what goes into one.

use super::{Array, Expected, HALF_ULP};
use crate::{Attention, Cache};

/// The cache after a store. Bytes may be one off, where a driver divides otherwise: tests look at those themselves.
pub(super) fn stored(x: &Array, slots: &Array, cache: &Cache<Array>) -> Vec<Vec<Expected>> {
    let Cache::Dense(cache) = cache else { unreachable!("bytes are looked at by their own test") };
    let per_row = x.values.len() / slots.values.len();
    let rounded = Array::new(cache.dtype, x.shape.dims(), x.values.clone());
    let mut all = cache.values.clone();
    for (slot, row) in slots.values.iter().zip(rounded.values.chunks_exact(per_row)) {
        if let Some(place) = all.chunks_exact_mut(per_row).nth(*slot as usize) {
            place.copy_from_slice(row);
        }
    }
    vec![all.into_iter().map(Expected::exact).collect()]
}

/// All elements of a cache, by head of a row.
fn elements(cache: &Cache<Array>) -> Vec<f64> {
    match cache {
        Cache::Dense(rows) => rows.values.clone(),
        Cache::Bytes { words, scales } => {
            let quads = words.columns();
            let bytes = words.values.iter().enumerate().flat_map(|(i, word)| {
                let scale = scales.values[i / quads];
                (*word as u32).to_le_bytes().map(|byte| scale * f64::from(byte as i8))
            });
            bytes.collect()
        }
    }
}

pub(super) fn attended(of: &Attention<Array>) -> Vec<Expected> {
    let &[tokens, heads, head] = of.q.shape.dims() else { unreachable!("tests draw three dimensions") };
    let (keys, values) = (elements(&of.keys), elements(&of.values));
    let (Cache::Dense(rows) | Cache::Bytes { words: rows, .. }) = &of.keys;
    let [cache_rows, kv_heads] = [0, 1].map(|i| rows.shape.dims()[i] as usize);
    let (heads, head, page) = (heads as usize, head as usize, of.page as usize);
    let mut y = Vec::new();
    for (t, h) in (0..tokens as usize).flat_map(|t| (0..heads).map(move |h| (t, h))) {
        let (first, position) = (of.rows.values[2 * t] as usize, of.rows.values[2 * t + 1] as usize);
        let end = (position + 1).min(of.pages.values.len().saturating_sub(first) * page);
        let start = of.start(position as u32);
        let place = |j: usize| {
            let row = of.pages.values[first + j / page] as usize * page + j % page;
            (row < cache_rows).then_some((row * kv_heads + h / (heads / kv_heads)) * head)
        };
        let places: Vec<usize> = (start..end).filter_map(place).collect();
        let q = &of.q.values[(t * heads + h) * head..][..head];
        y.extend(one(q, &keys, &values, &places, f64::from(of.scale)));
    }
    y
}

/// One query, over the keys and values at some places.
fn one(q: &[f64], keys: &[f64], values: &[f64], places: &[usize], scale: f64) -> Vec<Expected> {
    let terms = |at: usize| q.iter().zip(&keys[at..]).map(|(q, k)| scale * q * k);
    let scores: Vec<f64> = places.iter().map(|&at| terms(at).sum()).collect();
    let reach = places.iter().map(|&at| terms(at).map(f64::abs).sum()).fold(0.0, f64::max);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    let (n, head) = (places.len() as f64, q.len() as f64);
    // A score errs by its sum's roundings, an exponential by a few more and as many as its exponent is large; both
    // enter a weight and the total. Values are summed in order.
    let half_ulps = 2.0 * (head / 4.0 + 32.0) * (1.0 + reach) + 2.0 * n + 32.0;
    let each = |d: usize| {
        let terms = || places.iter().zip(&weights).map(|(at, w)| w * values[at + d]);
        if places.is_empty() {
            return Expected::exact(0.0);
        }
        let magnitude: f64 = terms().map(f64::abs).sum::<f64>() / total;
        let value = terms().sum::<f64>() / total;
        Expected { value, tolerance: half_ulps * HALF_ULP * magnitude + 1e-30 }
    };
    (0..q.len()).map(each).collect()
}
