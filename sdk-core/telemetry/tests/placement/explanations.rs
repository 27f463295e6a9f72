//! Each device is told why, and the reason is true: without it the plan changes.

use exo_telemetry::{
    Random,
    placement::{Binding, Objective, Problem, Status},
};

use super::cluster::{desk, device, link, problem, share, solved};

/// Takes the constraint that a device was told of out of the problem, and solves it again.
fn relaxed(problem: &Problem, id: &str) -> Problem {
    let share = share(&solved(problem), id).clone();
    let index = problem.devices.iter().position(|device| device.id == id).expect("a device");
    share.binding.relax(problem, index).unwrap_or_else(|| panic!("{id} is held back by {:?}", share.binding))
}

#[test]
fn a_full_device_is_told_that_its_memory_is_the_limit() {
    let wanted = problem(desk());
    let before = solved(&wanted);
    let mac = share(&before, "mac");
    assert_eq!(mac.binding, Binding::Memory);
    assert!(mac.why.starts_with("24 layers: its memory is the limit"), "{}", mac.why);
    assert!(mac.gain_s.is_some_and(|gain| gain > 0.0));
    assert_eq!(share(&solved(&relaxed(&wanted, "mac")), "mac").layers, 32);
}

#[test]
fn a_slow_device_is_told_that_its_speed_is_the_limit() {
    let wanted = problem(desk());
    let before = solved(&wanted);
    assert_eq!(share(&before, "host").binding, Binding::Speed);
    assert_eq!(share(&before, "host").layers, 0);
    assert!(share(&solved(&relaxed(&wanted, "host")), "host").layers > 0);
}

#[test]
fn a_far_device_is_told_that_its_links_are_the_limit() {
    let mut wanted =
        problem(vec![device("mac", 12.0, 100.0), device("near", 9.0, 50.0), device("far", 9.0, 80.0)]);
    wanted.links =
        ["mac", "near"].iter().flat_map(|other| [link("far", other, 0.4), link(other, "far", 0.4)]).collect();
    let before = solved(&wanted);
    assert_eq!(share(&before, "far").binding, Binding::Links);
    assert!(share(&before, "far").why.contains("its links are the limit"));
    assert!(share(&solved(&relaxed(&wanted, "far")), "far").layers > 0);
}

#[test]
fn a_device_that_one_more_place_would_let_in_is_told_so() {
    let mut wanted = problem(desk());
    wanted.max_devices = Some(2);
    let before = solved(&wanted);
    let left_out = before.devices.iter().find(|share| share.binding == Binding::MaxDevices).expect("one");
    let after = solved(&relaxed(&wanted, &left_out.id));
    assert!(share(&after, &left_out.id).layers > 0);
    assert!(after.cost_s < before.cost_s);
}

#[test]
fn a_refused_device_is_told_by_whom() {
    let mut wanted = problem(desk());
    wanted.devices[0].allowed = false;
    wanted.devices[1].thermal_factor = 0.0;
    wanted.devices[2].memory_bytes_per_s = 0.0;
    let answer = solved(&wanted);
    for (id, binding) in
        [("mac", Binding::NotAllowed), ("pixel", Binding::TooHot), ("iphone", Binding::NoSpeed)]
    {
        assert_eq!(share(&answer, id).binding, binding);
        assert!(share(&solved(&relaxed(&wanted, id)), id).layers > 0, "{id} would be used");
    }
}

#[test]
fn the_next_best_plan_is_told_with_its_price() {
    let answer = solved(&problem(desk()));
    let next = answer.next_best.expect("there are other ways");
    assert_ne!(next.stages, answer.stages);
    assert!(next.worse_by > 0.0);
    let cost = answer.cost_s.expect("a plan");
    assert!((next.cost_s - cost * (1.0 + next.worse_by)).abs() < 1e-12);
    assert!(answer.summary.contains("the next best devices or order would be"), "{}", answer.summary);
}

#[test]
fn whatever_is_called_binding_makes_the_plan_cheaper_when_it_goes() {
    let mut seen = std::collections::HashSet::new();
    for seed in 0..120 {
        let random = &mut Random::seeded(seed);
        let mut wanted = problem(
            (0..5)
                .map(|at| {
                    device(&format!("d{at}"), 2.0 + random.fraction() * 12.0, 10.0 + random.fraction() * 90.0)
                })
                .collect(),
        );
        wanted.model.layers.truncate(16);
        wanted.max_devices = [None, Some(2), Some(3)][random.below(3) as usize];
        wanted.objective = [Objective::Latency, Objective::Throughput][random.below(2) as usize];
        for from in 0..5 {
            for to in (0..5).filter(|&to| to != from) {
                wanted.links.push(link(&format!("d{from}"), &format!("d{to}"), random.fraction() * 0.04));
            }
        }
        let before = solved(&wanted);
        if before.status != Status::Optimal {
            continue;
        }
        for (index, told) in before.devices.iter().enumerate().filter(|(_, told)| told.gain_s.is_some()) {
            let after = solved(&told.binding.relax(&wanted, index).expect("a constraint that was tried"));
            let (old, new) = (before.cost_s.expect("a plan"), after.cost_s.expect("still a plan"));
            let gain = told.gain_s.expect("filtered");
            assert!(new <= old - gain * (1.0 - 1e-9), "seed {seed}: {told:?}, {old} then {new}");
            seen.insert(told.binding);
        }
    }
    assert!(seen.len() >= 4, "only {seen:?}");
}
