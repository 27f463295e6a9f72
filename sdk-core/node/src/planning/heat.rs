//! How much of its speed heat leaves a device: by the lines of [`exo_telemetry::score::heat`].
//!
//! A score takes the first reading that is known, a plan the worst: a layer that is given to a hot phone stays there for a
//! while.

use exo_telemetry::{
    reading::ThermalReadings,
    score::heat::{PLAUSIBLE_CELSIUS, PLAUSIBLE_HEADROOM, by_celsius, by_headroom, by_status},
};

/// The share of its speed that heat leaves, 0 to 1; nothing if the device tells nothing about heat.
pub(super) fn factor(thermal: &ThermalReadings) -> Option<f64> {
    let headroom = thermal.headroom.clone().within(&PLAUSIBLE_HEADROOM, "").get();
    let celsius = thermal.temperature.clone().within(&PLAUSIBLE_CELSIUS, "").get();
    let shares = [headroom.map(by_headroom), celsius.map(by_celsius), thermal.status.get().map(by_status)];
    shares.into_iter().flatten().reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use exo_telemetry::{Reading, Timestamp, reading::ThermalStatus};

    use super::*;

    fn thermal(
        headroom: Option<f64>,
        celsius: Option<f64>,
        status: Option<ThermalStatus>,
    ) -> ThermalReadings {
        fn read<T>(value: Option<T>) -> Reading<T> {
            let at = Timestamp(0);
            value.map_or_else(|| Reading::unavailable("none", at), |value| Reading::measured(value, at))
        }
        ThermalReadings { temperature: read(celsius), status: read(status), headroom: read(headroom) }
    }

    #[test]
    fn the_worst_that_is_told_counts() {
        assert_eq!(factor(&thermal(Some(0.5), Some(90.0), Some(ThermalStatus::Light))), Some(0.5));
        assert_eq!(factor(&thermal(Some(0.5), Some(30.0), Some(ThermalStatus::Severe))), Some(0.0));
        assert!((factor(&thermal(Some(1.05), None, None)).unwrap() - 0.25).abs() < 1e-9);
        assert_eq!(factor(&thermal(None, Some(41.0), None)), Some(1.0));
    }

    #[test]
    fn who_tells_nothing_or_nonsense_has_no_factor() {
        assert_eq!(factor(&thermal(None, None, None)), None);
        assert_eq!(factor(&thermal(Some(f64::NAN), Some(65_535.0), None)), None);
    }
}
