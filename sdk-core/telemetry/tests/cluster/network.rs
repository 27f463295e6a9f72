//! A network that loses, delays, turns round and repeats.

use std::collections::BTreeMap;

use exo_telemetry::Random;

/// The longest that a message is on its way, in milliseconds.
pub(crate) const SLOWEST: u64 = 3_000;

/// How bad it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weather {
    pub(crate) lost: f64,
    pub(crate) twice: f64,
    /// The share of messages that take up to [`SLOWEST`], and so come after later ones.
    pub(crate) slow: f64,
}

pub(crate) const CALM: Weather = Weather { lost: 0.0, twice: 0.0, slow: 0.0 };
pub(crate) const ROUGH: Weather = Weather { lost: 0.05, twice: 0.05, slow: 0.1 };

/// Messages on their way.
pub(crate) struct Network {
    weather: Weather,
    random: Random,
    /// By when they arrive; the number keeps apart what arrives at once.
    flying: BTreeMap<(u64, u64), Vec<u8>>,
    sent: u64,
}

impl Network {
    pub(crate) fn new(weather: Weather, random: Random) -> Self {
        Self { weather, random, flying: BTreeMap::new(), sent: 0 }
    }

    pub(crate) fn send(&mut self, now: u64, message: &[u8]) {
        if self.random.fraction() < self.weather.lost {
            return;
        }
        let copies = if self.random.fraction() < self.weather.twice { 2 } else { 1 };
        for _ in 0..copies {
            let slowest = if self.random.fraction() < self.weather.slow { SLOWEST } else { 100 };
            let arrives = now + 2 + self.random.below(slowest - 2);
            self.sent += 1;
            self.flying.insert((arrives, self.sent), message.to_vec());
        }
    }

    /// What arrived until now, in the order of its arrival.
    pub(crate) fn arrived(&mut self, now: u64) -> Vec<Vec<u8>> {
        let later = self.flying.split_off(&(now + 1, 0));
        std::mem::replace(&mut self.flying, later).into_values().collect()
    }
}
