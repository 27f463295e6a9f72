//! P7 and P8: one token's worth of a 4-bit layer, 4096 by 4096.

use std::{cell::RefCell, process::Command, rc::Rc};

use anyhow::Result;
use exo_gpu::{BackendKind, DType};

use crate::{
    data::{Product, Quantised},
    light, ours,
    peer::{self, Peer},
    plan::Plan,
    race::{Contestant, Sample, median_seconds, settle},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

const SIZE: usize = 4096;
/// Against our own dequantised weights only the order of summation differs.
const EXACT: f64 = 1e-4;
/// ggml quantises by its own rules, so its answer is held against the weights before quantisation.
const QUANTISED: f64 = 0.2;

/// P7: on the CPU.
pub fn run_cpu(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P7",
        what: "4-bit matvec 4096x4096, CPU",
        unit: Unit::Cost { name: "us", scale: 1e6 },
        goal: "<= ggml's time",
        bars: &[Bar::BestPeer(1.0)],
        statistic: Statistic::Best,
    };
    vec![field(plan, spec, BackendKind::Cpu, "ggml-cpu", 40).run(plan.rounds(25))]
}

/// P8: on lavapipe.
pub fn run_vulkan(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P8",
        what: "4-bit matvec 4096x4096, lavapipe",
        unit: Unit::Cost { name: "ms", scale: 1e3 },
        goal: "<= 0.5x ggml-vulkan's time",
        bars: &[Bar::BestPeer(2.0)],
        statistic: Statistic::Best,
    };
    vec![field(plan, spec, BackendKind::Vulkan, "ggml-vulkan", 5).run(plan.rounds(15))]
}

fn field(plan: &Plan, spec: Spec, backend: BackendKind, rival: &str, times: usize) -> Field<'static> {
    let product = match Product::new(1, SIZE, SIZE, &plan.peers().join("matvec")) {
        Ok(product) => product,
        Err(error) => {
            let ours = Contestant::absent("ours", &error);
            return Field { spec, ours, limit: None, peers: vec![Contestant::absent(rival, &error)] };
        }
    };
    let quantised = Quantised::of(&product.w);
    let bytes = vec![1u64; quantised.bytes() / 8];
    Field {
        spec,
        ours: Contestant::new("ours", ours::VERSION, of_ours(&product, &quantised, backend, times)),
        limit: Some(Contestant::new("reading the weights", "", Ok(Box::new(move || light::reading(&bytes))))),
        peers: of_ggml(plan, &product, rival),
    }
}

fn of_ours(product: &Product, q: &Quantised, backend: BackendKind, times: usize) -> Result<Sample<'static>> {
    let device = ours::open(backend)?;
    let x = ours::tensor(&device, DType::F32, &[1, product.k], &product.x)?;
    let w = ours::quantised(&device, product.n, product.k, q)?;
    let y = device.tensor(DType::F32, &[1, product.n as u32])?;
    let result = y.clone();
    let once = move || -> Result<()> {
        let mut batch = device.batch();
        batch.matvec(&x, &w, &y)?;
        batch.submit()?.wait()?;
        Ok(())
    };
    once()?;
    product.check(&ours::values(&result)?, &q.meaning, EXACT)?;
    Ok(Box::new(move || {
        settle();
        median_seconds(times, &once)
    }))
}

/// ggml's 4-bit types, each as a peer of its own; the best of them counts.
fn of_ggml(plan: &Plan, product: &Product, name: &str) -> Vec<Contestant<'static>> {
    let mut command = Command::new(plan.root.join("bench/target/ggml/release/bench-ggml"));
    command.arg(name).arg(&product.folder).arg(SIZE.to_string()).arg(light::THREADS.to_string());
    // ggml passes over Vulkan devices that are CPUs unless one is named.
    command.env("GGML_VK_VISIBLE_DEVICES", "0").env("OMP_NUM_THREADS", light::THREADS.to_string());
    let peer = match Peer::start("ggml", &mut command, &plan.peers()) {
        Ok(peer) => peer,
        Err(error) => return vec![Contestant::absent(name, &error)],
    };
    let (version, variants) = (peer.version.clone(), peer.variants.clone());
    let peer = Rc::new(RefCell::new(peer));
    let contestant = |variant: &String| {
        let checked = product.check_file(&format!("y.{name}.{variant}.f32"), QUANTISED);
        Contestant::new(format!("{name} {variant}"), &version, checked.map(|()| peer::sample(&peer, variant)))
    };
    variants.iter().map(contestant).collect()
}
