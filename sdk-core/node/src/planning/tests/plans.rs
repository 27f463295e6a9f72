//! Which plans come out.

use exo_telemetry::placement::{Binding, Decision, Moving, Objective, PlacedStage, Status};

use super::desk::{Desk, GB, id, model, timed};
use crate::planning::{Wanted, Wishes, plan, plan_again};

/// The stages cover all layers, in order, once.
fn covers(stages: &[PlacedStage], layers: usize) {
    let mut next = 0;
    for stage in stages {
        assert_eq!(stage.start_layer, next, "{stages:?}");
        next = stage.end_layer;
    }
    assert_eq!(next, layers, "{stages:?}");
}

#[test]
fn a_model_that_the_fastest_machine_holds_runs_there_alone() {
    let plan = Desk::mixed().plan(&model(30));
    assert_eq!((plan.answer.status, plan.layers("studio")), (Status::Optimal, 30));
    for other in ["book", "pixel", "galaxy", "tower"] {
        assert!(plan.why(other).starts_with("not used: "), "{}", plan.why(other));
    }
}

#[test]
fn a_model_that_no_machine_holds_is_split_and_the_fastest_is_full() {
    let plan = Desk::mixed().plan(&model(54));
    covers(&plan.answer.stages, 54);
    assert!(plan.layers("studio") >= 38, "{}", plan.why("studio"));
    assert!(plan.layers("book") > plan.layers("tower"), "the book is three times as fast");
    assert_eq!(plan.answer.status, Status::Optimal);
    assert!(plan.answer.next_best.is_some());
}

#[test]
fn a_model_that_is_too_large_for_all_says_what_is_missing() {
    let plan = Desk::mixed().plan(&model(200));
    assert_eq!(plan.answer.status, Status::Infeasible);
    assert!(plan.answer.missing_bytes > 50.0 * GB as f64);
    assert!(plan.answer.summary.contains("short"), "{}", plan.answer.summary);
}

#[test]
fn a_hot_phone_gets_fewer_layers_than_its_twin() {
    let mut desk = Desk::empty().phone("pixel", 8).phone("galaxy", 8);
    desk.wishes.objective = Objective::Throughput;
    let cool = desk.plan(&model(12));
    assert_eq!((cool.layers("pixel"), cool.layers("galaxy")), (6, 6));
    desk.told("pixel").readings.thermal.headroom = exo_telemetry::Reading::measured(1.0, desk.telemetry.at);
    let hot = desk.plan(&model(12));
    assert_eq!(
        (hot.layers("pixel"), hot.layers("galaxy")),
        (4, 8),
        "half of the speed is half of the layers"
    );
}

#[test]
fn a_phone_that_throttles_severely_gets_nothing() {
    let mut desk = Desk::mixed();
    let at = desk.telemetry.at;
    let severe = exo_telemetry::reading::ThermalStatus::Severe;
    desk.told("pixel").readings.thermal.status = exo_telemetry::Reading::measured(severe, at);
    let plan = desk.plan(&model(54));
    let share = plan.answer.devices.iter().find(|share| share.id == id("pixel").as_str()).unwrap();
    assert_eq!((share.layers, share.binding), (0, Binding::TooHot));
}

#[test]
fn when_a_phone_leaves_the_rest_takes_over_and_keeps_what_it_has() {
    let mut desk =
        Desk::empty().exo("book", "Apple M3 Pro", "MlxMetal", 8).phone("pixel", 4).phone("galaxy", 5);
    let card = model(22);
    let before = desk.plan(&card);
    covers(&before.answer.stages, 22);
    let gone = if before.layers("pixel") > 0 { "pixel" } else { "galaxy" };
    let stays = if gone == "pixel" { "galaxy" } else { "pixel" };
    desk.leaves(gone);
    let (again, _) = timed(|clock| {
        let moving = Moving::default();
        plan_again(&before, Wanted::Card(&card), desk.situation(), &desk.wishes, moving, clock)
    })
    .unwrap();
    assert_eq!(again.decision, Decision::Replace, "{}", again.why);
    covers(&again.stages, 22);
    assert!(again.stages.iter().all(|stage| stage.device != id(gone).as_str()));
    assert!(again.stages.iter().any(|stage| stage.device == id(stays).as_str()));
    let whole = card.storage_size.in_bytes() as f64;
    assert!(again.moved_bytes < whole / 2.0, "the book keeps its layers: {}", again.moved_bytes);
}

