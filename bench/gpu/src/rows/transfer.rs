//! P1 and P2: bytes between the host and the device.

use anyhow::{Result, ensure};
use exo_gpu::{BackendKind, Device};

use crate::{
    ours,
    plan::Plan,
    race::{Contestant, Sample, seconds_each},
    rivals::wgpu::{self, Wgpu},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

const LARGE: usize = 16 << 20;
const SMALL: usize = 1 << 20;

const fn spec(
    id: &'static str,
    what: &'static str,
    bytes: usize,
    goal: &'static str,
    bars: &'static [Bar],
) -> Spec {
    let unit = Unit::Rate { name: "GB/s", work: bytes as f64 / 1e9 };
    Spec { id, what, unit, goal, bars, statistic: Statistic::Best }
}

/// P1: 16 MiB, both ways.
pub fn run_large(plan: &Plan) -> Vec<Row> {
    let goal = ">= 0.9x memcpy, >= 2x wgpu";
    let bars: &[Bar] = &[Bar::Limit(0.9), Bar::BestPeer(2.0)];
    let rounds = plan.rounds(25);
    vec![
        field(spec("P1.up", "host to device, 16 MiB", LARGE, goal, bars), LARGE, 4, Way::Up).run(rounds),
        field(spec("P1.down", "device to host, 16 MiB", LARGE, goal, bars), LARGE, 4, Way::Down).run(rounds),
    ]
}

/// P2: 1 MiB up.
pub fn run_small(plan: &Plan) -> Vec<Row> {
    let bars: &[Bar] = &[Bar::Limit(0.9)];
    let spec = spec("P2", "host to device, 1 MiB", SMALL, ">= 0.9x memcpy", bars);
    vec![field(spec, SMALL, 64, Way::Up).run(plan.rounds(25))]
}

#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

fn field(spec: Spec, bytes: usize, times: u32, way: Way) -> Field<'static> {
    Field {
        spec,
        ours: Contestant::new(
            "ours",
            ours::VERSION,
            ours::open(BackendKind::Vulkan).and_then(|d| of_ours(&d, bytes, times, way)),
        ),
        limit: Some(Contestant::new("memcpy", "", Ok(of_memcpy(bytes, times)))),
        peers: vec![Contestant::new(
            "wgpu",
            wgpu::VERSION,
            Wgpu::open().and_then(|w| of_wgpu(w, bytes, times, way)),
        )],
    }
}

fn of_ours(device: &Device, bytes: usize, times: u32, way: Way) -> Result<Sample<'static>> {
    let buffer = device.allocate(bytes as u64)?;
    let (source, mut back) = (pattern(bytes), vec![0; bytes]);
    buffer.write(0, &source)?;
    buffer.read(0, &mut back)?;
    ensure!(back == source, "what came back is not what was sent");
    Ok(match way {
        Way::Up => Box::new(move || seconds_each(times, || Ok(buffer.write(0, &source)?))),
        Way::Down => Box::new(move || seconds_each(times, || Ok(buffer.read(0, &mut back)?))),
    })
}

fn of_wgpu(wgpu: Wgpu, bytes: usize, times: u32, way: Way) -> Result<Sample<'static>> {
    let (buffer, landing) = (wgpu.buffer(bytes as u64), wgpu.landing(bytes as u64));
    let (source, mut back) = (pattern(bytes), vec![0; bytes]);
    wgpu.write(&buffer, &source)?;
    wgpu.read(&buffer, &landing, &mut back)?;
    ensure!(back == source, "what came back is not what was sent");
    Ok(match way {
        Way::Up => Box::new(move || seconds_each(times, || wgpu.write(&buffer, &source))),
        Way::Down => Box::new(move || seconds_each(times, || wgpu.read(&buffer, &landing, &mut back))),
    })
}

fn of_memcpy(bytes: usize, times: u32) -> Sample<'static> {
    let (source, mut target) = (pattern(bytes), pattern(bytes));
    Box::new(move || {
        seconds_each(times, || {
            let (from, to) =
                (std::hint::black_box(source.as_ptr()), std::hint::black_box(target.as_mut_ptr()));
            // SAFETY: both vectors are `bytes` long, distinct, and owned by this closure.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
            Ok(())
        })
    })
}

/// Bytes that differ from place to place, every page of them touched.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect()
}
