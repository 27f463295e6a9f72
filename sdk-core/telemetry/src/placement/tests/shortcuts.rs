//! What is found by a shortcut is what a look at everything finds.

use super::{
    super::{
        Device, Layer, Link, Objective, Problem,
        cost::Costs,
        door::best_alone,
        names::Names,
        pace::{least_paces, least_times},
        plan::{Costed, Plan, Stage},
        split::{best_split, fill, is_filled},
    },
    sample::{Kind, problem},
};
use crate::Random;

fn is_close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// Unlike layers, whole numbers with many ties on even seeds; some layers and devices have only one of both numbers.
fn drawn(seed: u64, objective: Objective) -> (Problem, Random) {
    let mut random = Random::seeded(seed);
    let kind = Kind {
        devices: 2 + random.below(9) as usize,
        layers: 2 + random.below(14) as usize,
        alike: seed.is_multiple_of(5),
        uniform: false,
        objective,
    };
    let mut problem = problem(&mut random, kind);
    if !seed.is_multiple_of(2) {
        for layer in &mut problem.model.layers {
            *layer = Layer {
                bytes: layer.bytes * random.fraction(),
                flops: layer.flops * random.fraction(),
                ..*layer
            };
        }
    }
    if seed.is_multiple_of(7) {
        problem.model.layers[0] = Layer { bytes: 0.0, flops: 0.0, kv_bytes_per_token: 0.0 };
        problem.model.layers[1].bytes = 0.0;
    }
    (problem, random)
}

/// Some of the devices in some order.
fn order(costs: &Costs, random: &mut Random) -> Vec<usize> {
    let mut devices: Vec<usize> = (0..costs.devices()).collect();
    for at in (1..devices.len()).rev() {
        devices.swap(at, random.below(at as u64 + 1) as usize);
    }
    devices.truncate(2 + random.below(devices.len() as u64) as usize);
    devices
}

#[test]
fn the_fastest_device_of_each_layer_and_the_best_layer_of_each_device_are_found() {
    for seed in 60_000..62_000 {
        let costs = Costs::new(&drawn(seed, Objective::Latency).0);
        let (layers, rates) = costs.paces();
        let times = least_times(layers, rates);
        for (layer, &found) in layers.iter().zip(&times) {
            let least = rates.iter().map(|rates| rates.time(layer)).fold(f64::INFINITY, f64::min);
            assert!(is_close(found, least), "seed {seed}: {found} instead of {least}");
        }
        let weighty = || layers.iter().zip(&times).filter(|&(_, &time)| time > 0.0);
        for (device, found) in least_paces(layers, &times, rates).into_iter().enumerate() {
            let paces = weighty().map(|(layer, time)| rates[device].time(layer) / time);
            let least = paces.fold(f64::INFINITY, f64::min);
            assert!(is_close(found, least), "seed {seed}: {found} instead of {least}");
            assert!(is_close(costs.whole[device], costs.time(device, 0, costs.layers)), "seed {seed}");
        }
    }
}

#[test]
fn the_best_single_stage_is_the_best_of_all() {
    let mut found = 0;
    for seed in 62_000..64_000 {
        let costs = Costs::new(&drawn(seed, Objective::Latency).0);
        let mut best = None;
        for plan in (0..costs.devices()).map(|device| Plan::alone(device, costs.layers)) {
            let costed = costs.of(&plan).map(|cost| Costed { plan, cost });
            best = Costed::better(best, costed);
        }
        assert_eq!(best_alone(&costs), best, "seed {seed}");
        found += usize::from(best_alone(&costs).is_some());
    }
    assert!(found > 100, "only {found} of 2000");
}

/// The least cost of devices in an order, by trying every place of every cut.
fn least_split(costs: &Costs, order: &[usize], ends: &mut Vec<(usize, usize)>) -> Option<f64> {
    let start = ends.last().map_or(0, |&(_, end)| end);
    let Some(&device) = order.get(ends.len()) else {
        return costs.of(&Plan::of_ends(ends.iter().copied()));
    };
    let mut least: Option<f64> = None;
    for end in (start + 1..=costs.layers).take_while(|&end| costs.fits(&Stage { device, start, end })) {
        ends.push((device, end));
        let cost = least_split(costs, order, ends);
        ends.pop();
        least = cost.into_iter().chain(least).reduce(f64::min);
    }
    least
}

#[test]
fn an_order_is_split_as_well_as_by_trying_every_cut() {
    let (mut found, mut unfilled) = (0, 0);
    for seed in 64_000..67_000_u64 {
        let objective = if seed.is_multiple_of(3) { Objective::Throughput } else { Objective::Latency };
        let (problem, mut random) = drawn(seed, objective);
        let costs = Costs::new(&problem);
        let order = order(&costs, &mut random);
        if order.len() < 2 || order.len() > costs.most {
            continue;
        }
        let least = least_split(&costs, &order, &mut Vec::new());
        let split = best_split(&costs, &order);
        let cost = split.map(|split| split.cost);
        assert!(is_close(cost.unwrap_or(1e300), least.unwrap_or(1e300)), "seed {seed}: {cost:?}, {least:?}");
        let filled = fill(&costs, &order);
        assert_eq!(is_filled(&costs, &order), filled.is_some(), "seed {seed}");
        if let Some(Costed { plan, cost }) = &filled {
            assert!(costs.of(plan).is_some_and(|exact| is_close(exact, *cost)), "seed {seed}");
            assert!(least.is_some_and(|least| least <= cost * (1.0 + 1e-9)), "seed {seed}");
        }
        found += usize::from(least.is_some());
        unfilled += usize::from(least.is_some() && filled.is_none());
    }
    assert!(found > 300, "only {found} of 3000");
    assert!(unfilled > 10, "only {unfilled} that are not filled at once");
}

#[test]
fn links_are_found_by_their_names_in_whatever_order_they_are_listed() {
    let (mut wanted, mut random) = drawn(0, Objective::Latency);
    let device = wanted.devices[0].clone();
    // Names that begin alike, end in zeros, are empty but for zeros, or are longer than a word.
    wanted.devices = (0..40)
        .map(|at| match at % 4 {
            0 => format!("a long name that all of these share {at}"),
            1 => "\0".repeat(at),
            2 => format!("d{at}{}", "\0".repeat(at % 9)),
            _ => format!("{at}"),
        })
        .map(|id| Device { id, ..device.clone() })
        .collect();
    let link = |from: usize, to: usize| Link {
        from: wanted.devices[from].id.clone(),
        to: wanted.devices[to].id.clone(),
        latency_s: 0.0,
        bytes_per_s: 1.0,
    };
    let mut pairs: Vec<(usize, usize)> = (0..40).flat_map(|from| (0..40).map(move |to| (from, to))).collect();
    for _ in 0..3 {
        let mut names = Names::new(&wanted.devices);
        for &(from, to) in &pairs {
            assert_eq!(names.ends(&link(from, to)), Ok((from, to)));
        }
        let stranger = Link { to: "nobody".into(), ..link(3, 4) };
        assert_eq!(names.ends(&stranger), Err("nobody"));
        for at in (1..pairs.len()).rev() {
            pairs.swap(at, random.below(at as u64 + 1) as usize);
        }
    }
}
