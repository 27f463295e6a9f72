//! Attention over a paged cache, and what goes into one.

use super::Value;
use crate::{Attention, Cache};

/// The cache after a store: its words and scales, or its elements.
pub(super) fn stored(x: &Value, slots: &Value, cache: &Cache<Value>) -> Vec<Vec<f64>> {
    let x_numbers = x.numbers();
    let per_row = x_numbers.len() / slots.shape.elements() as usize;
    let head = x.shape.columns() as usize;
    let rows = x_numbers.chunks(per_row).enumerate().map(|(i, row)| (slots.word(i) as usize, row));
    match cache {
        Cache::Dense(cache) => {
            let mut all = cache.numbers();
            for (slot, row) in rows {
                if let Some(place) = all.chunks_mut(per_row).nth(slot) {
                    place.copy_from_slice(row);
                }
            }
            vec![all]
        }
        Cache::Bytes { words, scales } => {
            let (mut all, mut all_scales) = (words.numbers(), scales.numbers());
            for (slot, row) in rows {
                for (h, part) in row.chunks(head).enumerate() {
                    let at = slot * (per_row / head) + h;
                    let largest = part.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
                    let (Some(scale), Some(place)) =
                        (all_scales.get_mut(at), all.chunks_mut(head / 4).nth(at))
                    else {
                        continue;
                    };
                    *scale = largest / 127.0;
                    let byte = |v: &f64| u64::from((v / largest * 127.0).round() as i8 as u8);
                    for (word, quad) in place.iter_mut().zip(part.chunks(4)) {
                        let bytes = quad.iter().enumerate().map(|(i, v)| byte(v) << (8 * i));
                        *word = bytes.sum::<u64>() as f64;
                    }
                }
            }
            vec![all, all_scales]
        }
    }
}

/// The result for every head of every token.
pub(super) fn attended(of: &Attention<Value>) -> Vec<f64> {
    let (&[tokens, heads, head], [rows, kv_heads]) = (of.q.shape.dims(), dims(&of.keys)) else {
        return Vec::new();
    };
    let (tokens, heads, head) = (tokens as usize, heads as usize, head as usize);
    let mut y = Vec::with_capacity(tokens * heads * head);
    for (token, h) in (0..tokens).flat_map(|token| (0..heads).map(move |h| (token, h))) {
        let (first, position) = (of.rows.word(2 * token) as usize, of.rows.word(2 * token + 1) as usize);
        let start = of.start(position as u32);
        let page = of.page as usize;
        // Where the positions are that can be found at all.
        let known = (start..=position).filter_map(|j| {
            let entry = Some(first + j / page).filter(|&at| at < of.pages.shape.elements() as usize)?;
            let row = of.pages.word(entry) as usize * page + j % page;
            (row < rows).then_some(row * kv_heads + h / (heads / kv_heads))
        });
        let known: Vec<usize> = known.collect();
        let q = (token * heads + h) * head;
        let score = |at: &usize| {
            let terms = (0..head).map(|d| of.q.number(q + d) * number(&of.keys, *at, d, head));
            f64::from(of.scale) * terms.sum::<f64>()
        };
        let scores: Vec<f64> = known.iter().map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        for d in 0..head {
            let terms = known.iter().zip(&weights).map(|(at, w)| w * number(&of.values, *at, d, head));
            y.push(if known.is_empty() { 0.0 } else { terms.sum::<f64>() / total });
        }
    }
    y
}

/// Rows of a cache, and heads of a row.
fn dims(cache: &Cache<Value>) -> [usize; 2] {
    let (Cache::Dense(first) | Cache::Bytes { words: first, .. }) = cache;
    match first.shape.dims() {
        &[rows, heads, _] => [rows as usize, heads as usize],
        _ => [0, 1],
    }
}

/// Element `d` of a head of the cache; heads are counted through all rows.
fn number(cache: &Cache<Value>, at: usize, d: usize, head: usize) -> f64 {
    match cache {
        Cache::Dense(rows) => rows.number(at * head + d),
        Cache::Bytes { words, scales } => {
            let byte = words.word((at * head + d) / 4).to_le_bytes()[d % 4];
            f64::from(byte as i8) * scales.number(at)
        }
    }
}
