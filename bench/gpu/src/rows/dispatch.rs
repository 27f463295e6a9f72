//! P4: what one small piece of work costs from recording to the end of the wait.

use anyhow::{Result, ensure};
use exo_gpu::{BackendKind, DType};

use crate::{
    data::uniform,
    ours,
    plan::Plan,
    race::{Contestant, Sample, median_seconds},
    rivals::{
        raw::Raw,
        raw_kernel::RawKernel,
        wgpu::{self, Wgpu},
    },
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

const ELEMENTS: usize = 1024;
/// 128 threads of four elements each.
const GROUPS: [u32; 3] = [ELEMENTS as u32 / 512, 1, 1];
const TIMES: usize = 300;
const KERNEL: &str = include_str!("../../kernels/add.wgsl");

/// P4: one `add` of 1024 elements, and the wait for it.
pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P4",
        what: "one dispatch and wait, p50",
        unit: Unit::Cost { name: "us", scale: 1e6 },
        goal: "<= 1.1x raw ash",
        bars: &[Bar::Limit(1.0 / 1.1)],
        statistic: Statistic::Median,
    };
    let raw = Raw::open();
    let limit = match &raw {
        Ok(raw) => Contestant::new("raw ash", env!("ASH_VERSION"), of_raw(raw)),
        Err(error) => Contestant::absent("raw ash", error),
    };
    let peers = vec![Contestant::new("wgpu", wgpu::VERSION, Wgpu::open().and_then(of_wgpu))];
    let field =
        Field { spec, ours: Contestant::new("ours", ours::VERSION, of_ours()), limit: Some(limit), peers };
    vec![field.run(plan.rounds(25))]
}

fn of_ours() -> Result<Sample<'static>> {
    let device = ours::open(BackendKind::Vulkan)?;
    let dims = [ELEMENTS as u32];
    let (a, b) = (device.tensor(DType::F32, &dims)?, device.tensor(DType::F32, &dims)?);
    let y = device.tensor(DType::F32, &dims)?;
    a.buffer().write(0, bytemuck::cast_slice(&uniform(1, ELEMENTS)))?;
    b.buffer().write(0, bytemuck::cast_slice(&uniform(2, ELEMENTS)))?;
    let read = y.clone();
    let once = move || -> Result<()> {
        let mut batch = device.batch();
        batch.add(&a, &b, &y)?;
        batch.submit()?.wait()?;
        Ok(())
    };
    once()?;
    let mut found = vec![0f32; ELEMENTS];
    read.buffer().read(0, bytemuck::cast_slice_mut(&mut found))?;
    check(&found)?;
    Ok(Box::new(move || median_seconds(TIMES, &once)))
}

fn of_raw(raw: &Raw) -> Result<Sample<'_>> {
    let bytes = ELEMENTS as u64 * 4;
    let (mut a, mut b, mut y) = (raw.buffer(bytes)?, raw.buffer(bytes)?, raw.buffer(bytes)?);
    a.floats().copy_from_slice(&uniform(1, ELEMENTS));
    b.floats().copy_from_slice(&uniform(2, ELEMENTS));
    let kernel = RawKernel::new(raw, KERNEL, &[&a, &b, &y])?;
    kernel.dispatch(GROUPS)?;
    check(y.floats())?;
    Ok(Box::new(move || {
        let _alive = (&a, &b, &y);
        median_seconds(TIMES, || kernel.dispatch(GROUPS))
    }))
}

fn of_wgpu(wgpu: Wgpu) -> Result<Sample<'static>> {
    let bytes = ELEMENTS as u64 * 4;
    let (a, b, y) = (wgpu.buffer(bytes), wgpu.buffer(bytes), wgpu.buffer(bytes));
    wgpu.write(&a, bytemuck::cast_slice(&uniform(1, ELEMENTS)))?;
    wgpu.write(&b, bytemuck::cast_slice(&uniform(2, ELEMENTS)))?;
    let kernel = wgpu.kernel(KERNEL, &[&a, &b, &y]);
    wgpu.dispatch(&kernel, GROUPS)?;
    let mut found = vec![0f32; ELEMENTS];
    wgpu.read(&y, &wgpu.landing(bytes), bytemuck::cast_slice_mut(&mut found))?;
    check(&found)?;
    Ok(Box::new(move || median_seconds(TIMES, || wgpu.dispatch(&kernel, GROUPS))))
}

fn check(y: &[f32]) -> Result<()> {
    let sums = uniform(1, ELEMENTS).into_iter().zip(uniform(2, ELEMENTS)).map(|(a, b)| a + b);
    ensure!(y.iter().copied().eq(sums), "its sums are wrong");
    Ok(())
}
