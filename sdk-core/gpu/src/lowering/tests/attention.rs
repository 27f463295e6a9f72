//! Attention and stores: every kernel against f64 on lavapipe, and splitting on paper.

use super::{
    super::{kernels_of, lower},
    array::Array,
    lawful::{assert_tiles, dispatches},
    paper::{FLOOR, profile, tensor},
    random::Random,
    rig::Rig,
};
use crate::{Attention, Cache, DType, DeviceKind, ErrorKind, Limits, Tensor, op::Op};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kept {
    Dense(DType),
    Bytes,
}

const KEPT: [Kept; 3] = [Kept::Dense(DType::F32), Kept::Dense(DType::F16), Kept::Bytes];

impl Kept {
    /// A cache over operands that `make` makes from a type and dimensions.
    fn cache<T>(self, [rows, heads, head]: [u32; 3], mut make: impl FnMut(DType, &[u32]) -> T) -> Cache<T> {
        match self {
            Self::Dense(dtype) => Cache::Dense(make(dtype, &[rows, heads, head])),
            Self::Bytes => Cache::Bytes {
                words: make(DType::U32, &[rows, heads, head / 4]),
                scales: make(DType::F32, &[rows, heads]),
            },
        }
    }
}

/// An operation's shape.
#[derive(Clone, Copy, Debug)]
struct Draw {
    kept: Kept,
    tokens: u32,
    group: u32,
    kv_heads: u32,
    head: u32,
    page: u32,
    cache_pages: u32,
    entries: u32,
    window: Option<u32>,
    stretches: Option<u32>,
}

impl Draw {
    fn new(kept: Kept, random: &mut Random) -> Self {
        let (few, many) = (random.between(1, 5), random.between(16, 20));
        let (odd, known) = (4 * random.between(1, 30), random.one_of(&[64, 80, 96, 128, 256, 512]));
        let window = random.between(1, 40);
        let stretches = random.between(2, 5);
        Self {
            kept,
            tokens: random.one_of(&[few, many]),
            group: random.one_of(&[1, 2, 3, 4, 7]),
            kv_heads: random.between(1, 3),
            head: random.one_of(&[odd, known]),
            page: random.one_of(&[1, 3, 8, 16]),
            cache_pages: random.between(1, 12),
            entries: random.between(1, 14),
            window: random.one_of(&[None, Some(window)]),
            stretches: random.one_of(&[None, Some(stretches)]),
        }
    }

    /// The operation over operands that `make` makes from a type and dimensions; tables and tokens are given apart.
    fn op<T>(self, pages: T, rows: T, mut make: impl FnMut(DType, &[u32]) -> T) -> Op<T> {
        let heads = self.group * self.kv_heads;
        let dims = [self.tokens, heads, self.head];
        let cache = [self.cache_pages * self.page, self.kv_heads, self.head];
        let q = make(DType::F32, &dims);
        let (keys, values) = (self.kept.cache(cache, &mut make), self.kept.cache(cache, &mut make));
        let y = make(DType::F32, &dims);
        let partial =
            self.stretches.map(|count| make(DType::F32, &[self.tokens, heads, count, self.head + 2]));
        let scale = 1.0 / (self.head as f32).sqrt();
        let (page, window) = (self.page, self.window);
        let of = Attention { q, keys, values, pages, rows, page, scale, window, y };
        Op::Attention { of: Box::new(of), partial }
    }

