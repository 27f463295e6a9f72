//! M1: what an upload costs in memory, beside its source and its target.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use exo_gpu::BackendKind;

use super::open::in_child;
use crate::{
    machine::peak_bytes,
    ours,
    plan::Plan,
    race::{Contestant, Outcome, Sample},
    rivals::wgpu::{self, Wgpu},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

const MIB: f64 = 1_048_576.0;
const BYTES: usize = 1 << 30;
const ALLOWED: f64 = 80.0 * MIB;

/// M1: peak of a 1 GiB upload, in a fresh process.
pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "M1",
        what: "1 GiB upload, peak beyond it",
        unit: Unit::Cost { name: "MiB", scale: 1.0 / MIB },
        goal: "<= 80 MiB",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let field = Field {
        spec,
        ours: Contestant::new("ours", ours::VERSION, Ok(fresh("ours"))),
        limit: None,
        peers: vec![Contestant::new("wgpu", wgpu::VERSION, Ok(fresh("wgpu")))],
    };
    let row = field.run(plan.rounds(3).min(3));
    vec![Row { limit: Some(Outcome::fixed("budget", ALLOWED)), ..row }]
}

fn fresh(who: &'static str) -> Sample<'static> {
    Box::new(move || in_child(Command::new(std::env::current_exe()?).args(["child", "upload", who])))
}

/// The child's part: uploads and says the bytes that the whole process had at its peak, less source and target.
///
/// On lavapipe the device's memory is the process's own, so it is in the peak. The driver's code and heap, and our
/// own, are counted against us too.
pub fn child(who: &str) -> Result<f64> {
    let source = vec![7u8; BYTES];
    let last = BYTES - 16;
    match who {
        "ours" => {
            let device = ours::open(BackendKind::Vulkan)?;
            let buffer = device.allocate(BYTES as u64)?;
            buffer.write(0, &source)?;
            let mut tail = [0; 16];
            buffer.read(last as u64, &mut tail)?;
            ensure!(tail == [7; 16], "the upload is incomplete");
        }
        "wgpu" => {
            let wgpu = Wgpu::open()?;
            let buffer = wgpu.buffer(BYTES as u64);
            wgpu.write(&buffer, &source)?;
        }
        other => bail!("nobody is called {other}"),
    }
    let beyond = peak_bytes()? - 2.0 * BYTES as f64;
    drop(source);
    // A process is never free: less than a page would mean that source and target were not both there.
    ensure!(beyond > 4096.0, "the peak is below source and target: the pages were never touched");
    Ok(beyond)
}