#[test]
fn a_plan_stays_when_nothing_happened() {
    let (desk, card) = (Desk::mixed(), model(54));
    let before = desk.plan(&card);
    let (again, assumptions) = timed(|clock| {
        plan_again(&before, Wanted::Card(&card), desk.situation(), &desk.wishes, Moving::default(), clock)
    })
    .unwrap();
    assert_eq!((again.decision, again.stages), (Decision::Keep, before.answer.stages));
    assert_eq!(assumptions, before.assumptions);
}

#[test]
fn more_context_takes_more_memory_and_spreads_the_model() {
    let mut desk = Desk::mixed();
    assert_eq!(desk.plan(&model(30)).answer.stages.len(), 1);
    desk.wishes.context_tokens = 100_000;
    assert!(desk.plan(&model(30)).answer.stages.len() > 1, "8 heads of 128 numbers for 30 layers are 12 GB");
}

#[test]
fn a_model_whose_layers_are_known_needs_no_assumption_about_itself() {
    let desk = Desk::mixed();
    let layers = desk.plan(&model(30)).problem.model;
    let planned =
        timed(|clock| plan(Wanted::Layers(&layers), desk.situation(), &desk.wishes, clock)).unwrap();
    assert_eq!(planned.layers("studio"), 30);
    assert!(planned.assumed("model").is_empty());
}

#[test]
fn the_most_devices_of_a_plan_can_be_set() {
    let mut desk = Desk::mixed();
    desk.wishes = Wishes { max_devices: Some(2), ..desk.wishes };
    assert_eq!(desk.plan(&model(50)).answer.stages.len(), 2);
}

#[test]
fn any_cluster_gives_a_plan_that_holds_or_a_reason() {
    let first = 0x706c_616e;
    println!("seeds from {first}");
    for seed in first..first + 150 {
        let mut random = crate::Random::seeded(seed);
        let mut desk = Desk::empty();
        for number in 0..=random.below(7) {
            let name = format!("n{number}");
            let gigabytes = random.below(12);
            desk = match random.below(4) {
                0 => desk.exo(&name, "Apple M4", "MlxMetal", gigabytes),
                1 => desk.exo(&name, "Unknown Chip", ["MlxCpu", "Vllm"][random.below(2) as usize], gigabytes),
                2 => desk.phone(&name, gigabytes),
                _ => desk.guest(&name, gigabytes),
            };
            if random.below(6) == 0 {
                desk.node(&name).memory = None;
            }
            if random.below(6) == 0 {
                desk.leaves(&name);
            }
        }
        desk.wishes.even_guests = random.below(2) == 0;
        let layers = 1 + random.below(40);
        let Ok(plan) = desk.try_plan(&model(layers as u32)) else {
            assert!(desk.view.nodes.values().all(|node| !node.present), "seed {seed}: a problem was refused");
            continue;
        };
        if plan.answer.status == Status::Infeasible {
            assert!(!plan.answer.summary.is_empty(), "seed {seed}");
            continue;
        }
        covers(&plan.answer.stages, layers as usize);
        for stage in &plan.answer.stages {
            let participant = &plan.participants[&stage.device];
            assert_eq!(participant.barred, None, "seed {seed}: a barred device is in the plan");
            let device = plan.problem.devices.iter().find(|device| device.id == stage.device).unwrap();
            let weights = (stage.end_layer - stage.start_layer) as f64 * GB as f64 / 2.0;
            assert!(weights <= device.memory_bytes, "seed {seed}: {} is over its memory", participant.name);
        }
    }
}
