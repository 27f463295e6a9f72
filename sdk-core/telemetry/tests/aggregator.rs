//! The aggregator on a bad network: loss, disorder, repetition, wrong clocks, floods.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use exo_telemetry::{
    Now, Random, Reading, Timestamp,
    aggregator::{Aggregator, Heard, Notice, Presence},
    protocol::{Body, Goodbye, GpuMetrics, Message},
    reading::{Figure, Quantity},
};

mod common;
use common::{at, heartbeat, id, message, phone, registration, stamp};

const SECOND: Duration = Duration::from_secs(1);

fn everything(name: &str, run: u32, sequence: u64, now: Now) -> Message {
    let metrics = GpuMetrics::everything(id(name), stamp(now), &phone(now, true));
    message(run, sequence, heartbeat(metrics, SECOND))
}

fn degrees(name: &str, run: u32, sequence: u64, celsius: f64) -> Message {
    let mut metrics = GpuMetrics::nothing_new(id(name), Timestamp(0));
    metrics.tell(Quantity::Temperature, Reading::measured(Figure::Number(celsius), Timestamp(0)));
    message(run, sequence, heartbeat(metrics, SECOND))
}

fn temperature(aggregator: &Aggregator, name: &str) -> Option<f64> {
    aggregator.device(name).unwrap().readings().thermal.temperature.get()
}

fn notices(aggregator: &mut Aggregator) -> Vec<Notice> {
    std::iter::from_fn(|| aggregator.poll()).collect()
}

#[test]
fn a_device_is_known_by_its_first_word_whatever_it_is() {
    let mut aggregator = Aggregator::default();
    aggregator.take(at(0), degrees("pixel", 1, 40, 31.0));
    let device = aggregator.device("pixel").unwrap();
    assert_eq!((device.registration(), device.is_whole(), device.traffic().lost), (None, false, 0));
    assert_eq!(device.readings().battery.level.why(), Some("the device did not tell yet"));
    aggregator.take(at(1), message(1, 41, Body::Registration(registration("pixel").into())));
    assert_eq!(aggregator.device("pixel").unwrap().registration().unwrap().name, "pixel of Ada");
    assert_eq!(notices(&mut aggregator), [Notice::Appeared(id("pixel"))]);
}

#[test]
fn what_changed_is_laid_over_what_was_told() {
    let mut aggregator = Aggregator::default();
    aggregator.take(at(0), everything("pixel", 1, 0, at(0)));
    aggregator.take(at(1_000), degrees("pixel", 1, 1, 44.0));
    let readings = aggregator.device("pixel").unwrap().readings();
    assert_eq!((readings.thermal.temperature.get(), readings.battery.level.get()), (Some(44.0), Some(0.8)));
    assert!(aggregator.device("pixel").unwrap().is_whole());
}

#[test]
fn a_late_message_fills_in_only_what_no_newer_one_told() {
    let mut aggregator = Aggregator::default();
    aggregator.take(at(0), everything("pixel", 1, 0, at(0)));
    assert_eq!(aggregator.take(at(3), degrees("pixel", 1, 2, 50.0)), Heard::Newest);
    assert!(!aggregator.device("pixel").unwrap().is_whole());
    let mut missed = GpuMetrics::nothing_new(id("pixel"), Timestamp(0));
    missed.tell(Quantity::Temperature, Reading::measured(Figure::Number(40.0), Timestamp(0)));
    missed.tell(Quantity::BatteryLevel, Reading::measured(Figure::Number(0.7), Timestamp(0)));
    assert_eq!(aggregator.take(at(4), message(1, 1, Body::Metrics(missed))), Heard::Late);
    let device = aggregator.device("pixel").unwrap();
    assert_eq!(
        (temperature(&aggregator, "pixel"), device.readings().battery.level.get()),
        (Some(50.0), Some(0.7))
    );
    assert!(device.is_whole() && device.traffic().lost == 0);
}

