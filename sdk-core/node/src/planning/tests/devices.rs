//! What is believed of a device, what is assumed, and who may not be used.

use exo_telemetry::{Reading, aggregator::Presence};

use super::desk::{Desk, GB, id, model};

fn device(desk: &Desk, name: &str) -> exo_telemetry::placement::Device {
    let plan = desk.plan(&model(4));
    plan.problem.devices.into_iter().find(|device| device.id == id(name).as_str()).unwrap()
}

#[test]
fn what_a_phone_measured_is_taken_and_nothing_is_assumed_of_it() {
    let desk = Desk::mixed();
    let pixel = device(&desk, "pixel");
    assert_eq!((pixel.memory_bytes_per_s, pixel.flops_per_s, pixel.thermal_factor), (40e9, 1.5e12, 1.0));
    assert!(desk.plan(&model(4)).assumed("pixel").is_empty());
}

#[test]
fn every_figure_that_nobody_measured_is_listed_with_where_it_comes_from() {
    let plan = Desk::mixed().plan(&model(4));
    assert_eq!(
        plan.assumed("studio"),
        [
            "studio: memory bandwidth was not measured; 800 GB/s taken: what Apple publishes for an M2 Ultra",
            "studio: compute was not measured; 8 TFLOP/s assumed: enough that its memory decides",
        ]
    );
    assert_eq!(
        plan.assumed("tower"),
        [
            "tower: memory bandwidth was not measured; 50 GB/s assumed: that of an ordinary laptop or a good phone",
            "tower: compute was not measured; 500 GFLOP/s assumed: enough that its memory decides",
        ]
    );
    assert_eq!(
        plan.assumed("links"),
        ["links: no link was measured; 5 ms and 20 MB/s assumed: an ordinary Wi-Fi"]
    );
    assert_eq!(plan.assumed("model").len(), 3);
}

#[test]
fn a_figure_that_is_told_takes_its_assumption_away() {
    let card = model(4);
    let mut desk = Desk::empty().exo("tower", "Unknown Chip", "MlxCpu", 6).phone("pixel", 6);
    desk.node("tower").temperature = None;
    assert_eq!(desk.plan(&card).assumed("tower").len(), 3, "bandwidth, compute and heat");
    desk.node("tower").temperature = Some(50.0);
    assert_eq!(desk.plan(&card).assumed("tower").len(), 2);
    desk.node("tower").temperature = Some(95.0);
    assert!(desk.plan(&card).assumed("tower")[2].contains("95 °C"));
    let unknown = Reading::unavailable("asleep", desk.telemetry.at);
    desk.told("pixel").registration.as_mut().unwrap().capabilities.memory_bytes_per_s = unknown.into();
    assert_eq!(desk.plan(&card).assumed("pixel").len(), 1);
    let linked = desk.link("tower", "pixel", 0.004, (1e7, 1e7));
    assert!(linked.plan(&card).assumed("links").is_empty());
}

#[test]
fn a_guest_is_not_used_unless_that_is_asked_and_then_it_is_said() {
    let mut desk = Desk::empty().guest("pixel", 8);
    let plan = desk.plan(&model(4));
    assert_eq!(plan.why("pixel"), "not used: it offers no backend to exo: it is a guest");
    assert!(plan.assumed("pixel").is_empty(), "nothing needs to be assumed of who is not used");
    desk.wishes.even_guests = true;
    let plan = desk.plan(&model(4));
    assert_eq!(plan.layers("pixel"), 4);
    assert!(plan.assumed("pixel")[0].contains("planned as if it did"));
}

#[test]
fn a_device_whose_memory_is_not_known_is_not_used() {
    let mut desk = Desk::mixed();
    desk.node("studio").memory = None;
    let plan = desk.plan(&model(10));
    assert_eq!(plan.why("studio"), "not used: how much memory it has free is not known");
    assert_eq!(plan.layers("book"), 10);
}

#[test]
fn a_backend_that_cannot_run_the_model_does_not_count() {
    let mut desk = Desk::mixed();
    desk.node("studio").backends = vec!["Vllm".into()];
    let plan = desk.plan(&model(10));
    assert_eq!(plan.why("studio"), "not used: the model does not run on what it offers (Vllm)");
}

