//! All guesses at once, each believed as much as it foretold well.
//!
//! No guess is chosen: the forecast is the average over all of them by their weight, and its spread is how far they
//! disagree added to how unsure each one is. Nothing is allocated after the first reading.

use super::{
    filter::{Filter, Seen},
    prior::{PRIOR, guesses},
};

/// A mean and a variance, in grains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

/// The guesses and how much each is believed; the weights add up to 1.
#[derive(Debug, Clone)]
pub(super) struct Bank {
    filters: Vec<Filter>,
    weights: Vec<f64>,
    /// Copies that a forecast moves into the future, kept so that it allocates nothing.
    future: Vec<Filter>,
}

/// Minutes after which what a guess foretold counts for a third: a device may change.
const MEMORY: f64 = 240.0;
/// A guess is never believed less than this, as a logarithm, so that it can come back.
const OUTSIDER: f64 = -14.0;
/// Guesses below this weight do not change a forecast that anyone could see.
const NEGLIGIBLE: f64 = 1e-4;
/// The longest step of a forecast, in minutes, and how many there may be.
const STEP: f64 = 1.0;
const STEPS: f64 = 8.0;

impl Bank {
    /// All guesses agree on the first reading.
    pub(super) fn new(first: f64) -> Self {
        let filters: Vec<Filter> = guesses()
            .map(|(circuit, noise, weight)| Filter::new(circuit, noise, weight, first, &PRIOR))
            .collect();
        let mut bank =
            Self { weights: vec![0.0; filters.len()], future: Vec::with_capacity(filters.len()), filters };
        bank.weigh();
        bank
    }

    /// Lets time pass and takes a reading in.
    pub(super) fn observe(&mut self, minutes: f64, work: f64, seen: Seen) {
        let keep = (-minutes / MEMORY).exp();
        for filter in &mut self.filters {
            if minutes > 0.0 {
                filter.advance(minutes, work, &PRIOR);
            }
            filter.log_weight *= keep;
            filter.observe(seen);
        }
        self.weigh();
    }

    /// Begins again at a reading after a time of which nothing is known.
    pub(super) fn reawaken(&mut self, at: f64) {
        for filter in &mut self.filters {
            filter.reawaken(at, &PRIOR);
        }
    }

    fn weigh(&mut self) {
        let best = self.filters.iter().map(|filter| filter.log_weight).fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (filter, weight) in self.filters.iter_mut().zip(&mut self.weights) {
            filter.log_weight = (filter.log_weight - best).max(OUTSIDER);
            *weight = filter.log_weight.exp();
            sum += *weight;
        }
        for weight in &mut self.weights {
            *weight /= sum;
        }
    }

    /// The guesses that matter.
    fn believed(&self) -> impl Iterator<Item = (&Filter, f64)> {
        self.filters.iter().zip(self.weights.iter().copied()).filter(|(_, weight)| *weight > NEGLIGIBLE)
    }

    fn average(&self, of: impl Fn(&Filter) -> f64) -> f64 {
        let (mut sum, mut all) = (0.0, 0.0);
        for (filter, weight) in self.believed() {
            sum += weight * of(filter);
            all += weight;
        }
        sum / all
    }

    /// Where the sensor is now.
    pub(super) fn sensor(&self) -> Moments {
        mixed(self.believed().map(|(filter, weight)| (filter.sensor(), weight)))
    }

    /// What the sensor will say after `minutes` if the work goes on as it does `now`.
    pub(super) fn after(&mut self, minutes: f64, now: f64) -> Moments {
        let steps = (minutes / STEP).ceil().clamp(1.0, STEPS);
        let mut future = std::mem::take(&mut self.future);
        future.clear();
        future.extend(self.believed().map(|(filter, weight)| {
            let mut filter = filter.clone();
            filter.log_weight = weight;
            filter
        }));
        for filter in &mut future {
            for _ in 0..steps as u32 {
                filter.advance(minutes / steps, now, &PRIOR);
            }
        }
        let moments = mixed(future.iter().map(|filter| {
            let (mean, variance) = filter.sensor();
            ((mean, variance + filter.noise * filter.noise), filter.log_weight)
        }));
        self.future = future;
        moments
    }

    /// Where the sensor will be on average after `minutes` of `work`, if it does `now` today.
    pub(super) fn mean_after(&self, minutes: f64, now: f64, work: f64) -> f64 {
        self.average(|filter| filter.sensor_after(minutes, now, work))
    }

    /// Where it settles under `work`.
    pub(super) fn settled(&self, work: f64) -> Moments {
        mixed(self.believed().map(|(filter, weight)| {
            let mean = filter.room() + filter.gain() * filter.circuit.settled_share() * work;
            ((mean, filter.settled_variance(work)), weight)
        }))
    }

    /// Where it settles without work, and how far full work moves it in the end.
    pub(super) fn room_and_rise(&self) -> (f64, f64) {
        let rise = self.average(|filter| filter.gain() * filter.circuit.settled_share());
        (self.average(Filter::room), rise)
    }

    /// The time constant of the part, in minutes.
    pub(super) fn time_constant(&self) -> f64 {
        self.average(|filter| filter.circuit.fast.ln()).exp()
    }
}

/// The moments of a mixture.
fn mixed(parts: impl Iterator<Item = ((f64, f64), f64)>) -> Moments {
    let (mut all, mut mean, mut variance) = (0.0, 0.0, 0.0);
    // West's update: exact, and no small difference of large numbers.
    for ((part, spread), weight) in parts {
        all += weight;
        let away = part - mean;
        mean += away * weight / all;
        variance += weight * (spread + away * (part - mean));
    }
    Moments { mean, variance: variance / all }
}
