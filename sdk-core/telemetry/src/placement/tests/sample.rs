//! Random problems that stress every rule: tight memory, unequal layers, odd links, devices that may not work.

use super::super::{Device, Layer, Link, LinkSpeed, Model, Objective, Problem, Workload};
use crate::Random;

/// What kind of problem to draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) devices: usize,
    pub(super) layers: usize,
    pub(super) alike: bool,
    pub(super) uniform: bool,
    pub(super) objective: Objective,
}

fn between(random: &mut Random, low: u64, high: u64) -> f64 {
    (low + random.below(high - low + 1)) as f64
}

fn once_in(random: &mut Random, times: u64) -> bool {
    random.below(times) == 0
}

fn speed(random: &mut Random) -> LinkSpeed {
    LinkSpeed { latency_s: between(random, 0, 40) * 1e-3, bytes_per_s: between(random, 1, 50) * 1e4 }
}

/// Whole numbers, so that sums are exact and ties are common.
pub(super) fn problem(random: &mut Random, kind: Kind) -> Problem {
    let layer = |random: &mut Random| Layer {
        bytes: between(random, 1, 9) * 1e6,
        flops: between(random, 0, 30) * 1e6,
        kv_bytes_per_token: between(random, 0, 3) * 1e3,
    };
    let one = layer(random);
    let layers: Vec<Layer> = (0..kind.layers).map(|_| if kind.alike { one } else { layer(random) }).collect();
    let context_tokens = between(random, 0, 500);
    let need: f64 = layers.iter().map(|layer| layer.bytes + layer.kv_bytes_per_token * context_tokens).sum();
    // From far too little memory to more than enough.
    let share = need * (0.6 + 4.0 * random.fraction()) / kind.devices as f64;
    let devices = (0..kind.devices)
        .map(|index| Device {
            id: format!("d{index}"),
            memory_bytes: (share * (0.2 + 1.8 * random.fraction())).round(),
            flops_per_s: between(random, 1, 40) * 1e8,
            memory_bytes_per_s: between(random, 1, 40) * 1e7,
            thermal_factor: if once_in(random, 12) { 0.0 } else { between(random, 2, 10) / 10.0 },
            allowed: !once_in(random, 12),
        })
        .collect();
    let mut links = Vec::new();
    if !kind.uniform {
        for from in 0..kind.devices {
            for to in (0..kind.devices).filter(|&to| to != from) {
                if !once_in(random, 4) {
                    let LinkSpeed { latency_s, bytes_per_s } = speed(random);
                    links.push(Link {
                        from: format!("d{from}"),
                        to: format!("d{to}"),
                        latency_s,
                        bytes_per_s,
                    });
                }
            }
        }
    }
    let missing_default = !kind.uniform && once_in(random, 10);
    Problem {
        model: Model {
            layers,
            embedding_bytes: if once_in(random, 3) { 0.0 } else { between(random, 0, 6) * 1e6 },
            head_bytes: if once_in(random, 3) { 0.0 } else { between(random, 0, 6) * 1e6 },
            activation_bytes: between(random, 0, 20) * 1e2,
        },
        devices,
        links,
        default_link: if missing_default { None } else { Some(speed(random)) },
        workload: Workload { context_tokens },
        objective: kind.objective,
        max_devices: if once_in(random, 3) { Some(1 + random.below(4) as usize) } else { None },
        time_limit_ms: 5000.0,
        tensor: None,
    }
}