#[test]
fn the_least_of_what_a_phone_offers_has_and_may_use_counts() {
    let mut desk = Desk::empty().phone("pixel", 6);
    let at = desk.telemetry.at;
    desk.node("pixel").memory.as_mut().unwrap().available = 5 * GB;
    assert_eq!(device(&desk, "pixel").memory_bytes, 5e9);
    desk.told("pixel").readings.memory.app_limit = Reading::measured(3 * GB, at);
    assert_eq!(device(&desk, "pixel").memory_bytes, 3e9);
}

#[test]
fn an_empty_battery_and_the_wish_to_save_power_are_respected() {
    let mut desk = Desk::empty().phone("pixel", 6).phone("galaxy", 6);
    let at = desk.telemetry.at;
    desk.told("pixel").readings.battery.level = Reading::measured(0.11, at);
    desk.told("galaxy").readings.battery.power_save = Reading::measured(true, at);
    let plan = desk.plan(&model(4));
    assert_eq!(plan.why("pixel"), "not used: its battery is at 11% and it is not being charged");
    assert_eq!(plan.why("galaxy"), "not used: its owner asked it to save power");
    desk.told("pixel").readings.battery.charging = Reading::measured(true, at);
    assert_eq!(desk.plan(&model(4)).layers("pixel"), 4);
}

#[test]
fn who_was_not_heard_lately_is_believed_with_a_note_and_who_is_lost_is_not() {
    let mut desk = Desk::empty().phone("pixel", 6);
    desk.told("pixel").presence = Presence::Stale;
    desk.told("pixel").silent_ms = 41_000;
    let plan = desk.plan(&model(4));
    assert_eq!(
        plan.assumed("pixel"),
        ["pixel: it has not been heard for 41 s; its last readings taken: there are no newer ones"]
    );
    desk.told("pixel").presence = Presence::Lost;
    let assumed = desk.plan(&model(4)).assumed("pixel");
    assert!(assumed[0].contains("50 GB/s assumed"), "{assumed:?}");
}

#[test]
fn an_estimate_is_taken_and_listed() {
    let mut desk = Desk::empty().phone("pixel", 6);
    let estimate = Reading::estimated(30e9, "from the same phone last week", desk.telemetry.at);
    desk.told("pixel").registration.as_mut().unwrap().capabilities.memory_bytes_per_s = estimate.into();
    assert_eq!(device(&desk, "pixel").memory_bytes_per_s, 30e9);
    let assumed = desk.plan(&model(4)).assumed("pixel");
    assert_eq!(assumed, ["pixel: its speed is an estimate; 30 GB/s taken: from the same phone last week"]);
}

#[test]
fn nodes_that_left_are_no_part_of_a_plan() {
    let mut desk = Desk::mixed();
    desk.leaves("studio");
    let plan = desk.plan(&model(4));
    assert!(!plan.participants.contains_key(id("studio").as_str()));
    assert_eq!(plan.problem.devices.len(), 4);
}

#[test]
fn a_measured_link_counts_in_both_directions_and_the_rest_is_assumed() {
    let desk = Desk::mixed().link("studio", "book", 0.002, (1e9, 5e8));
    let plan = desk.plan(&model(4));
    let link = |from: &str, to: &str| {
        let (from, to) = (id(from), id(to));
        let found = plan.problem.links.iter().find(|it| it.from == from.as_str() && it.to == to.as_str());
        found.map(|link| (link.latency_s, link.bytes_per_s)).unwrap()
    };
    assert_eq!(link("studio", "book"), (0.001, 1e9));
    assert_eq!(link("book", "studio"), (0.001, 5e8));
    assert_eq!(
        plan.assumed("links"),
        ["links: 9 of 10 links were not measured; 5 ms and 20 MB/s assumed: an ordinary Wi-Fi"]
    );
}

#[test]
fn a_device_without_a_name_is_called_by_the_beginning_of_its_id() {
    let mut desk = Desk::empty().exo("tower-in-the-hall", "Unknown Chip", "MlxCpu", 6);
    desk.node("tower-in-the-hall").name = None;
    let plan = desk.plan(&model(4));
    assert_eq!(plan.name_of(id("tower-in-the-hall").as_str()), "id-tower");
}