    /// Tables whose entries are now and then beyond the cache; tokens of one sequence or of many, now and then beyond
    /// all tables.
    fn on_the_host(self, random: &mut Random) -> Op<Array> {
        let wild = |random: &mut Random, usual: u32| {
            let wild = random.one_of(&[usual + 1, 1 << 20, u32::MAX]);
            if random.next().is_multiple_of(16) { wild } else { random.between(0, usual) }
        };
        let pages = (0..self.entries).map(|_| f64::from(wild(random, self.cache_pages - 1))).collect();
        let alone = random.one_of(&[true, false]);
        let mut first = random.between(0, self.entries - 1);
        let places = (0..self.tokens).flat_map(|_| {
            if !alone {
                first = wild(random, self.entries - 1);
            }
            [first, wild(random, self.entries * self.page)].map(f64::from)
        });
        let places: Vec<f64> = places.collect();
        let pages = Array::new(DType::U32, &[self.entries], pages);
        let rows = Array::new(DType::U32, &[self.tokens, 2], places);
        self.op(pages, rows, |dtype, dims| filled(dtype, dims, random))
    }

    fn on_paper(self, random: &mut Random) -> Op<Tensor> {
        let mut make = |dtype, dims: &[u32]| tensor(4 * u64::from(random.between(0, 30)), dtype, dims);
        let (pages, rows) = (make(DType::U32, &[self.entries]), make(DType::U32, &[self.tokens, 2]));
        self.op(pages, rows, make)
    }
}

/// Numbers around 1; bytes of all kinds. Scales are recognised by their two dimensions, and are small.
fn filled(dtype: DType, dims: &[u32], random: &mut Random) -> Array {
    let each = |_| match dtype {
        DType::U32 => f64::from(random.next() as u32),
        _ if dims.len() == 2 => (1.5 + random.unit()) / 127.0,
        _ => 2.0 * random.unit(),
    };
    Array::new(dtype, dims, (0..dims.iter().product::<u32>()).map(each).collect())
}

fn check(rig: &Rig, times: u32) {
    let random = &mut Random::seeded();
    for _ in 0..times {
        for kept in KEPT {
            let draw = Draw::new(kept, random);
            println!("{draw:?}");
            rig.check(&draw.on_the_host(random), random);
        }
    }
}

#[test]
fn attention_agrees_with_f64_whatever_the_tables_say() {
    check(&Rig::open(), 40);
}

#[test]
fn attention_over_tokens_beyond_a_binding_gives_the_same_numbers() {
    // The caches fit, the queries of all tokens do not.
    let random = &mut Random::seeded();
    let rig = Rig::with_bindings_of(8192);
    for kept in KEPT {
        let draw = Draw {
            tokens: 40,
            group: 2,
            kv_heads: 1,
            head: 32,
            page: 4,
            cache_pages: 10,
            entries: 9,
            ..Draw::new(kept, random)
        };
        let op = draw.on_the_host(random);
        rig.check(&op, random);
    }
}

#[test]
fn what_a_token_does_not_see_may_be_nan() {
    let (rig, random) = (Rig::open(), &mut Random::seeded());
    for kept in [KEPT[0], KEPT[1]] {
        let draw = Draw {
            tokens: 20,
            group: 2,
            kv_heads: 1,
            head: 12,
            page: 8,
            cache_pages: 4,
            entries: 4,
            window: Some(5),
            stretches: None,
            kept,
        };
        let pages = Array::new(DType::U32, &[4], vec![2.0, 0.0, 3.0, 1.0]);
        let rows: Vec<f64> = (0..20).flat_map(|position| [0.0, f64::from(position)]).collect();
        let mut op =
            draw.op(pages, Array::new(DType::U32, &[20, 2], rows), |dtype, dims| filled(dtype, dims, random));
        if let Op::Attention { of, .. } = &mut op
            && let Attention { keys: Cache::Dense(keys), values: Cache::Dense(values), .. } = &mut **of
        {
            // Position 9 is row 1 of page 0.
            keys.values[12..24].fill(f64::NAN);
            values.values[12..24].fill(f64::NAN);
        }
        let (got, _) = rig.run(&op, random);
        for (i, head) in got[0].chunks(12).enumerate() {
            let sees = (9..14).contains(&(i / 2));
            assert!(head.iter().all(|y| y.is_nan() == sees), "head {i} of {kept:?}: {head:?}");
        }
    }
}

