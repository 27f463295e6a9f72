//! P3: how fast memory is had and given back.

use anyhow::Result;
use exo_gpu::BackendKind;

use crate::{
    ours,
    plan::Plan,
    race::{Contestant, Sample, seconds_each},
    rivals::wgpu::{self, Wgpu},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

const BYTES: u64 = 1 << 20;
const TIMES: u32 = 2000;

/// P3: allocate and free 1 MiB.
pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P3",
        what: "allocate and free 1 MiB",
        unit: Unit::Rate { name: "M/s", work: 1e-6 },
        goal: ">= 1x wgpu",
        bars: &[Bar::BestPeer(1.0)],
        statistic: Statistic::Best,
    };
    let peers = vec![Contestant::new("wgpu", wgpu::VERSION, Wgpu::open().map(of_wgpu))];
    let field = Field { spec, ours: Contestant::new("ours", ours::VERSION, of_ours()), limit: None, peers };
    vec![field.run(plan.rounds(25))]
}

fn of_ours() -> Result<Sample<'static>> {
    let device = ours::open(BackendKind::Vulkan)?;
    Ok(Box::new(move || {
        seconds_each(TIMES, || {
            drop(device.allocate(BYTES)?);
            Ok(())
        })
    }))
}

fn of_wgpu(wgpu: Wgpu) -> Sample<'static> {
    Box::new(move || {
        let seconds = seconds_each(TIMES, || {
            drop(wgpu.buffer(BYTES));
            Ok(())
        });
        wgpu.wait()?;
        seconds
    })
}
