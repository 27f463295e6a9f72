//! What holds whatever the sensor says.

use std::time::Duration;

use exo_telemetry::{
    Random,
    reading::ThermalStatus,
    thermal::{Celsius, Forecast, LevelNames, Levels, Observation, ThermalModel, Unit},
};

use crate::rig::{at, between, mins, secs};

fn sound<U: Unit>(forecast: &Forecast<U>) {
    let Forecast { mean, low, high, confidence, .. } = *forecast;
    assert!(mean.is_finite() && low.is_finite() && high.is_finite(), "{forecast:?}");
    assert!(low <= mean && mean <= high, "{forecast:?}");
    assert!((0.0..=1.0).contains(&confidence), "{forecast:?}");
}

/// A model that was fed with anything a sensor can mean, at any time, under any work.
fn anything(seed: u64) -> (ThermalModel<Celsius>, Duration) {
    let mut random = Random::seeded(seed);
    let mut model = ThermalModel::new();
    let mut now = Duration::ZERO;
    let calm = random.fraction() < 0.5;
    let centre = between(&mut random, -40.0, 150.0);
    for _ in 0..=random.below(120) {
        let value = if calm {
            (centre + between(&mut random, -3.0, 3.0)).clamp(-40.0, 150.0)
        } else {
            between(&mut random, -40.0, 150.0)
        };
        model.observe(at(now), Observation::celsius(value).unwrap());
        let load = [0.0, 1.0, random.fraction(), f64::NAN, -3.0, 1e300][random.below(6) as usize];
        model.load(at(now), load);
        now += match random.below(6) {
            0 => Duration::ZERO,
            1 => Duration::from_millis(random.below(2_000)),
            2 => secs(random.below(100_000)),
            _ => secs(random.below(90)),
        };
    }
    (model, now)
}

#[test]
fn any_input_gives_a_finite_forecast_with_its_mean_in_its_band() {
    for seed in 0..300 {
        let (mut model, _) = anything(seed);
        for horizon in [Duration::ZERO, secs(1), mins(3), mins(30), Duration::MAX] {
            sound(&model.forecast(horizon).unwrap());
        }
        sound(&model.estimate().unwrap());
        let duty = model.holding_duty(40.0).unwrap();
        assert!((0.0..=1.0).contains(&duty), "{duty}");
        let _ = model.time_to(40.0);
    }
}

#[test]
fn more_work_never_settles_or_gets_cooler() {
    for seed in 300..500 {
        let (model, _) = anything(seed);
        let shares: Vec<f64> = (0..=10).map(|tenth| f64::from(tenth) / 10.0).collect();
        let settled: Vec<f64> = shares.iter().map(|share| model.steady_state(*share).unwrap().mean).collect();
        assert!(settled.is_sorted_by(|less, more| *less <= *more + 1e-9), "seed {seed}: {settled:?}");
        let later: Vec<f64> = shares.iter().map(|share| model.outlook(mins(7), *share).unwrap()).collect();
        assert!(later.is_sorted_by(|less, more| *less <= *more + 1e-9), "seed {seed}: {later:?}");
    }
}

#[test]
fn any_sequence_of_levels_gives_a_sound_forecast() {
    use ThermalStatus::{Critical, Emergency, Light, Moderate, None, Severe, Shutdown};
    for seed in 0..100 {
        let mut random = Random::seeded(seed);
        let mut model = ThermalModel::<Levels>::new();
        for step in 0..200 {
            let status =
                [None, Light, Moderate, Severe, Critical, Emergency, Shutdown][random.below(7) as usize];
            let names = if random.fraction() < 0.5 { LevelNames::Ios } else { LevelNames::Android };
            model.observe(at(secs(10 * step)), Observation::level(status, names));
        }
        sound(&model.forecast(mins(10)).unwrap());
        sound(&model.estimate().unwrap());
    }
}

#[test]
fn a_clock_that_goes_back_is_one_that_stands_still() {
    let mut model = ThermalModel::<Celsius>::new();
    for second in [100, 110, 50, 120, 0, 130] {
        model.observe(at(secs(second)), Observation::celsius(30.0).unwrap());
        model.load(at(secs(second)), 0.5);
    }
    sound(&model.forecast(mins(5)).unwrap());
}