#[test]
fn stores_of_floats_are_exact_and_touch_nothing_else() {
    let random = &mut Random::seeded();
    for rig in [Rig::open(), Rig::with_bindings_of(4096)] {
        for _ in 0..30 {
            let (rows, heads, head) = (random.between(1, 9), random.between(1, 3), 4 * random.between(1, 9));
            let tokens = random.between(1, rows);
            for kept in [KEPT[0], KEPT[1]] {
                // Distinct, and some beyond the cache.
                let start = random.between(0, 2);
                let slots: Vec<f64> = (0..tokens).map(|i| f64::from(start + i)).collect();
                let op = Op::Store {
                    x: filled(DType::F32, &[tokens, heads, head], random),
                    slots: Array::new(DType::U32, &[tokens], slots),
                    cache: kept.cache([rows, heads, head], |dtype, dims| filled(dtype, dims, random)),
                };
                rig.check(&op, random);
            }
        }
    }
}

#[test]
fn stores_of_bytes_move_an_element_by_half_a_scale_at_most() {
    let random = &mut Random::seeded();
    for rig in [Rig::open(), Rig::with_variant("store_bytes_subgroup", "store_bytes_shared")] {
        for _ in 0..20 {
            let (heads, head) = (random.between(1, 3), random.one_of(&[4, 20, 64, 508, 512]));
            let size = 10_f64.powi(random.between(0, 40) as i32 - 20);
            let mut x = filled(DType::F32, &[3, heads, head], random);
            x.values.iter_mut().for_each(|x| *x *= size);
            x.values[0] = random.one_of(&[0.0, f64::NAN, f64::INFINITY]);
            let x = Array::new(DType::F32, &[3, heads, head], x.values);
            let cache = Kept::Bytes.cache([4, heads, head], |dtype, dims| filled(dtype, dims, random));
            let slots = Array::new(DType::U32, &[3], vec![3.0, 1.0, 4.0]);
            let (got, place) = rig.run(&Op::Store { x: x.clone(), slots, cache: cache.clone() }, random);
            let Cache::Bytes { words, scales } = &cache else { unreachable!("it is made of bytes") };
            let per_row = (heads * head) as usize;
            for row in 0..4 {
                let words_of = |all: &[f64]| all[row * per_row / 4..(row + 1) * per_row / 4].to_vec();
                let Some(token) = [3, 1].iter().position(|&slot| slot == row) else {
                    assert_eq!(
                        words_of(&got[0]),
                        words_of(&words.values),
                        "{place}: a row that nobody stored"
                    );
                    continue;
                };
                for i in 0..per_row {
                    let at = row * heads as usize + i / head as usize;
                    let scale = got[1][at];
                    let part =
                        &x.values[token * per_row + i / head as usize * head as usize..][..head as usize];
                    if part.iter().any(|x| !x.is_finite()) {
                        assert!(scale.is_nan(), "{place}: one that is not finite spoils its head");
                        continue;
                    }
                    let byte = (words_of(&got[0])[i / 4] as u32).to_le_bytes()[i % 4] as i8;
                    let moved = (scale * f64::from(byte) - x.values[token * per_row + i]).abs();
                    assert!(moved <= 0.5001 * scale, "{place}: element {i} moved by {moved:e} of {scale:e}");
                }
            }
            assert_eq!(got[1].len(), scales.values.len());
        }
    }
}

fn roomy(max_binding_bytes: u64) -> Limits {
    Limits { max_binding_bytes, binding_alignment: 64, max_bindings: 8, ..FLOOR }
}

