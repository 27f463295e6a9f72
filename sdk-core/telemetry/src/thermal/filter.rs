//! What one guess makes of the readings: a Kalman filter on its circuit.

use super::{
    circuit::{CASE, Circuit, GAIN, Matrix, PART, ROOM, SENSOR, STATES, Vector},
    normal::truncated,
    prior::Prior,
};

/// The state of one guess, how sure it is, and how well it has foretold the readings so far.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) circuit: Circuit,
    /// The noise of the sensor by this guess, in grains.
    pub(super) noise: f64,
    /// The logarithm of how well it foretold, prior included; only differences matter.
    pub(super) log_weight: f64,
    state: Vector,
    spread: Matrix,
}

/// What a sensor said, in grains, and how much it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seen {
    pub(super) low: f64,
    pub(super) high: f64,
    /// How many times the noise of a fresh reading this one carries, as a variance.
    pub(super) doubt: f64,
}

/// Noise that even the best sensor has: a step of a tenth, spread evenly.
const STEP_NOISE: f64 = 0.1 * 0.1 / 12.0;

impl Filter {
    /// Nothing is known but one reading.
    pub(super) fn new(circuit: Circuit, noise: f64, log_weight: f64, first: f64, prior: &Prior) -> Self {
        let mut spread = [[0.0; STATES]; STATES];
        spread[SENSOR][SENSOR] = prior.sensor * prior.sensor;
        spread[PART][PART] = prior.part * prior.part;
        spread[GAIN][GAIN] = prior.gain_spread * prior.gain_spread;
        // Where the case is, the room probably is too: a phone that starts warm has both wrong together.
        let case = prior.case * prior.case;
        spread[CASE][CASE] = case;
        (spread[CASE][ROOM], spread[ROOM][CASE]) = (case, case);
        spread[ROOM][ROOM] = case + prior.room * prior.room;
        Self { circuit, noise, log_weight, state: [first, first, first, prior.gain, first], spread }
    }

    /// Lets time pass.
    pub(super) fn advance(&mut self, minutes: f64, work: f64, prior: &Prior) {
        let change = self.circuit.transition(minutes, work);
        let state: Vector = std::array::from_fn(|row| dot(&change[row], &self.state));
        // The spread is symmetric, so its rows are its columns.
        let half: Matrix =
            std::array::from_fn(|row| std::array::from_fn(|column| dot(&change[row], &self.spread[column])));
        let mut spread: Matrix =
            std::array::from_fn(|row| std::array::from_fn(|column| dot(&half[row], &change[column])));
        // The gain wanders only while there is work: a phone that throttles draws less for the same work.
        spread[GAIN][GAIN] += (prior.gain_wander * work).powi(2) * minutes;
        spread[ROOM][ROOM] += prior.room_wander.powi(2) * minutes;
        (self.state, self.spread) = (state, spread);
    }

    /// Takes a reading in.
    pub(super) fn observe(&mut self, seen: Seen) {
        let foretold = self.state[SENSOR];
        let variance =
            self.spread[SENSOR][SENSOR].max(0.0) + self.noise * self.noise * seen.doubt + STEP_NOISE;
        let (surprise, learnt, log_likelihood) = if seen.low == seen.high {
            let surprise = seen.low - foretold;
            (surprise, 1.0, -0.5 * (surprise * surprise / variance + variance.ln()))
        } else {
            let deviation = variance.sqrt();
            let known = truncated((seen.low - foretold) / deviation, (seen.high - foretold) / deviation);
            (known.mean * deviation, 1.0 - known.variance, known.log_mass)
        };
        self.log_weight += log_likelihood;
        let column: Vector = std::array::from_fn(|row| self.spread[row][SENSOR]);
        for row in 0..STATES {
            let gain = column[row] / variance;
            self.state[row] += gain * surprise;
            for (inner, covariance) in column.iter().enumerate() {
                self.spread[row][inner] -= gain * covariance * learnt;
            }
            self.spread[row][row] = self.spread[row][row].max(1e-9);
        }
    }

    /// Begins again at a reading after a time of which nothing is known. What the device *is* stays known.
    pub(super) fn reawaken(&mut self, at: f64, prior: &Prior) {
        let doubts = [(SENSOR, prior.sensor), (PART, prior.part), (CASE, prior.case)];
        for (index, doubt) in doubts {
            self.state[index] = at;
            for other in 0..STATES {
                (self.spread[index][other], self.spread[other][index]) = (0.0, 0.0);
            }
            self.spread[index][index] = doubt * doubt;
        }
    }

    /// Where the sensor will be, and the variance of that.
    pub(super) fn sensor(&self) -> (f64, f64) {
        (self.state[SENSOR], self.spread[SENSOR][SENSOR].max(0.0))
    }

    /// Where the sensor will be after `minutes` of `work`, when it does `now` today. More work is never cooler.
    pub(super) fn sensor_after(&self, minutes: f64, now: f64, work: f64) -> f64 {
        let [row, ..] = self.circuit.transition(minutes, 1.0);
        let mut sensor = 0.0;
        for (index, value) in self.state.iter().enumerate() {
            sensor += row[index] * value * if index == GAIN { now } else { 1.0 };
        }
        sensor + row[GAIN] * (work - now) * self.gain()
    }

    /// How far full work warms the part above the case: never below 0, since work does not cool.
    pub(super) const fn gain(&self) -> f64 {
        self.state[GAIN].max(0.0)
    }

    /// The room by this guess: where the device settles without work.
    pub(super) const fn room(&self) -> f64 {
        self.state[ROOM]
    }

    /// The variance of where it settles under `work`.
    pub(super) fn settled_variance(&self, work: f64) -> f64 {
        let slope = work * self.circuit.settled_share();
        let variance = self.spread[ROOM][ROOM]
            + 2.0 * slope * self.spread[ROOM][GAIN]
            + slope * slope * self.spread[GAIN][GAIN];
        variance.max(0.0)
    }
}

fn dot(one: &Vector, other: &Vector) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
