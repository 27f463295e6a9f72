//! Attention over a paged cache, at every level against the reference.

use super::{
    harness::{Data, at_every_level, run},
    reference::{Random, attention::Attended, compare},
    store::Bytes,
};
use crate::{
    Attention, Cache, DType,
    cpu::simd::Level,
    op::{HostTensor, Op},
};

/// Sizes of a case.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    heads: usize,
    kv_heads: usize,
    head: usize,
    page: usize,
    cache_pages: usize,
}

/// Operands of a case; the caches as floats, which each kind of cache rounds.
#[derive(Clone, Debug)]
struct Case {
    sizes: Sizes,
    q: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    pages: Vec<u32>,
    rows: Vec<u32>,
    window: Option<u32>,
}

/// A cache of one kind, filled.
enum Filled {
    Dense(Data),
    Bytes(Bytes),
}

#[derive(Clone, Copy, Debug)]
enum Kept {
    Dense(DType),
    Bytes,
}

const KEPT: [Kept; 3] = [Kept::Dense(DType::F32), Kept::Dense(DType::F16), Kept::Bytes];

impl Filled {
    fn new(kept: Kept, values: &[f32], Sizes { kv_heads, head, .. }: Sizes) -> Self {
        let rows = values.len() / kv_heads / head;
        match kept {
            Kept::Dense(dtype) => Self::Dense(Data::of(dtype, values)),
            Kept::Bytes => {
                let mut bytes = Bytes::new(rows, kv_heads, head);
                run(
                    Level::best(),
                    &Op::Store {
                        x: Data::F32(values.to_vec()).tensor(&[rows, kv_heads, head]),
                        slots: Data::U32((0..rows as u32).collect()).tensor(&[rows]),
                        cache: bytes.cache(),
                    },
                );
                Self::Bytes(bytes)
            }
        }
    }

    fn cache(&mut self, Sizes { kv_heads, head, .. }: Sizes) -> Cache<HostTensor> {
        match self {
            Self::Dense(data) => {
                let rows = data.values().len() / kv_heads / head;
                Cache::Dense(data.tensor(&[rows, kv_heads, head]))
            }
            Self::Bytes(bytes) => bytes.cache(),
        }
    }

    fn elements(&self) -> Vec<f64> {
        match self {
            Self::Dense(data) => data.exact(),
            Self::Bytes(bytes) => bytes.elements(),
        }
    }
}

impl Case {
    /// Tokens are `(table, position)`; each table begins at one of `pages`.
    fn new(random: &mut Random, sizes: Sizes, pages: Vec<u32>, tokens: &[(u32, u32)]) -> Self {
        let cache = sizes.cache_pages * sizes.page * sizes.kv_heads * sizes.head;
        Self {
            sizes,
            q: random.floats(tokens.len() * sizes.heads * sizes.head),
            keys: random.floats(cache),
            values: random.floats(cache),
            pages,
            rows: tokens.iter().flat_map(|&(first, position)| [first, position]).collect(),
            window: None,
        }
    }

    fn scale(&self) -> f32 {
        2.0 / (self.sizes.head as f32).sqrt()
    }

    fn compute(&self, level: Level, kept: Kept, y: &mut Data) {
        let Sizes { heads, head, .. } = self.sizes;
        let tokens = self.rows.len() / 2;
        let [mut keys, mut values] = [&self.keys, &self.values].map(|v| Filled::new(kept, v, self.sizes));
        let mut q = Data::F32(self.q.clone());
        let [mut pages, mut rows] = [&self.pages, &self.rows].map(|words| Data::U32(words.clone()));
        let of = Attention {
            q: q.tensor(&[tokens, heads, head]),
            keys: keys.cache(self.sizes),
            values: values.cache(self.sizes),
            pages: pages.tensor(&[self.pages.len()]),
            rows: rows.tensor(&[tokens, 2]),
            page: self.sizes.page as u32,
            scale: self.scale(),
            window: self.window,
            y: y.tensor(&[tokens, heads, head]),
        };
        run(level, &Op::Attention { of: Box::new(of), partial: None });
    }

    /// Compares every level with the reference, and returns the results.
    fn check(&self, kept: Kept) -> Vec<(Level, Vec<f32>)> {
        let Sizes { heads, kv_heads, head, page, .. } = self.sizes;
        let [keys, values] = [&self.keys, &self.values].map(|v| Filled::new(kept, v, self.sizes).elements());
        let attended = Attended {
            q: &self.q,
            keys: &keys,
            values: &values,
            pages: &self.pages,
            rows: &self.rows,
            page,
            scale: self.scale(),
            window: self.window,
            heads,
            kv_heads,
            head,
        };
        let (expected, most) = attended.answer();
        let results = at_every_level(self.q.len(), |level, y| self.compute(level, kept, y));
        for (level, got) in &results {
            println!("{:?} {:?} of {kept:?} at {level:?}", self.sizes, self.window);
            compare("attention", head + most, &expected, got, |_| 0.0);
        }
        results
    }
}

/// `0..n`, shuffled.
fn shuffled(random: &mut Random, n: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        all.swap(i, random.within(0, i));
    }
    all
}

