//! What counts as a change.

use crate::{
    Reading,
    reading::{Figure, Quantity, Unit},
};

/// Whether a reading differs from the one that was told by enough to be told again: where it comes from always
/// counts, the reason of what cannot be had does not, and a number must leave its dead band.
pub fn has_changed(quantity: Quantity, told: &Reading<Figure>, now: &Reading<Figure>) -> bool {
    if told.source() != now.source() {
        return true;
    }
    let (Some(told), Some(now)) = (told.get(), now.get()) else { return false };
    match (told, now) {
        (Figure::Bytes(told), Figure::Bytes(now)) => told.abs_diff(now) > bytes(told),
        (Figure::Number(told), Figure::Number(now)) => {
            let moved = (told - now).abs();
            // NaN has left every band.
            moved.is_nan() || moved >= band(quantity, told)
        }
        _ => told != now,
    }
}

/// 16 MiB, or two hundredths of what there was.
const fn bytes(told: u64) -> u64 {
    let share = told / 50;
    if share < 16 << 20 { 16 << 20 } else { share }
}

fn band(quantity: Quantity, told: f64) -> f64 {
    match quantity.unit() {
        Unit::Celsius => 0.5,
        // A battery counts in hundredths; a hair less, so that 0.51 - 0.5 is one.
        Unit::Share if quantity == Quantity::BatteryLevel => 0.0099,
        Unit::Share => 0.05,
        Unit::Headroom => 0.02,
        Unit::Watts => 0.25_f64.max(0.05 * told.abs()),
        Unit::Threads => 0.25_f64.max(0.1 * told.abs()),
        Unit::Bytes | Unit::Flag | Unit::Pressure | Unit::Status | Unit::Network => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    fn number(value: f64) -> Reading<Figure> {
        Reading::measured(Figure::Number(value), Timestamp(0))
    }

    #[test]
    fn flicker_stays_in_the_band_and_news_leaves_it() {
        for (quantity, told, flicker, news) in [
            (Quantity::Temperature, 40.0, 40.4, 40.5),
            (Quantity::BatteryLevel, 0.5, 0.505, 0.51),
            (Quantity::ComputeUtilisation, 0.5, 0.54, 0.56),
            (Quantity::Power, 20.0, 20.9, 21.0),
            (Quantity::ThermalHeadroom, 0.7, 0.71, 0.73),
        ] {
            assert!(!has_changed(quantity, &number(told), &number(flicker)), "{quantity:?}");
            assert!(has_changed(quantity, &number(told), &number(news)), "{quantity:?}");
        }
    }

    #[test]
    fn bytes_move_by_16_mib_or_two_per_cent() {
        let bytes = |mib: u64| Reading::measured(Figure::Bytes(mib << 20), Timestamp(0));
        let quantity = Quantity::MemoryAvailable;
        assert!(
            !has_changed(quantity, &bytes(100), &bytes(116))
                && has_changed(quantity, &bytes(100), &bytes(117))
        );
        assert!(
            !has_changed(quantity, &bytes(5000), &bytes(5100))
                && has_changed(quantity, &bytes(5000), &bytes(4899))
        );
    }

    #[test]
    fn a_change_of_provenance_is_news_and_another_excuse_is_not() {
        let none = |why: &'static str| Reading::unavailable(why, Timestamp(0));
        assert!(has_changed(Quantity::Temperature, &number(40.0), &none("unplugged")));
        assert!(!has_changed(Quantity::Temperature, &none("65535 °C"), &none("65534 °C")));
        assert!(has_changed(Quantity::Temperature, &number(40.0), &number(f64::NAN)));
    }
}
