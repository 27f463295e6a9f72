//! How much of its speed heat leaves a device.
//!
//! The least of what the device tells counts, each falling in a straight line:
//!
//! | told | 1 | 0 |
//! |---|---|---|
//! | Android's headroom | up to 0.9 | from 1.1 on |
//! | degrees | up to 80 °C | from 100 °C on |
//! | status | none, light | severe and above; moderate is 0.5 |
//!
//! These are the lines of [`exo_telemetry::score`]'s quick score. There the first that is known counts, here the worst:
//! a layer that is given to a hot phone stays there for a while.

use exo_telemetry::reading::{ThermalReadings, ThermalStatus};

/// From here on a device may be slower.
pub(super) const WARM_CELSIUS: f64 = 80.0;
const HOT_CELSIUS: f64 = 100.0;
const HEADROOM: (f64, f64) = (0.9, 1.1);

/// The share of its speed that heat leaves, 0 to 1; nothing if the device tells nothing about heat.
pub(super) fn factor(thermal: &ThermalReadings) -> Option<f64> {
    let falling = |value: f64, from: f64, to: f64| ((to - value) / (to - from)).clamp(0.0, 1.0);
    let headroom = thermal.headroom.clone().within(&(0.0..=10.0), "").get();
    let celsius = thermal.temperature.clone().within(&(-40.0..=150.0), "").get();
    let shares = [
        headroom.map(|headroom| falling(headroom, HEADROOM.0, HEADROOM.1)),
        celsius.map(|celsius| falling(celsius, WARM_CELSIUS, HOT_CELSIUS)),
        thermal.status.get().map(|status| match status {
            ThermalStatus::None | ThermalStatus::Light => 1.0,
            ThermalStatus::Moderate => 0.5,
            _ => 0.0,
        }),
    ];
    shares.into_iter().flatten().reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use exo_telemetry::{Reading, Timestamp};

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
