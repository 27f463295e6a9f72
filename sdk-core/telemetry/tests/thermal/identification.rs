//! Devices whose physics is known are found out from their readings alone.

use std::time::Duration;

use exo_telemetry::{
    Random,
    reading::ThermalStatus,
    thermal::{Celsius, Headroom, LevelNames, Levels, Observation, ThermalModel},
};

use crate::rig::{Device, at, between, mins, noise, secs};

/// Half an hour of rest, ten minutes of work, ten of rest, and so on, read every `apart`.
fn watched(device: &mut Device, span: Duration, apart: Duration, deviation: f64) -> ThermalModel<Celsius> {
    let mut model = ThermalModel::new();
    let mut random = Random::seeded(11);
    let mut now = Duration::ZERO;
    loop {
        let works = now >= mins(30) && (now.as_secs() / 600) % 2 == 1;
        let duty = f64::from(u8::from(works));
        let reading = ((device.heat + deviation * noise(&mut random)) * 10.0).round() / 10.0;
        model.load(at(now), duty);
        model.observe(at(now), Observation::celsius(reading).unwrap());
        if now >= span {
            return model;
        }
        device.work(apart, duty);
        now += apart;
    }
}

#[test]
fn the_constants_of_known_devices_are_found() {
    let mut random = Random::seeded(5);
    for _ in 0..20 {
        let (room, rise) = (between(&mut random, 15.0, 30.0), between(&mut random, 6.0, 20.0));
        let minutes = between(&mut random, 2.0, 10.0);
        let model = watched(&mut Device::rested(room, rise, minutes), mins(150), secs(10), 0.1);
        let learnt = model.learnt().unwrap();
        let found = learnt.time_constant.as_secs_f64() / 60.0;
        let truth = format!("{minutes:.1} min, {room:.1} + {rise:.1} °C: {learnt:?}");
        assert!((found / minutes).ln().abs() < 0.15, "time constant to 15%: {truth}");
        assert!((learnt.idle - room).abs() < 0.7, "room to 0.7 °C: {truth}");
        assert!((learnt.rise / rise - 1.0).abs() < 0.12, "rise to 12%: {truth}");
    }
}

#[test]
fn a_step_of_work_is_followed_ahead_of_time() {
    let mut device = Device::rested(22.0, 14.0, 5.0);
    let mut model = watched(&mut device, mins(90), secs(10), 0.05);
    let now = mins(90);
    // Work has rested for minutes and begins: a model that only extends the curve would foretell more cooling.
    model.load(at(now), 1.0);
    for (ahead, tolerance) in [(2, 0.5), (5, 0.6), (15, 0.8)] {
        let foretold = model.outlook(mins(ahead), 1.0).unwrap();
        let truth = device.after(mins(ahead), 1.0);
        assert!((foretold - truth).abs() < tolerance, "in {ahead} min: {foretold} for {truth}");
    }
}

#[test]
fn the_duty_that_it_names_holds_the_target() {
    let mut device = Device::rested(24.0, 18.0, 4.0);
    let model = watched(&mut device, mins(150), secs(10), 0.1);
    for target in [28.0, 33.0, 38.0] {
        let duty = model.holding_duty(target).unwrap();
        let settles = device.after(mins(600), duty);
        assert!((settles - target).abs() < 1.0, "{duty} settles at {settles}, not at {target}");
        assert_eq!(model.holding_power(target, 6.0), Some(6.0 * duty));
    }
    assert_eq!(model.holding_duty(60.0), Some(1.0), "it never gets there");
    assert_eq!(model.holding_duty(10.0), Some(0.0), "the room is warmer than that");
}

#[test]
fn the_time_to_a_limit_is_known_before_it_is_reached() {
    let mut device = Device::rested(24.0, 18.0, 6.0);
    let mut model = watched(&mut device, mins(90), secs(10), 0.05);
    model.load(at(mins(90)), 1.0);
    let foretold = model.time_to(38.0).unwrap().as_secs_f64();
    let truth = (0..7200).find(|second| device.after(secs(*second), 1.0) >= 38.0).unwrap() as f64;
    assert!((foretold / truth - 1.0).abs() < 0.25, "{foretold} s for {truth} s");
    assert_eq!(model.time_to(device.heat - 2.0), Some(Duration::ZERO));
    assert_eq!(model.time_to(90.0), None);
}

#[test]
fn asking_twenty_times_as_often_does_not_make_it_twenty_times_as_sure() {
    let often = watched(&mut Device::rested(22.0, 14.0, 5.0), mins(55), Duration::from_millis(500), 0.1)
        .forecast(mins(5))
        .unwrap();
    let rarely =
        watched(&mut Device::rested(22.0, 14.0, 5.0), mins(55), secs(10), 0.1).forecast(mins(5)).unwrap();
    assert!((often.mean - rarely.mean).abs() < 0.5, "{often} / {rarely}");
    let ratio = (often.high - often.low) / (rarely.high - rarely.low);
    assert!((0.5..2.0).contains(&ratio), "{often} / {rarely}");
}

#[test]
fn after_a_night_asleep_it_starts_where_the_phone_is_and_still_knows_the_phone() {
    let mut device = Device::rested(24.0, 16.0, 5.0);
    let mut model = watched(&mut device, mins(90), secs(10), 0.05);
    let rise = model.learnt().unwrap().rise;
    model.observe(at(mins(600)), Observation::celsius(19.0).unwrap());
    assert!((model.estimate().unwrap().mean - 19.0).abs() < 0.1);
    assert!((model.learnt().unwrap().rise - rise).abs() < 0.5);
}

#[test]
fn headroom_is_foretold_in_headroom() {
    let mut device = Device::rested(0.35, 0.5, 5.0);
    let mut model = ThermalModel::<Headroom>::new();
    for step in 0..60 {
        model.observe(at(secs(10 * step)), Observation::headroom(device.heat).unwrap());
        device.work(secs(10), 1.0);
    }
    let (foretold, truth) = (model.forecast(mins(5)).unwrap(), device.after(mins(5), 1.0));
    assert!((foretold.mean - truth).abs() < 0.05, "{foretold} for {truth}");
    assert!(foretold.high < 1.2 && foretold.low > 0.5, "{foretold}");
}

#[test]
fn four_levels_are_stretches_and_no_degrees_are_made_of_them() {
    let mut model = ThermalModel::<Levels>::new();
    let fair = Observation::level(ThermalStatus::Light, LevelNames::Ios);
    let nominal = Observation::level(ThermalStatus::None, LevelNames::Ios);
    for step in 0..30 {
        model.observe(at(secs(10 * step)), nominal);
    }
    let cool = model.estimate().unwrap();
    assert!(cool.mean < 1.2, "nominal ends at 1: {cool}");
    for step in 30..90 {
        model.observe(at(secs(10 * step)), fair);
    }
    let warm = model.estimate().unwrap();
    assert!(warm.mean > cool.mean && warm.mean > 0.8 && warm.mean < 3.2, "fair is 1 to 3: {warm}");
    assert!(warm.high - warm.low > 0.2, "where in the stretch it is, nobody knows: {warm}");
}
