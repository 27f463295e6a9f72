//! Attention over a paged cache.

use super::Expected;

/// The operands, widened, and the sizes.
pub struct Attended<'a> {
    pub q: &'a [f32],
    /// `[rows, kv heads, head]`.
    pub keys: &'a [f64],
    pub values: &'a [f64],
    pub pages: &'a [u32],
    /// By token: where its table begins, its position.
    pub rows: &'a [u32],
    pub page: usize,
    pub scale: f32,
    pub window: Option<u32>,
    pub heads: usize,
    pub kv_heads: usize,
    pub head: usize,
}

impl Attended<'_> {
    /// Where the keys and values are that a token sees, for a head of its own; those that no table leads to are left out.
    fn places(&self, token: usize, h: usize) -> Vec<usize> {
        let (first, position) = (self.rows[2 * token] as usize, self.rows[2 * token + 1] as usize);
        let end = (position + 1).min(self.pages.len().saturating_sub(first) * self.page);
        let start = (position + 1).saturating_sub(self.window.map_or(usize::MAX, |window| window as usize));
        let per_row = self.kv_heads * self.head;
        let place = |j: usize| {
            let row = self.pages[first + j / self.page] as usize * self.page + j % self.page;
            let kv = h / (self.heads / self.kv_heads);
            (row < self.keys.len() / per_row).then_some(row * per_row + kv * self.head)
        };
        (start..end).filter_map(place).collect()
    }

    /// The result, and how many positions the token that sees most sees.
    ///
    /// The error of a score is enlarged by the exponential, so the magnitude grows with what scores are summed from.
    pub fn answer(&self) -> (Vec<Expected>, usize) {
        let (mut y, mut most) = (Vec::new(), 0);
        for (i, q) in self.q.chunks(self.head).enumerate() {
            let places = self.places(i / self.heads, i % self.heads);
            most = most.max(places.len());
            let terms = |at: usize| {
                q.iter().zip(&self.keys[at..]).map(|(&q, &k)| f64::from(self.scale) * f64::from(q) * k)
            };
            let scores: Vec<f64> = places.iter().map(|&at| terms(at).sum()).collect();
            let reach = places.iter().map(|&at| terms(at).map(f64::abs).sum()).fold(0.0, f64::max);
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
            let total: f64 = weights.iter().sum();
            y.extend((0..self.head).map(|d| {
                let terms = || places.iter().zip(&weights).map(|(at, w)| w * self.values[at + d] / total);
                Expected {
                    value: terms().sum(),
                    magnitude: terms().map(f64::abs).sum::<f64>() * (1.0 + reach),
                }
            }));
        }
        (y, most)
    }
}
