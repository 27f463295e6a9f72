//! Readings, each with its provenance.
//!
//! In Rust a reading has the type of its value. UniFFI has no generics, so here it is a [`Sample`]: a quantity, a figure,
//! and where that comes from. The layers of the languages give it back its type.

use exo_telemetry::{
    Reading, Readings, Source, Timestamp,
    reading::{self, Groups, NetworkKind, Pressure, Quantity, ThermalStatus},
};

/// What is read.
#[uniffi::remote(Enum)]
pub enum Quantity {
    /// Bytes of memory that the device has.
    MemoryTotal,
    /// Bytes that could be used now without swapping.
    MemoryAvailable,
    /// The most bytes that this app may ever use.
    MemoryLimit,
    /// How hard the system looks for memory.
    MemoryPressure,
    /// Bytes of the GPU's memory.
    GpuMemoryTotal,
    /// Bytes of them in use.
    GpuMemoryUsed,
    /// Bytes that the driver would let us hold.
    GpuMemoryBudget,
    /// The part of the time in which the GPU worked.
    ComputeUtilisation,
    /// The part of the time in which the processor's cores worked.
    CpuUtilisation,
    /// Threads that want to run, averaged over a minute.
    CpuLoad,
    /// Watts that the whole device draws.
    Power,
    /// Degrees Celsius of the hottest part that tells.
    Temperature,
    /// How the system calls the heat.
    ThermalStatus,
    /// Android's headroom: 0 is cool, 1 is where severe throttling begins.
    ThermalHeadroom,
    /// The battery, 0 to 1.
    BatteryLevel,
    /// Whether it is being charged.
    BatteryCharging,
    /// Whether the owner asked the device to save power.
    PowerSave,
    /// What carries the network.
    NetworkKind,
    /// Whether bytes cost money.
    NetworkMetered,
    /// Bytes on the disk that holds models.
    DiskTotal,
    /// Free bytes on it.
    DiskAvailable,
}

/// Where a value comes from.
#[uniffi::remote(Enum)]
pub enum Source {
    /// A sensor or the system said so.
    Measured,
    /// It was computed from something else.
    Estimated,
    /// It cannot be had.
    Unavailable,
}

/// How hard the system looks for memory.
#[uniffi::remote(Enum)]
pub enum Pressure {
    /// There is enough.
    None,
    /// Give back what is not needed.
    Some,
    /// Apps are being ended.
    Critical,
}

/// How the system calls the heat.
#[uniffi::remote(Enum)]
pub enum ThermalStatus {
    /// Not throttled.
    None,
    /// Throttled so that nobody notices.
    Light,
    /// Throttled so that it may be noticed.
    Moderate,
    /// The experience suffers.
    Severe,
    /// All that can be done is being done.
    Critical,
    /// Parts are being switched off.
    Emergency,
    /// The device switches itself off.
    Shutdown,
}

/// What carries a network.
#[uniffi::remote(Enum)]
pub enum NetworkKind {
    /// Wi-Fi.
    Wifi,
    /// A cable.
    Ethernet,
    /// A mobile network.
    Cellular,
    /// Something else: USB, Bluetooth, a VPN.
    Other,
    /// There is none.
    None,
}

/// A value, of the kind that its quantity has.
#[derive(Debug, Clone, Copy, PartialEq, uniffi::Enum)]
pub enum Figure {
    /// Bytes.
    Bytes {
        /// How many.
        bytes: u64,
    },
    /// Degrees, watts, a share of 1, a load.
    Number {
        /// How much.
        number: f64,
    },
    /// Yes or no.
    Flag {
        /// Which.
        flag: bool,
    },
    /// How hard the system looks for memory.
    Memory {
        /// Which.
        pressure: Pressure,
    },
    /// How the system calls the heat.
    Thermal {
        /// Which.
        status: ThermalStatus,
    },
    /// What carries the network.
    Network {
        /// Which.
        kind: NetworkKind,
    },
}

/// One reading.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Sample {
    /// What was read.
    pub quantity: Quantity,
    /// The value; none if it cannot be had.
    pub figure: Option<Figure>,
    /// Where it comes from.
    pub source: Source,
    /// How it was estimated, or why it cannot be had.
    pub note: Option<String>,
    /// When, in milliseconds since 1970; none: now.
    #[uniffi(default = None)]
    pub at_ms: Option<u64>,
}

/// All readings of a device.
pub(crate) fn samples(readings: &Readings) -> Vec<Sample> {
    Quantity::ALL.into_iter().map(|quantity| sample(quantity, readings.get(quantity))).collect()
}

