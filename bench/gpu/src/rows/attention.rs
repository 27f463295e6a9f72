//! P9: one token's attention over a context of 2048, in every layer of a model.
//!
//! Layers have caches of their own, so that what is measured is memory, as in a model, and not a cache of the processor.

use anyhow::{Result, ensure};
use exo_gpu::{Attention, BackendKind, Cache, DType, Tensor};
use half::f16;

use crate::{
    data::uniform,
    light, ours,
    plan::Plan,
    race::{Contestant, Sample, median_seconds, settle},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

const LAYERS: usize = 16;
const CONTEXT: usize = 2048;
const HEADS: usize = 32;
const KV_HEADS: usize = 8;
const HEAD: usize = 64;
const PAGE: usize = 16;

/// P9: on the CPU.
pub fn run_cpu(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P9",
        what: "attention of a token, 16 layers, context 2048, f16, CPU",
        unit: Unit::Cost { name: "ms", scale: 1e3 },
        goal: "<= 1.25x reading keys and values",
        bars: &[Bar::Limit(0.8)],
        statistic: Statistic::Best,
    };
    // Keys and values, two bytes an element.
    let words = vec![1u64; LAYERS * CONTEXT * KV_HEADS * HEAD * 2 * 2 / 8];
    let limit = Contestant::new("reading keys and values", "", Ok(Box::new(move || light::reading(&words))));
    let ours = Contestant::new("ours", ours::VERSION, of_ours(BackendKind::Cpu));
    vec![Field { spec, ours, limit: Some(limit), peers: Vec::new() }.run(plan.rounds(25))]
}

fn of_ours(backend: BackendKind) -> Result<Sample<'static>> {
    let device = ours::open(backend)?;
    let dims = [CONTEXT, KV_HEADS, HEAD];
    let halves: Vec<u16> =
        uniform(7, CONTEXT * KV_HEADS * HEAD).iter().map(|&x| f16::from_f32(x).to_bits()).collect();
    // The values of a head are all one number, and so is what any weights make of them.
    let ones: Vec<u16> =
        (0..halves.len()).map(|i| f16::from_f32((i / HEAD % KV_HEADS) as f32).to_bits()).collect();
    // Pages in an order that no processor guesses.
    let pages: Vec<u32> = (0..(CONTEXT / PAGE) as u32).map(|i| i * 37 % (CONTEXT / PAGE) as u32).collect();
    let pages = ours::tensor(&device, DType::U32, &[pages.len()], &pages)?;
    let rows = ours::tensor(&device, DType::U32, &[1, 2], &[0u32, CONTEXT as u32 - 1])?;
    let q = ours::tensor(&device, DType::F32, &[1, HEADS, HEAD], &uniform(3, HEADS * HEAD))?;
    let y = device.tensor(DType::F32, &[1, HEADS as u32, HEAD as u32])?;
    let cache = |halves: &[u16]| -> Result<Cache<Tensor>> {
        Ok(Cache::Dense(ours::tensor(&device, DType::F16, &dims, halves)?))
    };
    let layer = |_| -> Result<_> { Ok([cache(&halves)?, cache(&ones)?]) };
    let layers: Vec<[Cache<Tensor>; 2]> = (0..LAYERS).map(layer).collect::<Result<_>>()?;
    let result = y.clone();
    let once = move || -> Result<()> {
        let mut batch = device.batch();
        for [keys, values] in &layers {
            batch.attention(Attention {
                q: &q,
                keys,
                values,
                pages: &pages,
                rows: &rows,
                page: PAGE as u32,
                scale: 0.125,
                window: None,
                y: &y,
            })?;
        }
        batch.submit()?.wait()?;
        Ok(())
    };
    once()?;
    let right = |(i, y): (usize, &f32)| (y - (i / HEAD / (HEADS / KV_HEADS)) as f32).abs() < 1e-4;
    ensure!(ours::values(&result)?.iter().enumerate().all(right), "attention gives wrong numbers");
    Ok(Box::new(move || {
        settle();
        median_seconds(10, &once)
    }))
}
