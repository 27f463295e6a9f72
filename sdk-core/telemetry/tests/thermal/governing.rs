//! The governor on phones that can be computed.

use std::time::Duration;

use exo_telemetry::{
    Now, Random, Reading,
    reading::{ThermalReadings, ThermalStatus, Timestamp},
    thermal::{
        GovernorConfig, Level, LevelNames, ThermalGovernor,
        governor::{Outlook, TICK},
    },
};

use crate::rig::{Device, at, between, degrees, mins, noise, secs, silence};

/// A governor and its clock.
struct Desk {
    governor: ThermalGovernor,
    now: Duration,
}

impl Desk {
    fn new() -> Self {
        Self::with(GovernorConfig::default())
    }

    fn with(config: GovernorConfig) -> Self {
        Self { governor: ThermalGovernor::new(config), now: Duration::ZERO }
    }

    /// Ticks for a while with what the sensors say, and returns the last word.
    fn hold(&mut self, span: Duration, readings: impl Fn(Now) -> ThermalReadings) -> Level {
        let end = self.now + span;
        while self.now < end {
            self.now += TICK;
            self.governor.tick(at(self.now), &readings(at(self.now)));
        }
        self.governor.level()
    }

    fn held_at(&mut self, span: Duration, celsius: f64) -> Level {
        self.hold(span, |now| degrees(now, celsius))
    }

    /// Lets a device work as the governor says; returns the warmest that it got.
    fn run(&mut self, device: &mut Device, span: Duration, deviation: f64, random: &mut Random) -> f64 {
        let (end, mut warmest) = (self.now + span, device.heat);
        while self.now < end {
            self.now += TICK;
            let shown = ((device.heat + deviation * noise(random)) * 10.0).round() / 10.0;
            let level = self.governor.tick(at(self.now), &degrees(at(self.now), shown));
            assert!(level < Level::Full || device.heat < 41.0, "full work at {} °C", device.heat);
            device.work(TICK, level.duty());
            warmest = warmest.max(device.heat);
        }
        warmest
    }
}

#[test]
fn a_cool_device_does_everything_from_the_first_tick() {
    let mut desk = Desk::new();
    assert_eq!(desk.held_at(TICK, 25.0), Level::Full);
    assert_eq!(desk.held_at(mins(30), 25.0), Level::Full);
    assert_eq!(desk.governor.switches(), 0);
}

#[test]
fn a_device_that_would_pass_the_limit_is_eased_before_it() {
    let mut device = Device::rested(28.0, 25.0, 6.0);
    let mut desk = Desk::new();
    let warmest = desk.run(&mut device, mins(120), 0.05, &mut Random::seeded(1));
    assert!(warmest < 45.0, "{warmest}");
    assert!(device.heat > 38.0, "and not eased more than needed: {}", device.heat);
    assert!(desk.governor.switches() <= 8, "{}", desk.governor.switches());
}

#[test]
fn any_device_that_can_be_kept_below_the_limit_is_and_the_governor_stays_calm() {
    let mut random = Random::seeded(2);
    for case in 0..25 {
        let room = between(&mut random, 15.0, 38.0);
        let mut device =
            Device::rested(room, between(&mut random, 5.0, 35.0), between(&mut random, 2.0, 12.0));
        let truth = format!("case {case}: {device:?}");
        let mut desk = Desk::new();
        let deviation = between(&mut random, 0.0, 0.2);
        let warmest = desk.run(&mut device, mins(90), deviation, &mut random);
        assert!(warmest < 45.0, "{warmest} {truth}");
        assert!(
            desk.governor.switches() <= 16,
            "{} switches in 90 minutes: {truth}",
            desk.governor.switches()
        );
    }
}

#[test]
fn full_work_waits_for_the_whole_hysteresis() {
    let mut desk = Desk::new();
    desk.held_at(mins(2), 30.0);
    assert!(desk.held_at(secs(30), 41.0) < Level::Full);
    assert!(desk.held_at(mins(60), 36.0) < Level::Full, "36 °C is not yet 10 °C below the limit");
    assert_eq!(desk.held_at(mins(90), 30.0), Level::Full);
}

#[test]
fn at_the_limit_everything_stops_within_seconds_and_resumes_ten_degrees_below() {
    let mut desk = Desk::new();
    desk.held_at(mins(5), 38.0);
    assert_eq!(desk.held_at(secs(20), 46.0), Level::Paused);
    assert_eq!(desk.held_at(mins(60), 36.0), Level::Paused);
    assert!(desk.held_at(mins(5), 33.0) > Level::Paused);
}

#[test]
fn noise_never_makes_it_swing() {
    for seed in 0..40 {
        let mut random = Random::seeded(seed);
        // Everywhere from cool to the limit, so that noise crosses every threshold.
        let celsius = between(&mut random, 33.0, 46.0);
        let mut desk = Desk::new();
        for _ in 0..10_000 {
            desk.now += TICK;
            let shown = celsius + 0.6 * noise(&mut random);
            desk.governor.tick(at(desk.now), &degrees(at(desk.now), shown));
        }
        let switches = desk.governor.switches();
        assert!(switches <= 10, "{switches} switches in 10000 ticks around {celsius:.1} °C, seed {seed}");
    }
}

