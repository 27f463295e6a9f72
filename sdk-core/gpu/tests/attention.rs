//! Attention over a paged cache through the front, on every device: stores, prompts, decoding, and what is refused.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;
mod reference;

use common::{Seed, Watched, cpu, download, every_device, gpu, upload};
use exo_gpu::{Attention, Cache, DType, Device, ErrorKind, Tensor};
use reference::attention::Attended;

const HEADS: usize = 8;
const KV_HEADS: usize = 2;
const HEAD: usize = 32;
const PAGE: usize = 16;

fn words(device: &Device, dims: &[u32], values: &[u32]) -> Tensor {
    let tensor = device.tensor(DType::U32, dims).unwrap();
    tensor.buffer().write(0, bytemuck::cast_slice(values)).unwrap();
    tensor
}

fn cache(device: &Device, rows: usize, bytes: bool) -> Cache<Tensor> {
    let dims = [rows as u32, KV_HEADS as u32, HEAD as u32];
    if !bytes {
        return Cache::Dense(device.tensor(DType::F16, &dims).unwrap());
    }
    Cache::Bytes {
        words: device.tensor(DType::U32, &[dims[0], dims[1], dims[2] / 4]).unwrap(),
        scales: device.tensor(DType::F32, &dims[..2]).unwrap(),
    }
}

/// A sequence: its table, and everything about its tokens.
struct Sequence {
    pages: Vec<u32>,
    q: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl Sequence {
    fn new(seed: &mut Seed, pages: Vec<u32>) -> Self {
        let tokens = pages.len() * PAGE;
        let [q, keys, values] = [HEADS, KV_HEADS, KV_HEADS].map(|heads| seed.floats(tokens * heads * HEAD));
        Self { pages, q, keys, values }
    }

    fn tokens(&self) -> usize {
        self.pages.len() * PAGE
    }

    /// What attention should give for all tokens, over keys and values as they are.
    fn answer(&self, window: Option<u32>) -> Vec<f64> {
        let widened = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
        let straight: Vec<u32> = (0..self.pages.len() as u32).collect();
        let rows: Vec<u32> = (0..self.tokens() as u32).flat_map(|position| [0, position]).collect();
        let attended = Attended {
            q: &self.q,
            keys: &widened(&self.keys),
            values: &widened(&self.values),
            pages: &straight,
            rows: &rows,
            page: PAGE,
            scale: 0.3,
            window,
            heads: HEADS,
            kv_heads: KV_HEADS,
            head: HEAD,
        };
        attended.answer().0.iter().map(|expected| expected.value).collect()
    }

    /// Stores some tokens and attends for them, in one submission.
    fn step(
        &self,
        device: &Watched,
        [keys, values]: &[Cache<Tensor>; 2],
        tokens: std::ops::Range<usize>,
        window: Option<u32>,
    ) -> Vec<f32> {
        let count = tokens.len() as u32;
        let of = |all: &[f32], heads: usize| {
            let per_token = heads * HEAD;
            let part = &all[tokens.start * per_token..tokens.end * per_token];
            upload(device, &[count, heads as u32, HEAD as u32], part)
        };
        let slot = |position: usize| self.pages[position / PAGE] * PAGE as u32 + (position % PAGE) as u32;
        let slots: Vec<u32> = tokens.clone().map(slot).collect();
        let rows: Vec<u32> = tokens.clone().flat_map(|position| [0, position as u32]).collect();
        let slots = words(device, &[count], &slots);
        let y = device.tensor(DType::F32, &[count, HEADS as u32, HEAD as u32]).unwrap();
        let mut batch = device.batch();
        batch.store(&of(&self.keys, KV_HEADS), &slots, keys).unwrap();
        batch.store(&of(&self.values, KV_HEADS), &slots, values).unwrap();
        let attention = Attention {
            q: &of(&self.q, HEADS),
            keys,
            values,
            pages: &words(device, &[self.pages.len() as u32], &self.pages),
            rows: &words(device, &[count, 2], &rows),
            page: PAGE as u32,
            scale: 0.3,
            window,
            y: &y,
        };
        batch.attention(attention).unwrap();
        batch.submit().unwrap().wait().unwrap();
        download(&y)
    }
}

fn assert_near(got: &[f32], expected: &[f64], allowed: f64, what: &str) {
    assert_eq!(got.len(), expected.len());
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!(
            (f64::from(*got) - expected).abs() <= allowed,
            "{what}: element {i} is {got}, not {expected}"
        );
    }
}

