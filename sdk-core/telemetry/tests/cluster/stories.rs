//! What happens to the cluster, and what must follow.

use std::time::Duration;

use exo_telemetry::{aggregator::Presence, placement::Decision, score::Part};

use crate::{
    host::LIMIT,
    network::{CALM, ROUGH, SLOWEST},
    scene::{DEVICES, LOOKS_EVERY, STEP, Scene},
};

const fn mins(minutes: u64) -> Duration {
    Duration::from_mins(minutes)
}

fn seeds() -> std::ops::Range<u64> {
    0..if std::env::var_os("EXO_TEST_LONG").is_some() { 100 } else { 6 }
}

#[test]
fn whoever_listens_knows_all_devices_and_ranks_them_by_what_they_are() {
    for seed in seeds() {
        let scene = Scene::planned(ROUGH, seed);
        let ranked = scene.planner.ranked(scene.now());
        let order: Vec<_> = ranked.iter().map(|score| score.id.as_str()).collect();
        assert_eq!(order.len(), DEVICES.len(), "seed {seed}: everybody is known: {order:?}");
        assert_eq!(order[..2], ["mac-studio", "mac-mini"], "seed {seed}");
        for score in &ranked {
            let value = score.value.expect("all told something");
            assert!((0.0..=1.0).contains(&value) && (0.0..=1.0).contains(&score.confidence), "{score:?}");
            assert!(
                score.factor(Part::Bandwidth).is_some_and(|part| part.value.is_none()),
                "no link was measured"
            );
        }
    }
}

#[test]
fn noise_alone_never_changes_the_plan() {
    for seed in seeds() {
        for weather in [CALM, ROUGH] {
            let mut scene = Scene::planned(weather, seed);
            let plan = scene.planner.stages.clone();
            assert!(scene.planner.layers_on("pixel") > 0, "seed {seed}: a phone works: {plan:?}");
            scene.run(mins(30));
            assert_eq!(scene.planner.changes, [], "seed {seed}");
            assert_eq!(scene.planner.stages, plan, "seed {seed}");
        }
    }
}

#[test]
fn a_phone_that_comes_into_the_sun_gives_its_layers_away_before_its_limit() {
    for seed in seeds() {
        let mut scene = Scene::planned(ROUGH, seed);
        scene.run(mins(20));
        let before = scene.planner.layers_on("pixel");
        // With all of its work it would settle at 53 °C, and a third of it would take it to the limit.
        scene.host("pixel").room = 41.0;
        let took = scene.run_until(mins(20), |scene| scene.planner.layers_on("pixel") < before);
        assert!(took.is_some(), "seed {seed}: its layers stayed: {}", scene.planner.why);
        let pixel = scene.host("pixel");
        println!("seed {seed}: after {took:?}, at {:.1} °C", pixel.heat);
        // That it never reaches the limit is asserted at every step.
        assert!(pixel.heat < LIMIT - 0.5, "seed {seed}: {} °C when they went", pixel.heat);
        scene.run(mins(20));
        assert!(scene.planner.layers_on("pixel") < before, "seed {seed}: and they do not come back");
        assert!(scene.planner.changes.len() <= 3, "seed {seed}: {:?}", scene.planner.changes);
        assert!(!scene.decisions().contains(&Decision::Stop), "seed {seed}");
    }
}

#[test]
fn who_says_goodbye_has_no_layers_as_soon_as_that_is_heard() {
    for seed in seeds() {
        let mut scene = Scene::planned(ROUGH, seed);
        scene.run(mins(5));
        let began = scene.millis;
        scene.goodbye("mac-mini");
        scene.run_until(mins(2), |scene| scene.planner.layers_on("mac-mini") == 0).expect("it is replanned");
        let (noticed, _, presence) =
            scene.noticed.iter().find(|(_, id, _)| id == "mac-mini").expect("noticed");
        assert_eq!(scene.millis, *noticed, "seed {seed}: in the step in which it was noticed");
        if *presence == Presence::Left {
            assert!(noticed - began <= SLOWEST + STEP.as_millis() as u64, "seed {seed}");
        }
        assert_eq!(scene.decisions(), [Decision::Replace], "seed {seed}");
    }
}

#[test]
fn who_falls_silent_is_replanned_around_after_five_broken_promises() {
    for seed in seeds() {
        for name in ["galaxy", "pixel"] {
            let mut scene = Scene::planned(ROUGH, seed);
            scene.run(mins(5));
            assert!(scene.planner.layers_on(name) > 0, "seed {seed}: {name} works");
            let host = scene.host(name);
            host.alive = false;
            let promise = host.make.promise();
            let took =
                scene.run_until(mins(5), |scene| scene.planner.layers_on(name) == 0).expect("replanned");
            let patience = promise * 5 + Duration::from_secs(5);
            let heard = scene.planner.listener.device(name).expect("it is still known").heard();
            let silence = scene.now().mono.since(heard);
            assert!((patience..patience + STEP).contains(&silence), "seed {seed}: {name} after {silence:?}");
            // Its last words may still have been on their way.
            let most = patience + Duration::from_millis(SLOWEST) + STEP;
            assert!(took <= most, "seed {seed}: {name} after {took:?}");
            assert_eq!(scene.decisions(), [Decision::Replace], "seed {seed}");
            assert!(scene.noticed.iter().any(|(_, id, presence)| id == name && *presence == Presence::Lost));
        }
    }
}

#[test]
fn one_after_the_other_goes_and_the_rest_carries_on() {
    for seed in seeds() {
        let mut scene = Scene::planned(ROUGH, seed);
        for name in ["mac-mini", "galaxy", "nuc", "iphone"] {
            scene.host(name).alive = false;
            scene.run(mins(4));
            assert_eq!(scene.planner.layers_on(name), 0, "seed {seed}: {name}");
        }
        assert!(scene.planner.stages.iter().any(|stage| stage.device == "server"), "seed {seed}");
        assert!(scene.millis.is_multiple_of(LOOKS_EVERY));
    }
}

#[test]
fn the_same_seed_gives_the_same_hour() {
    let hour = || {
        let mut scene = Scene::planned(ROUGH, 3);
        scene.host("pixel").room = 38.0;
        scene.run(mins(30));
        (scene.planner.stages.clone(), scene.decisions(), scene.host("pixel").heat.to_bits())
    };
    assert_eq!(hour(), hour());
}
