//! Looking, and learning from it.

use std::time::Duration;

use exo_telemetry::{
    Now, Readings,
    history::History,
    probe::{Identity, Probe},
    reading::Groups,
    thermal::{Celsius, Headroom, LevelNames, Levels, Observation, ThermalModel, Unit},
};

use super::sight::{Band, Forecast, Sight};

/// The past that the chart shows, and the future, in looks and in steps.
const PAST: usize = 48;
const STEPS: u32 = 24;
/// The future in which the chart ends.
const HORIZON: Duration = Duration::from_mins(2);

/// Looks at the device and learns its heat, in the finest way in which it tells it.
pub(super) struct Watcher {
    probe: Box<dyn Probe>,
    identity: Identity,
    readings: Readings,
    began: Now,
    celsius: Heat<Celsius>,
    headroom: Heat<Headroom>,
    levels: Heat<Levels>,
}

impl Watcher {
    pub(super) fn new(mut probe: Box<dyn Probe>, every: Duration, now: Now) -> Self {
        Self {
            identity: probe.identity(),
            probe,
            readings: Readings::unavailable("not looked at yet", now.wall.into()),
            began: now,
            celsius: Heat::new("celsius", every),
            headroom: Heat::new("headroom", every),
            levels: Heat::new("levels", every),
        }
    }

    /// One look.
    pub(super) fn look(&mut self, now: Now) -> Sight {
        self.probe.read(now, Groups::ALL, &mut self.readings);
        self.readings.refuse_absurd();
        let (thermal, load) = (&self.readings.thermal, load(&self.readings));
        let degrees = thermal.temperature.get();
        let headroom = thermal.headroom.get();
        let status = thermal.status.get();
        self.celsius.feel(now, load, degrees.and_then(|value| Observation::celsius(value).ok()), degrees);
        self.headroom.feel(now, load, headroom.and_then(|value| Observation::headroom(value).ok()), headroom);
        let level = status.map(|status| Observation::level(status, LevelNames::default()));
        self.levels.feel(now, load, level, status.map(|status| f64::from(status as u8)));
        let (forecast, past) = if self.celsius.is_felt() {
            self.celsius.tell(now)
        } else if self.headroom.is_felt() {
            self.headroom.tell(now)
        } else {
            self.levels.tell(now)
        };
        Sight {
            at_s: now.mono.since(self.began.mono).as_secs_f64(),
            identity: self.identity.clone(),
            readings: self.readings.clone(),
            forecast,
            past,
        }
    }
}

/// What warms the device: its GPU or its processor, whichever works more. Unknown is full work, as the model has it.
fn load(readings: &Readings) -> f64 {
    let uses = [readings.gpu.utilisation.get(), readings.cpu.utilisation.get()];
    uses.into_iter().flatten().reduce(f64::max).unwrap_or(1.0)
}

/// The heat in one unit.
struct Heat<U> {
    name: &'static str,
    model: ThermalModel<U>,
    history: History,
    last: Option<f64>,
}

impl<U: Unit> Heat<U> {
    fn new(name: &'static str, every: Duration) -> Self {
        Self { name, model: ThermalModel::new(), history: History::new(PAST, every), last: None }
    }

    fn feel(&mut self, now: Now, load: f64, seen: Option<Observation<U>>, value: Option<f64>) {
        if let (Some(seen), Some(value)) = (seen, value) {
            self.model.load(now, load);
            self.model.observe(now, seen);
            self.history.push(now.mono, value);
            self.last = Some(value);
        }
    }

    const fn is_felt(&self) -> bool {
        self.last.is_some()
    }

    fn tell(&mut self, now: Now) -> (Option<Forecast>, Vec<Option<f64>>) {
        let past = self.history.points(now.mono).map(|(_, point)| point.map(|point| point.mean)).collect();
        let Some(last) = self.last else { return (None, past) };
        let points = (1..=STEPS).filter_map(|step| {
            let after = HORIZON * step / STEPS;
            let forecast = self.model.forecast(after)?;
            let after_s = after.as_secs_f64();
            Some(Band { after_s, low: forecast.low, mean: forecast.mean, high: forecast.high })
        });
        let points = points.collect();
        (Some(Forecast { unit: self.name, suffix: U::SUFFIX, now: last, points }), past)
    }
}