fn sample(quantity: Quantity, reading: Reading<reading::Figure>) -> Sample {
    let (figure, source, at) = (reading.get().map(Figure::from), reading.source(), reading.at());
    let note = match reading {
        Reading::Measured { .. } => None,
        Reading::Estimated { how, .. } => Some(how.into_owned()),
        Reading::Unavailable { why, .. } => Some(why.into_owned()),
    };
    Sample { quantity, figure, source, note, at_ms: Some(at.0) }
}

/// What an app's probe told. What no device can have is refused, and what was asked and not told is unavailable.
pub(crate) fn take(samples: Vec<Sample>, at: Timestamp, wanted: Groups, into: &mut Readings) {
    refuse("the app's probe does not tell", at, wanted, into);
    for Sample { quantity, figure, source, note, at_ms } in samples {
        let at = at_ms.map_or(at, Timestamp);
        let reading = match (source, figure) {
            (Source::Measured, Some(figure)) => Reading::measured(figure.into(), at),
            (Source::Estimated, Some(figure)) => {
                Reading::estimated(figure.into(), note.unwrap_or_else(|| "by the app".to_owned()), at)
            }
            (Source::Unavailable, _) | (_, None) => Reading::unavailable(
                note.unwrap_or_else(|| "the app's probe does not say why".to_owned()),
                at,
            ),
        };
        into.set(quantity, reading);
    }
}

/// Makes all of these groups unavailable.
pub(crate) fn refuse(why: &str, at: Timestamp, groups: Groups, into: &mut Readings) {
    for quantity in Quantity::ALL.into_iter().filter(|quantity| groups.contains(quantity.group())) {
        into.set(quantity, Reading::unavailable(why.to_owned(), at));
    }
}

impl From<reading::Figure> for Figure {
    fn from(figure: reading::Figure) -> Self {
        match figure {
            reading::Figure::Bytes(bytes) => Self::Bytes { bytes },
            reading::Figure::Number(number) => Self::Number { number },
            reading::Figure::Flag(flag) => Self::Flag { flag },
            reading::Figure::Pressure(pressure) => Self::Memory { pressure },
            reading::Figure::Status(status) => Self::Thermal { status },
            reading::Figure::Network(kind) => Self::Network { kind },
        }
    }
}

impl From<Figure> for reading::Figure {
    fn from(figure: Figure) -> Self {
        match figure {
            Figure::Bytes { bytes } => Self::Bytes(bytes),
            Figure::Number { number } => Self::Number(number),
            Figure::Flag { flag } => Self::Flag(flag),
            Figure::Memory { pressure } => Self::Pressure(pressure),
            Figure::Thermal { status } => Self::Status(status),
            Figure::Network { kind } => Self::Network(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use exo_telemetry::reading::Group;

    use super::*;

    const NOW: Timestamp = Timestamp(7);

    fn told(quantity: Quantity, figure: Figure) -> Sample {
        Sample { quantity, figure: Some(figure), source: Source::Measured, note: None, at_ms: None }
    }

    #[test]
    fn what_the_app_tells_is_taken_and_what_it_does_not_tell_is_unavailable() {
        let mut readings = Readings::unavailable("not looked at", Timestamp(0));
        let level = told(Quantity::BatteryLevel, Figure::Number { number: 0.5 });
        take(vec![level], NOW, Group::Battery.into(), &mut readings);
        assert_eq!(readings.battery.level, Reading::measured(0.5, NOW));
        assert_eq!(readings.battery.charging.why(), Some("the app's probe does not tell"));
        assert_eq!(readings.memory.total.why(), Some("not looked at"));
    }

    #[test]
    fn what_no_phone_can_have_is_refused_as_if_a_sensor_had_said_it() {
        let mut readings = Readings::unavailable("not looked at", Timestamp(0));
        let absurd = told(Quantity::Temperature, Figure::Number { number: 65_535.0 });
        let wrong = told(Quantity::BatteryLevel, Figure::Flag { flag: true });
        take(vec![absurd, wrong], NOW, Groups::ALL, &mut readings);
        assert_eq!(readings.thermal.temperature.get(), None);
        assert_eq!(readings.battery.level.get(), None);
    }

    #[test]
    fn every_reading_crosses_and_comes_back_the_same() {
        let mut readings = Readings::unavailable("no sensor", NOW);
        readings.power = Reading::estimated(4.5, "from the battery's current", NOW);
        readings.network.kind = Reading::measured(NetworkKind::Wifi, NOW);
        let mut back = Readings::unavailable("not looked at", Timestamp(0));
        take(samples(&readings), NOW, Groups::ALL, &mut back);
        assert_eq!(back, readings);
    }
}
