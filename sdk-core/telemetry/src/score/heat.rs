//! What heat leaves of a device: a share of 1, falling in a straight line, by whatever the device tells.
//!
//! | told | 1 | 0 |
//! |---|---|---|
//! | degrees | up to 80 °C | from 100 °C on |
//! | Android's headroom | up to 0.9 | from 1.1 on |
//! | status | none, light | severe and above; moderate is 0.5 |

use std::ops::RangeInclusive;

use crate::reading::ThermalStatus;

/// Degrees that a device can have; anything else is a broken sensor.
pub const PLAUSIBLE_CELSIUS: RangeInclusive<f64> = -40.0..=150.0;
/// Headroom that Android can tell.
pub const PLAUSIBLE_HEADROOM: RangeInclusive<f64> = 0.0..=10.0;

/// From here on heat takes something.
pub const WARM_CELSIUS: f64 = 80.0;
const HOT_CELSIUS: f64 = 100.0;
const HEADROOM: (f64, f64) = (0.9, 1.1);

/// By degrees Celsius.
pub fn by_celsius(celsius: f64) -> f64 {
    falling(celsius, WARM_CELSIUS, HOT_CELSIUS)
}

/// By Android's headroom.
pub fn by_headroom(headroom: f64) -> f64 {
    falling(headroom, HEADROOM.0, HEADROOM.1)
}

/// By the system's word.
pub const fn by_status(status: ThermalStatus) -> f64 {
    match status {
        ThermalStatus::None | ThermalStatus::Light => 1.0,
        ThermalStatus::Moderate => 0.5,
        _ => 0.0,
    }
}

fn falling(value: f64, from: f64, to: f64) -> f64 {
    ((to - value) / (to - from)).clamp(0.0, 1.0)
}
