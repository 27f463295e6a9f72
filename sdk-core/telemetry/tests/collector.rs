//! The collector over hours of virtual time: how often it wakes, looks and speaks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use exo_telemetry::{
    Now, Random, Reading, Readings,
    collector::{Collector, Input, Output, Pace},
    protocol::{Body, GpuMetrics, Message},
    reading::{Group, Groups, Quantity},
};

mod common;
use common::{at, phone, registration, stamp};

/// A phone with a collector, and a driver that does what it asks.
struct Phone {
    collector: Collector,
    now: u64,
    readings: Readings,
    wakes: usize,
    looks: Vec<(u64, Groups)>,
    said: Vec<(u64, Message)>,
    answers: bool,
}

impl Phone {
    fn new(charging: bool) -> Self {
        Self {
            collector: Collector::new(at(0), registration("pixel"), Random::seeded(5)),
            now: 0,
            readings: phone(at(0), charging),
            wakes: 0,
            looks: Vec::new(),
            said: Vec::new(),
            answers: true,
        }
    }

    fn listened_to(charging: bool) -> Self {
        let mut phone = Self::new(charging);
        phone.does(Input::Listeners(1));
        phone
    }

    fn time(&self) -> Now {
        at(self.now)
    }

    fn does(&mut self, input: Input<'_>) {
        self.collector.handle(self.time(), input);
        self.serve();
    }

    fn serve(&mut self) {
        while let Some(output) = self.collector.poll() {
            match output {
                Output::Look(groups) => {
                    self.looks.push((self.now, groups));
                    if self.answers {
                        self.collector.handle(at(self.now), Input::Looked(groups, &self.readings));
                    }
                }
                Output::Tell(message) => self.said.push((self.now, *message)),
            }
        }
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time.as_millis() as u64;
        while let Some(deadline) = self.collector.deadline() {
            let wake = deadline.since_start().as_millis() as u64;
            if wake > end {
                break;
            }
            assert!(wake >= self.now, "a deadline in the past would spin");
            self.now = wake.max(self.now) + u64::from(deadline.since_start().subsec_nanos() % 1_000_000 != 0);
            self.wakes += 1;
            self.does(Input::Tick);
        }
        self.now = end;
    }

    fn forget(&mut self) {
        (self.wakes, self.looks, self.said) = (0, Vec::new(), Vec::new());
    }

    fn metrics(&self) -> impl Iterator<Item = &GpuMetrics> {
        self.said.iter().filter_map(|(_, message)| match &message.body {
            Body::Heartbeat(heartbeat) => Some(&heartbeat.metrics),
            Body::Metrics(metrics) => Some(metrics),
            _ => None,
        })
    }

    fn kinds(&self) -> Vec<&str> {
        self.said.iter().map(|(_, message)| message.body.kind()).collect()
    }
}

const HOUR: Duration = Duration::from_hours(1);

#[test]
fn while_nobody_listens_the_phone_sleeps() {
    let mut phone = Phone::new(true);
    assert_eq!(phone.collector.deadline(), None);
    phone.does(Input::Shown(true));
    phone.run(HOUR);
    assert_eq!((phone.wakes, phone.looks.len(), phone.said.len()), (0, 0, 0));
    phone.does(Input::Listeners(1));
    phone.run(HOUR);
    phone.does(Input::Listeners(0));
    phone.forget();
    phone.run(HOUR);
    assert_eq!((phone.wakes, phone.looks.len(), phone.said.len()), (0, 0, 0));
}

#[test]
fn who_begins_to_listen_hears_who_it_is_and_everything() {
    let phone = Phone::listened_to(true);
    assert_eq!(phone.kinds(), ["device_registration", "heartbeat"]);
    assert_eq!(phone.looks, [(0, Groups::ALL)]);
    let metrics = phone.metrics().next().unwrap();
    assert!(metrics.full && metrics.readings.len() == Quantity::COUNT);
}

#[test]
fn power_decides_how_often_a_phone_wakes() {
    for (charging, saving, shown, per_hour) in [
        (true, false, false, 720),
        (false, false, false, 240),
        (false, true, false, 60),
        (false, false, true, 3600),
    ] {
        let mut phone = Phone::new(charging);
        phone.readings.battery.power_save = Reading::measured(saving, stamp(at(0)));
        phone.does(Input::Listeners(1));
        phone.does(Input::Shown(shown));
        phone.run(Duration::from_mins(2));
        phone.forget();
        phone.run(HOUR);
        // Everything that is told every five minutes moves the beat, by half of it on average.
        assert!(phone.wakes.abs_diff(per_hour) <= 20, "{charging} {saving} {shown}: {} wakes", phone.wakes);
    }
}

#[test]
fn one_wake_serves_every_look_and_the_word() {
    let mut phone = Phone::listened_to(false);
    phone.run(HOUR);
    assert!(phone.looks.len() <= phone.wakes);
    assert!(phone.looks.iter().all(|(look, _)| phone.said.iter().any(|(said, _)| said == look)));
}

#[test]
fn what_does_not_change_is_looked_at_less_often_and_told_not_at_all() {
    let mut phone = Phone::listened_to(true);
    phone.run(Duration::from_mins(1));
    phone.forget();
    phone.run(HOUR);
    let looks = |group| phone.looks.iter().filter(|(_, groups)| groups.contains(group)).count();
    assert!((170..=260).contains(&looks(Group::Thermal)), "{}", looks(Group::Thermal));
    assert!(looks(Group::Disk) <= 20 && looks(Group::Disk) >= 10, "{}", looks(Group::Disk));
    assert!(phone.metrics().filter(|metrics| !metrics.full).all(|metrics| metrics.readings.is_empty()));
    assert_eq!(phone.metrics().filter(|metrics| metrics.full).count(), 12);
}

