//! Quieting what flickers.
//!
//! An exponential mean whose memory is a time, not a number of samples: after a gap of `dt` the old value weighs
//! `exp(-dt / tau)`, so it makes no difference how often one looks. A smoothed measurement is still measured: it is
//! a mean of what the sensor said.

use std::time::Duration;

use crate::{
    Reading,
    reading::{Figure, Quantity},
};

/// How long a quantity is remembered; `None` is told as it is.
pub const fn time_constant(quantity: Quantity) -> Option<Duration> {
    match quantity {
        Quantity::ComputeUtilisation | Quantity::CpuUtilisation | Quantity::Power => {
            Some(Duration::from_secs(5))
        }
        Quantity::Temperature => Some(Duration::from_secs(2)),
        _ => None,
    }
}

/// The reading after `elapsed` since the smoothed one before it.
pub(super) fn smoothed(
    quantity: Quantity,
    before: &Reading<Figure>,
    now: Reading<Figure>,
    elapsed: Duration,
) -> Reading<Figure> {
    let (Some(tau), Some(Figure::Number(before))) = (time_constant(quantity), before.get()) else {
        return now;
    };
    let kept = (-elapsed.as_secs_f64() / tau.as_secs_f64()).exp();
    now.map(|figure| match figure {
        Figure::Number(value) if value.is_finite() => Figure::Number(value + (before - value) * kept),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    fn degrees(value: f64) -> Reading<Figure> {
        Reading::measured(Figure::Number(value), Timestamp(0))
    }

    fn steps(number: u32, all: Duration) -> f64 {
        let mut state = degrees(20.0);
        for _ in 0..number {
            state = smoothed(Quantity::Temperature, &state, degrees(40.0), all / number);
        }
        state.get().and_then(Figure::number).unwrap()
    }

    #[test]
    fn one_time_constant_brings_it_63_per_cent_of_the_way_however_often_one_looks() {
        let tau = time_constant(Quantity::Temperature).unwrap();
        for number in [1, 2, 10, 1000] {
            assert!((steps(number, tau) - (20.0 + 20.0 * 0.632_120_558)).abs() < 1e-6, "{number}");
        }
    }

    #[test]
    fn after_a_long_gap_the_past_is_forgotten() {
        assert!((steps(1, Duration::from_mins(10)) - 40.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_not_there_before_is_told_as_it_is() {
        let none = Reading::unavailable("asleep", Timestamp(0));
        let now = smoothed(Quantity::Temperature, &none, degrees(40.0), Duration::from_millis(1));
        assert_eq!(now, degrees(40.0));
    }
}
