//! A plan in use changes when it must, when it pays, and not for noise.

use exo_telemetry::{
    Random,
    placement::{Decision, Moving, PlacedStage, Problem, Replan, replan},
};

use super::cluster::{GB, desk, device, order, problem, solved, ticking};

fn next(old: &[PlacedStage], problem: &Problem) -> Replan {
    replan(old, problem, Moving::default(), &ticking()).expect("a problem that makes sense")
}

#[test]
fn a_device_that_leaves_takes_only_its_own_layers_along() {
    let mut wanted = problem(desk());
    let old = solved(&wanted).stages;
    let lost = old.iter().find(|stage| stage.device == "iphone").expect("it was used").clone();
    wanted.devices.retain(|device| device.id != "iphone");
    let soon = Moving { horizon_tokens: 50.0, ..Moving::default() };
    let change = replan(&old, &wanted, soon, &ticking()).expect("a problem that makes sense");
    assert_eq!(change.decision, Decision::Replace);
    assert!(!order(&change.stages).contains(&"iphone"));
    let lost_bytes = (lost.end_layer - lost.start_layer) as f64 * 0.5 * GB;
    assert!(change.moved_bytes <= lost_bytes + 2.0 * GB, "{} of {lost_bytes}", change.moved_bytes);
    assert!(change.why.starts_with("the old plan does not hold any more"), "{}", change.why);
}

#[test]
fn noise_does_not_flip_a_plan() {
    let calm = problem(desk());
    let mut plan = solved(&calm).stages;
    let mut random = Random::seeded(3);
    let mut changes = 0;
    for _ in 0..200 {
        let mut noisy = calm.clone();
        for device in &mut noisy.devices {
            device.memory_bytes_per_s *= 0.97 + 0.06 * random.fraction();
        }
        let change = next(&plan, &noisy);
        changes += usize::from(change.decision != Decision::Keep);
        plan = change.stages;
    }
    assert_eq!(changes, 0);
}

#[test]
fn a_device_that_heats_up_loses_its_layers_if_that_pays() {
    let mut wanted =
        problem(vec![device("mac", 12.0, 100.0), device("one", 9.0, 60.0), device("two", 9.0, 58.0)]);
    let old = solved(&wanted).stages;
    assert!(order(&old).contains(&"one"));
    wanted.devices[1].thermal_factor = 0.2;
    let change = next(&old, &wanted);
    assert_eq!(change.decision, Decision::Improve);
    assert!(!order(&change.stages).contains(&"one"));
    assert!(change.cost_s < change.old_cost_s);

    let few_tokens = Moving { horizon_tokens: 10.0, ..Moving::default() };
    let kept = replan(&old, &wanted, few_tokens, &ticking()).expect("a problem that makes sense");
    assert_eq!(kept.decision, Decision::Keep);
    assert_eq!(kept.stages, old);
    assert_eq!(kept.moved_bytes, 0.0);
    assert!(kept.why.contains("moving takes"), "{}", kept.why);
}

#[test]
fn a_better_device_that_saves_little_is_not_worth_a_change() {
    let mut wanted = problem(vec![device("mac", 12.0, 100.0), device("one", 9.0, 60.0)]);
    let old = solved(&wanted).stages;
    wanted.devices.push(device("two", 9.0, 62.0));
    let change = next(&old, &wanted);
    assert_eq!(change.decision, Decision::Keep);
    assert!(change.why.contains("a change needs 5.0%"), "{}", change.why);
}

#[test]
fn a_repair_may_be_better_than_the_best_plan_with_all_its_moves() {
    // The best plan from scratch would turn the order round; the repair keeps what is where it is.
    let mut wanted = problem(vec![
        device("a", 7.0, 50.0),
        device("b", 7.0, 50.0),
        device("c", 7.0, 50.0),
        device("d", 7.0, 49.0),
    ]);
    let old = solved(&wanted).stages;
    assert_eq!(old.len(), 3);
    let gone = old[1].device.clone();
    wanted.devices.retain(|device| device.id != gone);
    let change = next(&old, &wanted);
    assert_eq!(change.decision, Decision::Replace);
    let lost = (old[1].end_layer - old[1].start_layer) as f64 * 0.5 * GB;
    assert_eq!(change.moved_bytes, lost, "only the lost layers move");
}

#[test]
fn where_nothing_holds_any_more_it_says_so() {
    let mut wanted = problem(desk());
    let old = solved(&wanted).stages;
    wanted.devices.truncate(1);
    let change = next(&old, &wanted);
    assert_eq!(change.decision, Decision::Stop);
    assert!(change.stages.is_empty());
    assert!(change.why.contains("6.0 GB short"), "{}", change.why);
}

#[test]
fn devices_come_and_go_and_every_plan_holds() {
    let mut random = Random::seeded(11);
    let all: Vec<_> = (0..8)
        .map(|at| device(&format!("d{at}"), 4.0 + f64::from(at), 20.0 + f64::from(at * 3 % 8) * 10.0))
        .collect();
    let mut plan = solved(&problem(all.clone())).stages;
    for _ in 0..60 {
        let mut devices: Vec<_> = all.iter().filter(|_| random.below(5) > 0).cloned().collect();
        for device in &mut devices {
            device.thermal_factor = 0.4 + 0.6 * random.fraction();
        }
        let wanted = problem(devices);
        let change = next(&plan, &wanted);
        if change.decision == Decision::Stop {
            continue;
        }
        let mut at = 0;
        for stage in &change.stages {
            assert_eq!(stage.start_layer, at);
            at = stage.end_layer;
            assert!(wanted.devices.iter().any(|device| device.id == stage.device));
        }
        assert_eq!(at, 32);
        plan = change.stages;
    }
}
