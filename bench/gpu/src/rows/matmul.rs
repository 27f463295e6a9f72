//! P5 and P6: a dense f32 product of 1024 by 1024 by 1024.

use std::{cell::RefCell, process::Command, rc::Rc};

use anyhow::Result;
use exo_gpu::{BackendKind, DType, Weight};

use crate::{
    data::Product,
    light, ours,
    peer::{self, Peer},
    plan::Plan,
    race::{Contestant, Sample, seconds_each, settle},
    rivals::{
        raw::Raw,
        raw_kernel::RawKernel,
        wgpu::{self, Wgpu},
    },
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

const SIZE: usize = 1024;
/// Summation order differs; a wrong product is off by about 1.
const TOLERANCE: f64 = 1e-5;
const KERNEL: &str = include_str!("../../kernels/matmul.wgsl");
/// Rows and columns of the result that one workgroup of [`KERNEL`] computes.
const TILE: [usize; 2] = [8, 128];
const GROUPS: [u32; 3] = [(SIZE / TILE[1]) as u32, (SIZE / TILE[0]) as u32, 1];

fn spec(id: &'static str, what: &'static str, goal: &'static str, bars: &'static [Bar]) -> Spec {
    let work = 2.0 * (SIZE as f64).powi(3) / 1e9;
    Spec { id, what, unit: Unit::Rate { name: "GFLOP/s", work }, goal, bars, statistic: Statistic::Best }
}

/// P5: on lavapipe.
pub fn run_vulkan(plan: &Plan) -> Vec<Row> {
    let spec = spec("P5", "matmul f32 1024^3, lavapipe", ">= 1.2x the best peer", &[Bar::BestPeer(1.2)]);
    let (product, raw) = (product(plan), Raw::open());
    let peers = vec![
        in_python(plan, "ncnn", &product),
        match (&raw, &product) {
            (Ok(raw), Ok(product)) => {
                Contestant::new("hand-tuned ash", env!("ASH_VERSION"), of_raw(raw, product))
            }
            (Err(error), _) | (_, Err(error)) => Contestant::absent("hand-tuned ash", error),
        },
        Contestant::new("wgpu, same kernel", wgpu::VERSION, with(&product, of_wgpu)),
    ];
    let ours = with(&product, |product| of_ours(product, BackendKind::Vulkan, 1));
    let field =
        Field { spec, ours: Contestant::new("ours", ours::VERSION, ours), limit: Some(peak()), peers };
    vec![field.run(plan.rounds(9))]
}

/// P6: on the CPU.
pub fn run_cpu(plan: &Plan) -> Vec<Row> {
    let spec = spec("P6", "matmul f32 1024^3, CPU", ">= 0.9x OpenBLAS", &[Bar::BestPeer(0.9)]);
    let product = product(plan);
    let ours = with(&product, |product| of_ours(product, BackendKind::Cpu, 4));
    let peers = vec![in_python(plan, "numpy", &product)];
    let field =
        Field { spec, ours: Contestant::new("ours", ours::VERSION, ours), limit: Some(peak()), peers };
    vec![field.run(plan.rounds(25))]
}

fn product(plan: &Plan) -> Result<Product> {
    Product::new(SIZE, SIZE, SIZE, &plan.peers().join("matmul"))
}

fn with<T>(product: &Result<Product>, make: impl FnOnce(&Product) -> Result<T>) -> Result<T> {
    product.as_ref().map_err(|error| anyhow::anyhow!("{error:#}")).and_then(make)
}

fn peak() -> Contestant<'static> {
    let operations = 2.0 * (SIZE as f64).powi(3);
    Contestant::new("FMA peak of 2 cores", "", Ok(Box::new(move || light::arithmetic(operations))))
}

fn of_ours(product: &Product, backend: BackendKind, times: u32) -> Result<Sample<'static>> {
    let device = ours::open(backend)?;
    let x = ours::tensor(&device, DType::F32, &[product.m, product.k], &product.x)?;
    let w = Weight::Dense(ours::tensor(&device, DType::F32, &[product.n, product.k], &product.w)?);
    let y = device.tensor(DType::F32, &[product.m as u32, product.n as u32])?;
    let result = y.clone();
    let once = move || -> Result<()> {
        let mut batch = device.batch();
        batch.matmul(&x, &w, &y)?;
        batch.submit()?.wait()?;
        Ok(())
    };
    once()?;
    product.check(&ours::values(&result)?, &product.w, TOLERANCE)?;
    Ok(Box::new(move || {
        settle();
        seconds_each(times, &once)
    }))
}

fn of_raw<'a>(raw: &'a Raw, product: &Product) -> Result<Sample<'a>> {
    let bytes = (SIZE * SIZE * 4) as u64;
    let (mut x, mut w, mut y) = (raw.buffer(bytes)?, raw.buffer(bytes)?, raw.buffer(bytes)?);
    x.floats().copy_from_slice(&product.x);
    w.floats().copy_from_slice(&product.w);
    let kernel = RawKernel::new(raw, KERNEL, &[&x, &w, &y])?;
    kernel.dispatch(GROUPS)?;
    product.check(y.floats(), &product.w, TOLERANCE)?;
    Ok(Box::new(move || {
        let _alive = (&x, &w, &y);
        settle();
        seconds_each(1, || kernel.dispatch(GROUPS))
    }))
}

fn of_wgpu(product: &Product) -> Result<Sample<'static>> {
    let wgpu = Wgpu::open()?;
    let bytes = (SIZE * SIZE * 4) as u64;
    let (x, w, y) = (wgpu.buffer(bytes), wgpu.buffer(bytes), wgpu.buffer(bytes));
    wgpu.write(&x, bytemuck::cast_slice(&product.x))?;
    wgpu.write(&w, bytemuck::cast_slice(&product.w))?;
    let kernel = wgpu.kernel(KERNEL, &[&x, &w, &y]);
    wgpu.dispatch(&kernel, GROUPS)?;
    let mut found = vec![0f32; SIZE * SIZE];
    wgpu.read(&y, &wgpu.landing(bytes), bytemuck::cast_slice_mut(&mut found))?;
    product.check(&found, &product.w, TOLERANCE)?;
    Ok(Box::new(move || {
        settle();
        seconds_each(1, || wgpu.dispatch(&kernel, GROUPS))
    }))
}

fn in_python(plan: &Plan, name: &'static str, product: &Result<Product>) -> Contestant<'static> {
    let start = |product: &Product| -> Result<Peer> {
        let mut command = Command::new(plan.python());
        command.arg(plan.script(&format!("{name}_matmul.py"))).arg(&product.folder);
        let threads = light::THREADS.to_string();
        command.env("OPENBLAS_NUM_THREADS", &threads).env("OMP_NUM_THREADS", &threads);
        let peer = Peer::start(name, &mut command, &plan.peers())?;
        product.check_file(&format!("y.{name}.f32"), TOLERANCE)?;
        Ok(peer)
    };
    match with(product, start) {
        Ok(peer) => {
            let (version, peer) = (peer.version.clone(), Rc::new(RefCell::new(peer)));
            Contestant::new(name, version, Ok(peer::sample(&peer, "matmul")))
        }
        Err(error) => Contestant::absent(name, &error),
    }
}