#[test]
fn any_order_with_repetitions_gives_the_same_picture() {
    let mut random = Random::seeded(9);
    for _ in 0..200 {
        let mut metrics: Vec<Message> = vec![everything("pixel", 1, 0, at(0))];
        for sequence in 1..30 {
            let mut change = GpuMetrics::nothing_new(id("pixel"), Timestamp(0));
            for quantity in [Quantity::Temperature, Quantity::ComputeUtilisation, Quantity::BatteryLevel] {
                if random.below(2) == 0 {
                    change.tell(
                        quantity,
                        Reading::measured(Figure::Number(random.fraction()), Timestamp(sequence)),
                    );
                }
            }
            metrics.push(message(1, sequence, Body::Metrics(change)));
        }
        let picture = |order: &[Message]| {
            let mut aggregator = Aggregator::default();
            for (time, message) in order.iter().enumerate() {
                aggregator.take(at(time as u64), message.clone());
            }
            let device = aggregator.device("pixel").unwrap();
            (device.readings().clone(), device.is_whole(), device.traffic().lost)
        };
        let in_order = picture(&metrics);
        let mut shuffled = metrics.clone();
        shuffled.extend_from_within(5..15);
        for place in (1..shuffled.len()).rev() {
            shuffled.swap(place, random.below(place as u64 + 1) as usize);
        }
        assert_eq!(picture(&shuffled), in_order);
    }
}

#[test]
fn a_device_that_starts_anew_is_believed_and_its_old_words_are_not() {
    let mut aggregator = Aggregator::default();
    aggregator.take(at(0), everything("pixel", 1, 500, at(0)));
    assert_eq!(aggregator.take(at(10), degrees("pixel", 2, 0, 20.0)), Heard::Restarted);
    assert_eq!(aggregator.take(at(20), degrees("pixel", 1, 501, 90.0)), Heard::OldRun);
    let device = aggregator.device("pixel").unwrap();
    assert_eq!(device.readings().thermal.temperature.get(), Some(20.0));
    assert_eq!(device.readings().battery.level.get(), None, "what the old run told is old");
    assert_eq!((device.traffic().runs, device.traffic().lost), (2, 0));
    assert!(notices(&mut aggregator).contains(&Notice::Restarted(id("pixel"))));
}

#[test]
fn broken_promises_make_a_device_stale_then_lost_then_forgotten() {
    let mut aggregator = Aggregator::default();
    aggregator.take(at(0), everything("pixel", 1, 0, at(0)));
    notices(&mut aggregator);
    let mut story = Vec::new();
    while let Some(deadline) = aggregator.deadline() {
        let now = at(deadline.since_start().as_millis() as u64);
        aggregator.tick(now);
        story.extend(
            notices(&mut aggregator).into_iter().map(|notice| (deadline.since_start().as_secs(), notice)),
        );
    }
    assert_eq!(
        story,
        [
            (4, Notice::Became(id("pixel"), Presence::Stale)),
            (10, Notice::Became(id("pixel"), Presence::Lost)),
            (605, Notice::Forgotten(id("pixel"))),
        ]
    );
    assert_eq!(aggregator.devices().len(), 0);
}

#[test]
fn a_phone_that_promised_a_minute_is_not_stale_before_two() {
    let mut aggregator = Aggregator::default();
    let metrics = GpuMetrics::nothing_new(id("pixel"), Timestamp(0));
    aggregator.take(at(0), message(1, 0, heartbeat(metrics, Duration::from_mins(1))));
    aggregator.tick(at(119_000));
    assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Present);
    aggregator.tick(at(122_000));
    assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Stale);
    aggregator.take(at(123_000), degrees("pixel", 1, 1, 30.0));
    assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Present);
}

#[test]
fn our_own_sleep_is_no_silence_of_others() {
    let mut aggregator = Aggregator::default();
    aggregator.take(at(0), everything("pixel", 1, 0, at(0)));
    aggregator.tick(at(3_600_000));
    assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Stale, "one step, not all at once");
    aggregator.take(at(3_601_000), degrees("pixel", 1, 3_600, 30.0));
    assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Present);
}