#[test]
fn a_lost_sensor_makes_it_careful_and_a_found_one_lets_it_rise_again() {
    let mut desk = Desk::new();
    assert_eq!(desk.held_at(mins(5), 30.0), Level::Full);
    assert_eq!(desk.hold(secs(8), silence), Level::Full, "a short silence is nothing");
    assert_eq!(desk.hold(secs(10), silence), Level::Half);
    assert_eq!(desk.hold(mins(2), silence), Level::Low);
    assert!(desk.held_at(secs(30), 30.0) < Level::Full, "not at once");
    assert_eq!(desk.held_at(mins(40), 30.0), Level::Full);
}

#[test]
fn a_sensor_that_is_lost_near_the_limit_leaves_next_to_nothing() {
    let mut desk = Desk::new();
    desk.held_at(mins(5), 41.5);
    assert!(desk.hold(secs(12), silence) <= Level::Low);
}

#[test]
fn a_sensor_that_repeats_an_old_reading_is_a_lost_one() {
    let mut desk = Desk::new();
    desk.held_at(mins(5), 30.0);
    let old = degrees(at(desk.now), 30.0);
    assert_eq!(desk.hold(secs(20), |_| old.clone()), Level::Half);
}

#[test]
fn a_device_without_any_sensor_does_little() {
    let mut desk = Desk::new();
    assert_eq!(desk.hold(secs(30), silence), Level::Half);
    assert_eq!(desk.hold(mins(5), silence), Level::Low);
    assert!(desk.governor.standing(at(desk.now).mono, mins(1)).closeness.is_none());
}

#[test]
fn absurd_readings_change_nothing_unless_they_insist() {
    let mut desk = Desk::new();
    desk.held_at(mins(5), 30.0);
    for absurd in [65_535.0, f64::NAN, -273.15, 149.0, -39.0] {
        assert_eq!(desk.held_at(TICK, absurd), Level::Full, "{absurd}");
        assert_eq!(desk.held_at(secs(2), 30.0), Level::Full);
    }
    assert_eq!(desk.governor.switches(), 0);
    assert_eq!(desk.held_at(secs(5), 60.0), Level::Paused, "a sensor that keeps saying it is believed");
}

#[test]
fn headroom_alone_is_enough() {
    let tells = |headroom: f64| {
        move |now: Now| ThermalReadings {
            headroom: Reading::measured(headroom, Timestamp::from(now.wall)),
            ..silence(now)
        }
    };
    let mut desk = Desk::new();
    assert_eq!(desk.hold(mins(3), tells(0.4)), Level::Full);
    let eased = desk.hold(mins(1), tells(0.88));
    assert!(eased < Level::Full && eased > Level::Paused, "{eased:?}");
    assert_eq!(desk.hold(secs(20), tells(1.0)), Level::Paused);
    let standing = desk.governor.standing(at(desk.now).mono, mins(1));
    assert!(matches!(standing.outlook, Some(Outlook::Headroom(_))), "{standing:?}");
}

#[test]
fn the_four_levels_of_an_iphone_are_enough() {
    let tells = |status: ThermalStatus| {
        move |now: Now| ThermalReadings {
            status: Reading::measured(status, Timestamp::from(now.wall)),
            ..silence(now)
        }
    };
    let mut desk = Desk::with(GovernorConfig { names: LevelNames::Ios, ..GovernorConfig::default() });
    assert_eq!(desk.hold(mins(5), tells(ThermalStatus::None)), Level::Full);
    assert!(desk.hold(mins(20), tells(ThermalStatus::Light)) > Level::Paused, "fair is not serious");
    assert_eq!(desk.hold(secs(20), tells(ThermalStatus::Severe)), Level::Paused);
    assert!(desk.hold(mins(60), tells(ThermalStatus::None)) > Level::Paused);
    assert!(desk.governor.switches() <= 12, "{}", desk.governor.switches());
}

#[test]
fn the_coldest_word_of_several_sensors_counts() {
    let mut desk = Desk::new();
    let level = desk.hold(mins(3), |now| ThermalReadings {
        status: Reading::measured(ThermalStatus::Severe, Timestamp::from(now.wall)),
        ..degrees(now, 25.0)
    });
    assert_eq!(level, Level::Paused);
}

#[test]
fn an_idle_phone_is_not_taken_for_one_that_stays_cool_under_work() {
    let mut desk = Desk::new();
    desk.governor.busy(0.0);
    desk.held_at(mins(20), 30.0);
    desk.governor.busy(1.0);
    let mut device = Device::rested(30.0, 25.0, 4.0);
    let warmest = desk.run(&mut device, mins(60), 0.05, &mut Random::seeded(4));
    assert!(warmest < 45.0, "{warmest}");
}

#[test]
fn the_last_minute_is_kept() {
    let mut desk = Desk::new();
    desk.held_at(mins(3), 30.0);
    let history: Vec<_> = desk.governor.history().iter().collect();
    assert_eq!(history.len(), 120);
    assert!(history.iter().all(|tick| tick.level == Level::Full && tick.closeness == Some(0.0)));
}