#[test]
fn a_prompt_in_chunks_and_then_token_by_token_gives_what_one_look_at_all_gives() {
    let mut seed = Seed::printed("chunks");
    let sequence = Sequence::new(&mut seed, vec![9, 2, 7, 0, 5]);
    let per_token = HEADS * HEAD;
    for (name, device) in every_device() {
        for (bytes, window, allowed) in [(false, None, 2e-3), (false, Some(37), 2e-3), (true, None, 4e-2)] {
            let expected = sequence.answer(window);
            let caches = [(); 2].map(|()| cache(&device, 10 * PAGE, bytes));
            for tokens in [0..33, 33..34, 34..77, 77..78, 78..79, 79..80] {
                let got = sequence.step(&device, &caches, tokens.clone(), window);
                let expected = &expected[tokens.start * per_token..tokens.end * per_token];
                assert_near(
                    &got,
                    expected,
                    allowed,
                    &format!("{name}, tokens {tokens:?}, window {window:?}"),
                );
            }
        }
    }
}

#[test]
fn sequences_decode_side_by_side_over_a_shared_prefix() {
    let mut seed = Seed::printed("shared");
    for (name, device) in every_device() {
        let [one, mut two] = [vec![3, 1, 4], vec![3, 1, 0]].map(|pages| Sequence::new(&mut seed, pages));
        let shared = 2 * PAGE * KV_HEADS * HEAD;
        two.keys[..shared].copy_from_slice(&one.keys[..shared]);
        two.values[..shared].copy_from_slice(&one.values[..shared]);
        let caches = [(); 2].map(|()| cache(&device, 5 * PAGE, false));
        // The prefix is stored once; then each stores its own rest.
        one.step(&device, &caches, 0..3 * PAGE, None);
        two.step(&device, &caches, 2 * PAGE..3 * PAGE, None);
        let at = 3 * PAGE - 1;
        let per_token = HEADS * HEAD;
        let q = [&one.q[at * per_token..], &two.q[at * per_token..]].concat();
        let y = device.tensor(DType::F32, &[2, HEADS as u32, HEAD as u32]).unwrap();
        let attention = Attention {
            q: &upload(&device, &[2, HEADS as u32, HEAD as u32], &q),
            keys: &caches[0],
            values: &caches[1],
            pages: &words(&device, &[6], &[&one.pages[..], &two.pages].concat()),
            rows: &words(&device, &[2, 2], &[0, at as u32, 3, at as u32]),
            page: PAGE as u32,
            scale: 0.3,
            window: None,
            y: &y,
        };
        let mut batch = device.batch();
        batch.attention(attention).unwrap();
        batch.submit().unwrap().wait().unwrap();
        let expected: Vec<f64> =
            [&one, &two].iter().flat_map(|s| s.answer(None)[at * per_token..].to_vec()).collect();
        assert_near(&download(&y), &expected, 2e-3, name);
    }
}