#[test]
fn clocks_of_others_decide_nothing() {
    let mut aggregator = Aggregator::default();
    for (sequence, clock) in [(0, 0), (1, u64::MAX), (2, 1), (3, 1_767_225_600_000)] {
        let metrics = GpuMetrics::nothing_new(id("pixel"), Timestamp(clock));
        aggregator.take(at(sequence * 1_000), message(1, sequence, heartbeat(metrics, SECOND)));
        assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Present);
    }
    assert_eq!(aggregator.device("pixel").unwrap().behind_ms(), Some(3_000));
    aggregator.tick(at(7_000));
    assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Stale);
}

#[test]
fn a_goodbye_is_not_undone_by_what_comes_late() {
    let mut aggregator = Aggregator::default();
    aggregator.take(at(0), everything("pixel", 1, 0, at(0)));
    let goodbye = Goodbye::new(id("pixel"), Timestamp(0), "the app was closed");
    aggregator.take(at(10), message(1, 2, Body::Goodbye(goodbye)));
    aggregator.take(at(20), degrees("pixel", 1, 1, 30.0));
    assert_eq!(aggregator.device("pixel").unwrap().presence(), Presence::Left);
    aggregator.tick(at(61_000));
    assert!(aggregator.device("pixel").is_none());
}

#[test]
fn a_flood_of_made_up_devices_does_not_push_out_those_that_keep_speaking() {
    let mut aggregator = Aggregator::with_room_for(8);
    let real = ["a", "b", "c", "d"];
    for second in 0..60 {
        for name in real {
            aggregator.take(at(second * 1_000), degrees(name, 1, second, 30.0));
        }
        // The flood begins when those were heard twice.
        for made_up in 0..if second > 0 { 50 } else { 0 } {
            let name = format!("fake-{second}-{made_up}");
            aggregator.take(at(second * 1_000 + made_up), degrees(&name, 1, 0, 30.0));
        }
        assert!(aggregator.devices().len() <= 8);
        assert!(real.iter().all(|name| aggregator.device(name).is_some()), "{second}");
    }
}

#[test]
fn an_app_that_never_asks_does_not_fill_the_memory() {
    let mut aggregator = Aggregator::with_room_for(4);
    for number in 0..1_000 {
        aggregator.take(at(number), degrees(&format!("d{number}"), 1, 0, 30.0));
    }
    assert!(notices(&mut aggregator).len() <= 8);
}

#[test]
fn unknown_fields_of_a_registration_are_kept_within_bounds() {
    let mut aggregator = Aggregator::default();
    for (name, length, kept) in [("modest", 100, true), ("greedy", 10_000, false)] {
        let mut registration = registration(name);
        registration.extra.insert("colour".into(), "x".repeat(length).into());
        aggregator.take(at(0), message(1, 0, Body::Registration(registration.into())));
        let extra = &aggregator.device(name).unwrap().registration().unwrap().extra;
        assert_eq!(extra.contains_key("colour"), kept);
    }
}

#[test]
fn the_overview_counts_those_who_are_there_and_says_how_many_could_not_tell() {
    let mut aggregator = Aggregator::default();
    for (name, celsius) in [("cool", 25.0), ("hot", 71.0)] {
        aggregator.take(at(0), everything(name, 1, 0, at(0)));
        aggregator.take(at(0), degrees(name, 1, 1, celsius));
    }
    aggregator.take(at(0), degrees("silent", 1, 0, 99.0));
    aggregator.tick(at(2_000));
    aggregator.take(at(6_000), degrees("cool", 1, 2, 25.0));
    aggregator.take(at(6_000), degrees("hot", 1, 2, 71.0));
    aggregator.take(at(6_000), degrees("new", 1, 0, 20.0));
    let overview = aggregator.state(at(6_000)).overview();
    assert_eq!((overview.present, overview.silent), (3, 1));
    assert_eq!((overview.memory_available.bytes, overview.memory_available.unknown), (10 << 30, 1));
    assert_eq!(overview.hottest, Some((id("hot"), 71.0)));
    let json = serde_json::to_value(aggregator.state(at(6_000))).unwrap();
    assert_eq!(json["devices"][0]["readings"]["battery"]["level"]["source"], "measured");
}