#[test]
fn only_what_left_its_dead_band_is_told_and_once() {
    let mut phone = Phone::listened_to(true);
    phone.run(Duration::from_secs(20));
    phone.forget();
    phone.readings.thermal.temperature = Reading::measured(45.0, stamp(phone.time()));
    phone.readings.battery.level = Reading::measured(0.801, stamp(phone.time()));
    phone.run(Duration::from_mins(4));
    let told: Vec<_> = phone.metrics().flat_map(|metrics| metrics.readings.keys().copied()).collect();
    assert!(!told.is_empty() && told.iter().all(|quantity| *quantity == Quantity::Temperature), "{told:?}");
    assert!(told.len() <= 2, "a smoothed step settles within two tellings: {told:?}");
}

#[test]
fn a_flickering_sensor_is_quieted() {
    let mut phone = Phone::listened_to(true);
    phone.does(Input::Shown(true));
    phone.run(Duration::from_secs(30));
    phone.forget();
    for second in 0..120 {
        let flicker = if second % 2 == 0 { 0.0 } else { 0.08 };
        phone.readings.gpu.utilisation = Reading::measured(0.5 + flicker, stamp(phone.time()));
        phone.run(Duration::from_secs(1));
    }
    let tellings = phone.metrics().filter(|m| m.readings.contains_key(&Quantity::ComputeUtilisation)).count();
    assert!((1..=12).contains(&tellings), "{tellings}");
}

#[test]
fn news_from_the_system_need_not_wait_for_a_beat_but_comes_in_no_flood() {
    let mut phone = Phone::listened_to(false);
    phone.run(Duration::from_secs(40));
    phone.forget();
    phone.readings.battery.charging = Reading::measured(true, stamp(phone.time()));
    let readings = phone.readings.clone();
    phone.does(Input::Looked(Group::Battery.into(), &readings));
    assert_eq!(phone.kinds(), ["gpu_metrics"]);
    assert_eq!(phone.collector.pace(), Pace::Mains);
    phone.forget();
    for flap in 0..100 {
        phone.now += 10;
        phone.readings.battery.charging = Reading::measured(flap % 2 == 0, stamp(phone.time()));
        let readings = phone.readings.clone();
        phone.does(Input::Looked(Group::Battery.into(), &readings));
    }
    assert!(phone.said.len() <= 2, "{:?}", phone.kinds());
}

#[test]
fn a_newcomer_hears_everything_soon_and_a_crowd_of_them_not_more_often_than_every_ten_seconds() {
    let mut phone = Phone::listened_to(false);
    phone.run(Duration::from_mins(1));
    phone.forget();
    phone.does(Input::Listeners(2));
    phone.run(Duration::from_secs(1));
    assert!(phone.metrics().next().is_some_and(|metrics| metrics.full));
    phone.forget();
    for listeners in 3..103 {
        phone.does(Input::Listeners(listeners));
        phone.run(Duration::from_millis(500));
    }
    let full = phone.metrics().filter(|metrics| metrics.full).count();
    assert!((4..=6).contains(&full), "{full}");
}

#[test]
fn a_probe_that_never_answers_does_not_silence_the_phone() {
    let mut phone = Phone::new(true);
    phone.answers = false;
    phone.does(Input::Listeners(1));
    phone.run(Duration::from_mins(2));
    let beats = phone.kinds().iter().filter(|kind| **kind == "heartbeat").count();
    assert!((6..=12).contains(&beats), "{beats}");
    let first = phone.metrics().next().unwrap();
    assert!(first.readings.values().all(|told| told.reading.why() == Some("not looked at yet")));
}

#[test]
fn numbers_never_skip_and_a_goodbye_is_the_last() {
    let mut phone = Phone::listened_to(true);
    phone.run(Duration::from_mins(30));
    phone.does(Input::Leave("the app was closed"));
    let sequences: Vec<u64> = phone.said.iter().map(|(_, message)| message.sequence).collect();
    assert!(sequences.iter().enumerate().all(|(place, sequence)| *sequence == place as u64));
    assert_eq!(phone.kinds().last(), Some(&"goodbye"));
    phone.forget();
    phone.run(HOUR);
    assert!(phone.said.is_empty());
}

#[test]
fn absurd_values_of_a_probe_never_leave_the_phone() {
    let mut phone = Phone::new(true);
    phone.readings.thermal.temperature = Reading::measured(65535.0, stamp(at(0)));
    phone.readings.power = Reading::measured(f64::NAN, stamp(at(0)));
    phone.does(Input::Listeners(1));
    let metrics = phone.metrics().next().unwrap();
    for quantity in [Quantity::Temperature, Quantity::Power] {
        assert!(metrics.readings[&quantity].reading.why().unwrap().contains("is not between"));
    }
}

#[test]
fn a_promise_is_kept_at_every_pace() {
    for charging in [true, false] {
        let mut phone = Phone::listened_to(charging);
        phone.run(HOUR);
        let beat = |(time, message): &(u64, Message)| match &message.body {
            Body::Heartbeat(heartbeat) => Some((*time, heartbeat.next.as_millis() as u64)),
            _ => None,
        };
        let beats: Vec<_> = phone.said.iter().filter_map(beat).collect();
        assert!(beats.is_sorted_by(|(a, promised), (b, _)| b - a <= promised + 10));
    }
}