#[test]
fn a_long_context_is_cut_on_the_gpu_and_gives_what_the_cpu_gives() {
    let mut seed = Seed::printed("long");
    let pages: Vec<u32> = (0..80).map(|i| i * 37 % 80).collect();
    let sequence = Sequence::new(&mut seed, pages);
    let last = sequence.tokens() - 1;
    let [on_cpu, on_gpu] = [cpu(), gpu()].map(|device| {
        let caches = [(); 2].map(|()| cache(&device, 80 * PAGE, false));
        sequence.step(&device, &caches, 0..last, None);
        // What stretches found is kept for the batch, and given back with it.
        let used = device.memory_report().unwrap().used;
        let y = sequence.step(&device, &caches, last..last + 1, None);
        assert_eq!(device.memory_report().unwrap().used, used);
        y
    });
    for (a, b) in on_cpu.iter().zip(&on_gpu) {
        assert!((a - b).abs() < 1e-5, "{a} on the CPU, {b} on the GPU");
    }
}

#[test]
fn what_does_not_fit_together_is_refused_with_what_would() {
    let device = cpu();
    let f32s = |dims: &[u32]| device.tensor(DType::F32, dims).unwrap();
    let dense = |dims: &[u32]| Cache::Dense(f32s(dims));
    let (q, y) = (f32s(&[2, 4, 8]), f32s(&[2, 4, 8]));
    let (keys, values) = (dense(&[16, 2, 8]), dense(&[16, 2, 8]));
    let (pages, rows) = (words(&device, &[4], &[0; 4]), words(&device, &[2, 2], &[0; 4]));
    let good = Attention {
        q: &q,
        keys: &keys,
        values: &values,
        pages: &pages,
        rows: &rows,
        page: 4,
        scale: 1.0,
        window: None,
        y: &y,
    };
    let mut batch = device.batch();
    batch.attention(good).unwrap();
    let mut refused = |wrong: Attention<&Tensor, &Cache<Tensor>>| {
        let error = batch.attention(wrong).map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        error.to_string()
    };
    let text = refused(Attention { q: &f32s(&[2, 3, 8]), ..good });
    assert!(text.contains("a multiple of 2"), "{text}");
    let text = refused(Attention { values: &dense(&[16, 2, 12]), ..good });
    assert!(text.contains("[16, 2, 8], as the keys"), "{text}");
    let half = Cache::Dense(device.tensor(DType::F16, &[16, 2, 8]).unwrap());
    assert!(refused(Attention { values: &half, ..good }).contains("F32"));
    let bytes = Cache::Bytes { words: words(&device, &[16, 2, 2], &[0; 64]), scales: f32s(&[16, 2]) };
    assert!(refused(Attention { values: &bytes, ..good }).contains("both Cache::Bytes"));
    let brains = Cache::Dense(device.tensor(DType::Bf16, &[16, 2, 8]).unwrap());
    assert!(refused(Attention { keys: &brains, ..good }).contains("F32 or F16"));
    assert!(refused(Attention { rows: &words(&device, &[3, 2], &[0; 6]), ..good }).contains("[2, 2]"));
    assert!(refused(Attention { page: 0, ..good }).contains("at least 1 row"));
    assert!(refused(Attention { page: 1 << 30, ..good }).contains("2^31"));
    assert!(refused(Attention { window: Some(0), ..good }).contains("a token sees itself"));
    assert!(refused(Attention { y: &q, ..good }).contains("no overlap"));
    let odd = dense(&[16, 2, 6]);
    assert!(
        refused(Attention { keys: &odd, values: &odd, ..good }).contains("multiple of 4"),
        "heads are whole quads"
    );
    let mut refused = |x: &Tensor, slots: &Tensor, cache: &Cache<Tensor>| {
        batch.store(x, slots, cache).map(drop).unwrap_err().to_string()
    };
    let slots = words(&device, &[2], &[0; 2]);
    assert!(refused(&f32s(&[2, 2, 4]), &slots, &keys).contains("[2, 2, 8]"));
    let short = Cache::Bytes { words: words(&device, &[16, 2, 2], &[0; 64]), scales: f32s(&[16, 1]) };
    assert!(refused(&f32s(&[2, 2, 8]), &slots, &short).contains("[16, 2]"));
}
