//! The bell curve, and what is left of it when it must lie in a stretch.

use std::f64::consts::{PI, SQRT_2};

/// Mean, variance and probability of a standard normal variable that is known to lie between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Truncated {
    pub(super) mean: f64,
    pub(super) variance: f64,
    /// The logarithm of the probability of the stretch.
    pub(super) log_mass: f64,
}

/// Further out than this the bell is a decaying exponential for all that we do with it.
const FAR: f64 = 5.0;

fn density(x: f64) -> f64 {
    if x.is_finite() { (-0.5 * x * x).exp() / (2.0 * PI).sqrt() } else { 0.0 }
}

/// The probability of lying below `x`, to about 1e-7 (a rational approximation of the error function).
pub(super) fn cumulative(x: f64) -> f64 {
    if x.is_infinite() {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let z = x.abs() / SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = t
        * (0.254_829_592
            + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = 0.5 * series * (-z * z).exp();
    if x >= 0.0 { 1.0 - tail } else { tail }
}

/// What is known of a standard normal variable that lies in `low..=high`.
pub(super) fn truncated(low: f64, high: f64) -> Truncated {
    // Far out, the curve is used up within 1/bound of the bound that is nearer to the middle.
    if low > FAR {
        let depth = (1.0 / low).min(high - low);
        return Truncated {
            mean: low + 0.5 * depth,
            variance: depth * depth / 4.0,
            log_mass: -0.5 * low * low - low.ln(),
        };
    }
    if high < -FAR {
        let mirrored = truncated(-high, -low);
        return Truncated { mean: -mirrored.mean, ..mirrored };
    }
    let mass = cumulative(high) - cumulative(low);
    if mass < 1e-6 {
        // A narrow stretch: the variable is where the stretch is.
        let (low, high) = (low.max(-FAR - 1.0), high.min(FAR + 1.0));
        let middle = f64::midpoint(low, high);
        let width = (high - low).max(0.0);
        let log_mass = (density(middle) * width).max(1e-300).ln();
        return Truncated { mean: middle, variance: width * width / 12.0, log_mass };
    }
    let (at_low, at_high) = (density(low), density(high));
    let mean = (at_low - at_high) / mass;
    let edge = |x: f64, density: f64| if x.is_finite() { x * density } else { 0.0 };
    let variance = 1.0 + (edge(low, at_low) - edge(high, at_high)) / mass - mean * mean;
    Truncated { mean: mean.clamp(low, high), variance: variance.clamp(1e-6, 1.0), log_mass: mass.ln() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn the_curve_has_its_known_values() {
        for (x, known) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.281_551_6, 0.1), (3.0, 0.998_650_1)] {
            assert!((cumulative(x) - known).abs() < 1e-6, "{x}: {}", cumulative(x));
        }
    }

    #[test]
    fn half_of_the_curve_has_its_known_moments() {
        let upper = truncated(0.0, f64::INFINITY);
        assert!((upper.mean - (2.0 / PI).sqrt()).abs() < 1e-6, "{upper:?}");
        assert!((upper.variance - (1.0 - 2.0 / PI)).abs() < 1e-5, "{upper:?}");
        assert!((upper.log_mass - 0.5f64.ln()).abs() < 1e-6, "{upper:?}");
    }

    #[test]
    fn the_mean_lies_in_any_stretch_and_everything_stays_finite() {
        let mut random = Random::seeded(3);
        for _ in 0..10_000 {
            let low = random.fraction() * 80.0 - 40.0;
            let high = low + random.fraction().powi(4) * 40.0;
            let known = truncated(low, high);
            assert!(known.mean >= low - 1e-9 && known.mean <= high + 1e-9, "{low}..{high}: {known:?}");
            assert!(known.variance.is_finite() && known.variance >= 0.0 && known.log_mass.is_finite());
            assert!(known.variance <= 1.0 + 1e-9, "knowing more cannot make it wider: {known:?}");
        }
    }
}
