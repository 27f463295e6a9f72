//! What is believed of any phone before it was seen. One setting for all.
//!
//! Heat is in grains of the unit (one degree, a thirtieth of the headroom, a fifth of a level), time in minutes. The
//! numbers are weak beside fifteen minutes of readings. They were chosen on generated phones and on the shared traces;
//! `docs/thermal.md` says how that was checked, and which of them matters most.

use super::circuit::Circuit;

/// Beliefs before the first reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prior {
    /// How far the sensor may be from its first reading.
    pub(super) sensor: f64,
    /// How far the part may be from it: a sensor lags.
    pub(super) part: f64,
    /// How far the case may be from it: a phone starts warm.
    pub(super) case: f64,
    /// How far the room may be from the case.
    pub(super) room: f64,
    /// How far full work warms the part; small, so that it takes readings to believe in much heat.
    pub(super) gain: f64,
    /// How far off that may be.
    pub(super) gain_spread: f64,
    /// How far the gain wanders in a minute of work: throttling, other apps, another model.
    pub(super) gain_wander: f64,
    /// How far the room wanders in a minute: the sun, a pocket, a case.
    pub(super) room_wander: f64,
}

/// See [`Prior`].
pub(super) const PRIOR: Prior = Prior {
    sensor: 0.45,
    part: 2.0,
    case: 2.0,
    room: 0.5,
    gain: 2.0,
    gain_spread: 3.0,
    gain_wander: 0.5,
    room_wander: 0.03,
};

/// Time constants of the part that are tried with a case.
const FAST: [f64; 6] = [1.5, 2.5, 4.0, 6.0, 9.0, 13.0];
/// And without one: so many from the least on, each so much above the one before. They are closer together, or a case
/// would be made up to bridge the gaps.
const FAST_ALONE: (i32, f64, f64) = (20, 1.5, 1.12);
/// Lags of the sensor that are tried.
const LAG: [f64; 3] = [0.0, 0.7, 1.9];
/// Time constants of the case that are tried.
const SLOW: [f64; 2] = [18.0, 45.0];
/// The share of the work that warms the case, if there is one.
const CASE_SHARE: f64 = 0.9;
/// Noises of the sensor that are tried: tenths, quarters, whole degrees.
const NOISE: [f64; 3] = [0.08, 0.25, 0.7];
/// The time constant that is most likely before anything was seen; others lose weight by their distance from it.
const USUAL_FAST: f64 = 10.0;
/// What a long lag loses.
const LONG_LAG: f64 = -0.3;

/// Every guess that is tried: circuit, noise, and the logarithm of its weight.
pub(super) fn guesses() -> impl Iterator<Item = (Circuit, f64, f64)> {
    let with_case =
        FAST.into_iter().flat_map(|fast| SLOW.into_iter().map(move |slow| (fast, slow, CASE_SHARE, 0.0)));
    // More of them, so less weight each.
    let (count, least, ratio) = FAST_ALONE;
    let weight = (FAST.len() as f64 / f64::from(count)).ln();
    let without = (0..count).map(move |step| (least * ratio.powi(step), SLOW[0], 0.0, weight));
    with_case.chain(without).flat_map(|(fast, slow, case_share, weight)| {
        let weight = weight - 0.5 * (fast / USUAL_FAST).ln().powi(2);
        // A chain is the same in either order: a lag above the time constant would be tried twice.
        LAG.into_iter().filter(move |lag| *lag < fast).flat_map(move |lag| {
            let weight = weight + if lag > 1.0 { LONG_LAG } else { 0.0 };
            let circuit = Circuit { fast, lag, slow, case_share };
            NOISE.into_iter().map(move |noise| (circuit, noise, weight))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_guess_divides_by_zero() {
        assert_eq!(guesses().count(), 273);
        for (circuit, noise, weight) in guesses() {
            assert!(circuit.lag < circuit.fast && circuit.fast < circuit.slow, "{circuit:?}");
            assert!(noise > 0.0 && weight.is_finite());
        }
    }
}