#[test]
fn parts_of_attention_tile_the_result_and_the_grid_holds_every_tile() {
    let random = &mut Random::seeded();
    for _ in 0..200 {
        let kept = random.one_of(&KEPT);
        let draw = Draw::new(kept, random);
        let op = draw.on_paper(random);
        let Op::Attention { of, partial } = &op else { unreachable!("a draw is attention") };
        let least = of.keys.dims().map_or(0, |[a, b, c]| u64::from(a * b * c) * 4);
        let per_token =
            u64::from(draw.group * draw.kv_heads * (draw.head + 2) * draw.stretches.unwrap_or(1)) * 4;
        let workgroups = [random.between(64, 300), random.between(1, 3), 1];
        let limits = Limits {
            max_workgroups: workgroups,
            ..roomy(64 + least.max(per_token) + u64::from(random.between(0, 9000)))
        };
        let parts = dispatches(&op, &profile(limits));
        let (attend, merge): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|d| d.kernel.name != "attention_merge");
        let mut queries = 0;
        for part in &attend {
            let [count, _, kv_heads, _, tiles, stretches] = [0, 1, 2, 3, 4, 5].map(|i| part.params[i]);
            let [x, y, _] = part.workgroups;
            assert!(x * y >= tiles * kv_heads * stretches, "{:?}", part.workgroups);
            queries += count;
        }
        assert_eq!(queries, draw.tokens * draw.group, "{draw:?}");
        match partial {
            Some(partial) => {
                // The offset of y is the last parameter of the merge, and both tile what they write.
                assert_tiles(&merge, &of.y);
                assert!(merge.iter().any(|part| part.barrier), "the merge waits for the stretches");
                let written =
                    attend.iter().map(|part| part.bindings[5].offset + part.bindings[5].bytes).max();
                assert_eq!(written, Some(partial.range().end));
            }
            None => assert!(merge.is_empty()),
        }
    }
}

#[test]
fn a_cache_beyond_a_binding_is_refused_with_the_numbers() {
    let random = &mut Random::seeded();
    let draw = Draw {
        head: 64,
        kv_heads: 1,
        page: 16,
        cache_pages: 8,
        stretches: None,
        ..Draw::new(KEPT[0], random)
    };
    let error = lower(&draw.on_paper(random), &profile(roomy(32_768))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(text.contains("attention: a cache of 32768 bytes") && text.contains("32704 bytes"), "{text}");
}

#[test]
fn long_contexts_are_cut_for_gpus_that_would_idle_and_no_others() {
    let random = &mut Random::seeded();
    let stretches = |draw: Draw, random: &mut Random| {
        let Op::Attention { of, .. } = draw.on_paper(random) else { unreachable!("a draw is attention") };
        let mut profile = profile(roomy(1 << 27));
        let phone = super::super::attention::stretches(&of, &profile).unwrap();
        profile.kind = DeviceKind::Software;
        (phone, super::super::attention::stretches(&of, &profile).unwrap())
    };
    let decode = Draw {
        kept: KEPT[1],
        tokens: 1,
        group: 4,
        kv_heads: 8,
        head: 64,
        page: 16,
        cache_pages: 300,
        entries: 256,
        window: None,
        stretches: None,
    };
    assert_eq!(stretches(decode, random), (16, 1), "4096 positions, eight workgroups");
    assert_eq!(stretches(Draw { kv_heads: 1, ..decode }, random), (16, 8));
    assert_eq!(stretches(Draw { entries: 32, ..decode }, random), (2, 1), "512 positions");
    assert_eq!(stretches(Draw { window: Some(300), ..decode }, random), (1, 1));
    assert_eq!(stretches(Draw { tokens: 64, ..decode }, random), (1, 1), "prefill has work enough");
}

#[test]
fn the_draws_of_these_tests_lead_to_every_kernel_of_attention() {
    let random = &mut Random::seeded();
    let mut met = std::collections::BTreeSet::new();
    for _ in 0..60 {
        for kept in KEPT {
            met.extend(
                kernels_of(&Draw::new(kept, random).on_paper(random), &profile(roomy(1 << 27))).unwrap(),
            );
        }
    }
    assert_eq!(met.len(), 7, "{met:?}");
}