#[test]
fn kernel_attention_keeps_its_bound_for_every_kind_of_cache_head_and_group() {
    let mut random = Random::new();
    for head in [4, 12, 20, 64, 80, 96, 128, 256, 512] {
        for kept in KEPT {
            let (group, kv_heads) = (random.choose(&[1, 2, 3, 4, 5, 8]), random.within(1, 3));
            let (page, cache_pages) = (random.choose(&[1, 5, 16]), 11);
            let sizes = Sizes { heads: group * kv_heads, kv_heads, head, page, cache_pages };
            let pages = shuffled(&mut random, cache_pages);
            // Decoding of three sequences.
            let last = (4 * page - 1) as u32;
            let tokens = [(0, last), (4, 0), (7, random.within(0, 4 * page - 1) as u32)];
            let mut case = Case::new(&mut random, sizes, pages, &tokens);
            case.window = random.choose(&[None, Some(1), Some(7)]);
            case.check(kept);
        }
    }
}

#[test]
fn kernel_attention_of_a_prompt_keeps_its_bound_with_and_without_windows() {
    let mut random = Random::new();
    for kept in KEPT {
        for window in [None, Some(1), Some(20), Some(1000)] {
            let sizes = Sizes { heads: 6, kv_heads: 2, head: 20, page: 16, cache_pages: 24 };
            let pages = shuffled(&mut random, 24);
            // A chunk that begins in the middle of another sequence's decoding, across blocks of positions.
            let mut tokens: Vec<(u32, u32)> = (250..300).map(|position| (0, position)).collect();
            tokens.insert(0, (20, 30));
            let mut case = Case::new(&mut random, sizes, pages, &tokens);
            case.window = window;
            case.check(kept);
        }
    }
}

#[test]
fn kernel_attention_over_a_long_context_in_shuffled_pages_is_cut_and_merged() {
    let mut random = Random::new();
    for kept in KEPT {
        let sizes = Sizes { heads: 4, kv_heads: 1, head: 8, page: 16, cache_pages: 400 };
        let pages = shuffled(&mut random, 400);
        let mut case = Case::new(&mut random, sizes, pages, &[(0, 6000), (100, 10)]);
        case.check(kept);
        case.window = Some(5000);
        case.check(kept);
    }
}

#[test]
fn kernel_attention_of_a_prompt_is_what_decoding_gives_step_by_step() {
    let mut random = Random::new();
    let sizes = Sizes { heads: 8, kv_heads: 2, head: 64, page: 16, cache_pages: 8 };
    let pages = shuffled(&mut random, 8);
    let tokens: Vec<(u32, u32)> = (0..100).map(|position| (0, position)).collect();
    let mut prompt = Case::new(&mut random, sizes, pages, &tokens);
    prompt.window = Some(60);
    for (level, together) in prompt.check(KEPT[1]) {
        let per_token = 8 * 64;
        for (token, expected) in together.chunks(per_token).enumerate() {
            let mut step = prompt.clone();
            step.q = prompt.q[token * per_token..][..per_token].to_vec();
            step.rows = prompt.rows[2 * token..][..2].to_vec();
            let mut y = Data::zeros(per_token);
            step.compute(level, KEPT[1], &mut y);
            for (a, b) in y.values().iter().zip(expected) {
                assert!((a - b).abs() < 2e-6, "token {token}: {a} alone, {b} together, at {level:?}");
            }
        }
    }
}

#[test]
fn kernel_attention_at_the_borders_of_pages_sees_what_it_should() {
    let mut random = Random::new();
    let sizes = Sizes { heads: 2, kv_heads: 1, head: 4, page: 8, cache_pages: 5 };
    let positions = [0, 7, 8, 9, 15, 16, 39];
    let tokens = positions.map(|position| (0, position));
    for window in [None, Some(1), Some(8), Some(9)] {
        let pages = shuffled(&mut random, 5);
        let mut case = Case::new(&mut random, sizes, pages, &tokens);
        case.window = window;
        case.check(KEPT[0]);
    }
    // With a window of one, a token gets its own value.
    let mut case = Case::new(&mut random, sizes, vec![3, 1, 4, 0, 2], &tokens);
    case.window = Some(1);
    for (_, got) in case.check(KEPT[0]) {
        for (token, position) in positions.into_iter().enumerate() {
            let row = case.pages[position as usize / 8] as usize * 8 + position as usize % 8;
            assert_eq!(got[token * 8..][..4], case.values[row * 4..][..4]);
        }
    }
}

#[test]
fn kernel_attention_of_sequences_that_share_a_prefix_is_that_of_each_by_itself() {
    let mut random = Random::new();
    let sizes = Sizes { heads: 4, kv_heads: 2, head: 16, page: 4, cache_pages: 9 };
    // Two tables with pages 6 and 2 in common, and the first one again with copies of these as pages 7 and 8.
    let mut case =
        Case::new(&mut random, sizes, vec![6, 2, 0, 6, 2, 5, 7, 8, 0], &[(0, 10), (3, 9), (6, 10)]);
    let page = 4 * 2 * 16;
    for cache in [&mut case.keys, &mut case.values] {
        cache.copy_within(6 * page..7 * page, 7 * page);
        cache.copy_within(2 * page..3 * page, 8 * page);
    }
    let token = 4 * 16;
    case.q.copy_within(..token, 2 * token);
    for kept in KEPT {
        for (level, got) in case.check(kept) {
            assert_eq!(got[..token], got[2 * token..], "{kept:?} at {level:?}");
        }
    }
}

