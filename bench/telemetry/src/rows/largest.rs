//! P14c: an answer to the largest problem that is taken in, without any time to search: 1,024 devices, 4,096 layers of
//! which no two are alike, and a link of its own for each of a million pairs.
//!
//! The whole call is counted, from checking the problem to the plan. Reading the text is not, and neither are the
//! explanations. Time is the processor's, so that a busy machine makes little difference.

use std::{hint::black_box, time::Duration};

use anyhow::{Context, Result, ensure};
use bench_race::{
    plan::Plan,
    race::{Contestant, Outcome, Sample},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};
use exo_telemetry::{
    Random,
    placement::{
        Device, Layer, Link, MAX_DEVICES, MAX_LAYERS, Model, Objective, Problem, Workload, place_unexplained,
    },
};

use super::crowd::worked;

const GOAL_SECONDS: f64 = 0.1;

pub fn run(plan: &Plan) -> Vec<Row> {
    let of = |id, what, objective, room| {
        let spec = Spec {
            id,
            what,
            unit: Unit::Cost { name: "ms", scale: 1e3 },
            goal: "<= 100 ms",
            bars: &[Bar::Limit(1.0)],
            statistic: Statistic::Median,
        };
        (spec, objective, room)
    };
    let wanted = [
        of(
            "P14c.latency",
            "first plan, 1,024 devices, 4,096 unlike layers, a million links, latency; CPU",
            Objective::Latency,
            1.2,
        ),
        of("P14c.throughput", "the same, throughput", Objective::Throughput, 1.2),
        of("P14c.short", "the same, latency, where the memory is too little", Objective::Latency, 0.9),
    ];
    let wanted = wanted.into_iter().filter(|(spec, ..)| plan.wants(spec.id));
    wanted.map(|(spec, objective, room)| row(plan, spec, objective, room)).collect()
}

fn row(plan: &Plan, spec: Spec, objective: Objective, room: f64) -> Row {
    let problem = largest(objective, room);
    let answer: Sample<'_> = Box::new(|| seconds(&problem, room >= 1.0));
    let ours = Contestant::new("ours", env!("CARGO_PKG_VERSION"), Ok(answer));
    let mut row = Field { spec, ours, limit: None, peers: Vec::new() }.run(plan.rounds(7));
    row.limit = Some(Outcome::fixed("goal", GOAL_SECONDS));
    row
}

/// What a search took that was over before it began. The clock is the processor's, and its last word is in the answer.
fn seconds(problem: &Problem, has_plan: bool) -> Result<f64> {
    let start = worked()?;
    let clock = || worked().unwrap_or(Duration::MAX).saturating_sub(start);
    let answer = place_unexplained(black_box(problem), &clock)?;
    ensure!(answer.cost_s.is_some() == has_plan, "not the answer that was meant: {}", answer.summary);
    Some(answer.elapsed_ms / 1e3).filter(|seconds| *seconds < 1e6).context("the clock stopped")
}

/// As large as can be, and nothing alike. `room` is the memory of all as a share of what the model needs.
fn largest(objective: Objective, room: f64) -> Problem {
    let mut random = Random::seeded(14);
    let mut between = |low: f64, high: f64| low + (high - low) * random.fraction();
    let layers: Vec<Layer> = (0..MAX_LAYERS)
        .map(|_| Layer { bytes: between(1e6, 9e6), flops: between(0.0, 3e7), kv_bytes_per_token: 0.0 })
        .collect();
    let share = layers.iter().map(|layer| layer.bytes).sum::<f64>() * room / MAX_DEVICES as f64;
    let devices: Vec<Device> = (0..MAX_DEVICES)
        .map(|at| Device {
            id: format!("device-{at}"),
            memory_bytes: share * between(0.5, 1.5),
            flops_per_s: between(1e8, 4e9),
            memory_bytes_per_s: between(1e7, 4e8),
            thermal_factor: between(0.2, 1.0),
            allowed: true,
        })
        .collect();
    let pairs = devices.iter().flat_map(|from| devices.iter().map(move |to| (&from.id, &to.id)));
    let links = pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| Link {
            from: from.clone(),
            to: to.clone(),
            latency_s: between(0.0, 0.04),
            bytes_per_s: between(1e4, 5e5),
        })
        .collect();
    Problem {
        model: Model { layers, embedding_bytes: 1e6, head_bytes: 1e6, activation_bytes: 1e3 },
        devices,
        links,
        default_link: None,
        workload: Workload::default(),
        objective,
        max_devices: None,
        time_limit_ms: 0.0,
        tensor: None,
    }
}
