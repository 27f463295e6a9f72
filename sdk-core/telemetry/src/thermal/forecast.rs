//! What will be, how sure that is, and the courage to say "as now".

use std::{fmt, marker::PhantomData, time::Duration};

use super::{Unit, bank::Moments};

/// A forecast in the unit in which the device tells its heat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast<U> {
    /// The best guess.
    pub mean: f64,
    /// One time in ten it will be below this.
    pub low: f64,
    /// One time in ten it will be above this.
    pub high: f64,
    /// 1 when the band is far narrower than what a phone usually moves, 0 when it says nothing.
    pub confidence: f64,
    /// How far ahead.
    pub horizon: Duration,
    pub(super) unit: PhantomData<U>,
}

/// Deviations to either side that hold 80% of a bell curve.
const EIGHTY_PERCENT: f64 = 1.281_551_6;
/// What phones move under work, in grains: the measure of a useful band.
const USUAL_RISE: f64 = 10.0;
/// How much of the variance a predicted move must outweigh before it is believed.
const DOUBT: f64 = 0.35;
/// A move smaller than this, in grains, is not told from none.
const STILL: f64 = 0.1;
/// The bands of an average over many guesses come out too wide; measured on generated phones.
const BAND: f64 = 0.85;

impl<U: Unit> Forecast<U> {
    /// The best guess from the moments of the bank, in grains.
    pub(super) fn new(moments: Moments, horizon: Duration) -> Self {
        let deviation = moments.variance.max(0.0).sqrt();
        let half = EIGHTY_PERCENT * BAND * deviation;
        let confidence = 1.0 / (1.0 + (2.0 * deviation / USUAL_RISE).powi(2));
        Self {
            mean: moments.mean * U::GRAIN,
            low: (moments.mean - half) * U::GRAIN,
            high: (moments.mean + half) * U::GRAIN,
            confidence,
            horizon,
            unit: PhantomData,
        }
    }

    /// The same when the last reading was `last` grains: a move is only told as far as it stands out of the doubt.
    ///
    /// With `d` the predicted move and `v` its variance, `d` is told as `d x max(0, 1 - (0.35 v + 0.1²) / d²)`. What
    /// is as likely as not to be noise becomes "as now", so that the forecast is hardly ever worse than repeating the
    /// last value; a move of several deviations passes nearly whole.
    pub(super) fn shrunk(moments: Moments, last: f64, horizon: Duration) -> Self {
        let moved = moments.mean - last;
        let doubt = DOUBT * moments.variance.max(0.0) + STILL * STILL;
        let share = (1.0 - doubt / (moved * moved).max(f64::MIN_POSITIVE)).max(0.0);
        Self::new(Moments { mean: last + share * moved, ..moments }, horizon)
    }
}

impl<U: Unit> fmt::Display for Forecast<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, low, high, .. } = self;
        let seconds = self.horizon.as_secs();
        write!(f, "{mean:.1}{} in {seconds} s (80%: {low:.1} to {high:.1})", U::SUFFIX)
    }
}