#[test]
fn kernel_attention_never_leaves_the_cache_whatever_tables_and_tokens_say() {
    let mut random = Random::new();
    let sizes = Sizes { heads: 2, kv_heads: 1, head: 12, page: 4, cache_pages: 3 };
    let pages = vec![1, u32::MAX, 2, 3, 1 << 30, 0];
    let wild = [(0, u32::MAX), (5, 3), (6, 0), (u32::MAX, u32::MAX), (4, 0), (3, 2), (0, 23)];
    for kept in KEPT {
        let case = Case::new(&mut random, sizes, pages.clone(), &wild);
        for (level, got) in case.check(kept) {
            let zeros: Vec<bool> = got.chunks(24).map(|token| token.iter().all(|y| *y == 0.0)).collect();
            assert_eq!(zeros, [false, false, true, true, true, true, false], "{level:?}");
        }
        // The same as a prompt.
        let prompt: Vec<(u32, u32)> = (0..40).map(|i| (0, i * 107_374_182)).collect();
        Case::new(&mut random, sizes, pages.clone(), &prompt).check(kept);
    }
}

#[test]
fn kernel_attention_is_not_moved_by_what_a_token_does_not_see() {
    let mut random = Random::new();
    let sizes = Sizes { heads: 4, kv_heads: 1, head: 8, page: 4, cache_pages: 6 };
    let tokens: Vec<(u32, u32)> = (0..20).map(|position| (0, position)).collect();
    for bad in [f32::NAN, f32::INFINITY] {
        let mut case = Case::new(&mut random, sizes, vec![0, 1, 2, 3, 4], &tokens);
        case.window = Some(5);
        case.keys[9 * 8..10 * 8].fill(bad);
        case.values[9 * 8..10 * 8].fill(bad);
        for kept in KEPT {
            for (level, got) in at_every_level(case.q.len(), |level, y| case.compute(level, kept, y)) {
                for (token, y) in got.chunks(4 * 8).enumerate() {
                    let sees = (9..14).contains(&token);
                    assert!(
                        sees || y.iter().all(|y| y.is_finite()),
                        "token {token} of {kept:?} at {level:?}"
                    );
                    assert!(
                        !sees || y.iter().any(|y| !y.is_finite()),
                        "token {token} of {kept:?} at {level:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn kernel_attention_with_scores_beyond_the_exponential_does_not_overflow() {
    let mut random = Random::new();
    let sizes = Sizes { heads: 2, kv_heads: 1, head: 4, page: 16, cache_pages: 40 };
    let mut case = Case::new(&mut random, sizes, (0..40).collect(), &[(0, 600), (0, 601)]);
    case.q.iter_mut().for_each(|q| *q *= 1e15);
    case.keys.iter_mut().for_each(|k| *k *= 1e15);
    for (level, got) in at_every_level(case.q.len(), |level, y| case.compute(level, KEPT[0], y)) {
        // All weight is on one position, or on a few.
        assert!(got.iter().all(|y| y.abs() <= 1.0), "{level:?}: {got:?}");
    }
}

/// A byte moves a key or a value by half a scale: scores by that times `Σ |q|`, weights by the exponential of twice
/// that, and the result by as much of the largest value, and by half a scale of its own.
#[test]
fn kernel_attention_over_bytes_is_within_its_bound_of_exact_keys_and_values() {
    let mut random = Random::new();
    let sizes = Sizes { heads: 4, kv_heads: 2, head: 64, page: 16, cache_pages: 20 };
    let pages = shuffled(&mut random, 20);
    let case = Case::new(&mut random, sizes, pages, &[(0, 300)]);
    let exact = at_every_level(case.q.len(), |level, y| case.compute(level, KEPT[0], y));
    let bytes = at_every_level(case.q.len(), |level, y| case.compute(level, KEPT[2], y));
    let most = |values: &[f32]| values.iter().fold(0.0, |most: f32, v| most.max(v.abs()));
    for (i, q) in case.q.chunks(64).enumerate() {
        let total: f32 = q.iter().map(|q| q.abs()).sum();
        let moved = case.scale() * total * most(&case.keys) / 254.0;
        let allowed = ((2.0 * moved).exp() - 1.0) * most(&case.values) + most(&case.values) / 254.0;
        let worst = exact[0].1[i * 64..][..64].iter().zip(&bytes[0].1[i * 64..]).map(|(a, b)| (a - b).abs());
        let worst = worst.fold(0.0, f32::max);
        assert!(worst <= allowed, "head {i} moved by {worst}, {allowed} is allowed");
        // The bound is the worst case; errors of many positions cancel.
        assert!(worst < 0.01, "head {i} moved by {worst}");
    }
}
