//! All that a device may say of itself.

use serde::{Deserialize, Serialize};

use super::{Figure, Quantity, Reading, Timestamp, Words};

/// One look at the device. Units: bytes, fractions of 1, degrees Celsius, watts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Readings {
    /// Memory of the system and of this app.
    pub memory: MemoryReadings,
    /// The GPU.
    pub gpu: GpuReadings,
    /// The processor.
    pub cpu: CpuReadings,
    /// Watts that the whole device draws.
    pub power: Reading<f64>,
    /// Heat.
    pub thermal: ThermalReadings,
    /// The battery.
    pub battery: BatteryReadings,
    /// The network that we would use.
    pub network: NetworkReadings,
    /// The disk that holds models.
    pub disk: DiskReadings,
}

/// Bytes of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryReadings {
    /// All that the device has.
    pub total: Reading<u64>,
    /// What could be used now without swapping.
    pub available: Reading<u64>,
    /// The most that this app may ever use: a cgroup, iOS's jetsam limit.
    pub app_limit: Reading<u64>,
    /// How hard the system looks for memory.
    pub pressure: Reading<Pressure>,
}

/// How hard the system looks for memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pressure {
    /// There is enough.
    None,
    /// Give back what is not needed.
    Some,
    /// Apps are being ended.
    Critical,
}

/// The GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GpuReadings {
    /// Bytes that it has to itself, or shares with the processor.
    pub memory_total: Reading<u64>,
    /// Bytes of them in use, by everybody whom the driver counts.
    pub memory_used: Reading<u64>,
    /// Bytes that the driver would let us hold.
    pub memory_budget: Reading<u64>,
    /// The part of the time in which it worked.
    pub utilisation: Reading<f64>,
}

/// The processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpuReadings {
    /// The part of the time in which its cores worked, over all cores.
    pub utilisation: Reading<f64>,
    /// Threads that want to run, averaged over a minute.
    pub load: Reading<f64>,
}

/// Heat. Android says headroom and a status, iOS four levels, Linux degrees; none is turned into another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThermalReadings {
    /// Degrees of the hottest part that tells.
    pub temperature: Reading<f64>,
    /// How the system calls it.
    pub status: Reading<ThermalStatus>,
    /// Android's `getThermalHeadroom`: 0 is cool, 1 is where severe throttling begins; it may be above 1.
    pub headroom: Reading<f64>,
}

/// How the system calls the heat: Android's names, onto which iOS's four levels map (nominal, fair, serious, critical
/// are `None`, `Light`, `Severe`, `Critical`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// The battery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatteryReadings {
    /// 0 to 1.
    pub level: Reading<f64>,
    /// Whether it is being charged, or the device runs from the mains.
    pub charging: Reading<bool>,
    /// Whether the owner asked the device to save power.
    pub power_save: Reading<bool>,
}

/// The network that we would use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkReadings {
    /// What carries it.
    pub kind: Reading<NetworkKind>,
    /// Whether bytes cost money.
    pub metered: Reading<bool>,
}

/// What carries a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

impl NetworkKind {
    /// Its word in messages and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wifi => "wifi",
            Self::Ethernet => "ethernet",
            Self::Cellular => "cellular",
            Self::Other => "other",
            Self::None => "none",
        }
    }
}

/// Bytes on the disk that holds models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiskReadings {
    /// All.
    pub total: Reading<u64>,
    /// Free for us.
    pub available: Reading<u64>,
}

/// One line for each quantity: how its reading is reached, and as which figure.
macro_rules! each_quantity {
    ($with:ident, $readings:expr, $quantity:expr) => {
        match $quantity {
            Quantity::MemoryTotal => $with!($readings.memory.total, Bytes),
            Quantity::MemoryAvailable => $with!($readings.memory.available, Bytes),
            Quantity::MemoryLimit => $with!($readings.memory.app_limit, Bytes),
            Quantity::MemoryPressure => $with!($readings.memory.pressure, Pressure),
            Quantity::GpuMemoryTotal => $with!($readings.gpu.memory_total, Bytes),
            Quantity::GpuMemoryUsed => $with!($readings.gpu.memory_used, Bytes),
            Quantity::GpuMemoryBudget => $with!($readings.gpu.memory_budget, Bytes),
            Quantity::ComputeUtilisation => $with!($readings.gpu.utilisation, Number),
            Quantity::CpuUtilisation => $with!($readings.cpu.utilisation, Number),
            Quantity::CpuLoad => $with!($readings.cpu.load, Number),
            Quantity::Power => $with!($readings.power, Number),
            Quantity::Temperature => $with!($readings.thermal.temperature, Number),
            Quantity::ThermalStatus => $with!($readings.thermal.status, Status),
            Quantity::ThermalHeadroom => $with!($readings.thermal.headroom, Number),
            Quantity::BatteryLevel => $with!($readings.battery.level, Number),
            Quantity::BatteryCharging => $with!($readings.battery.charging, Flag),
            Quantity::PowerSave => $with!($readings.battery.power_save, Flag),
            Quantity::NetworkKind => $with!($readings.network.kind, Network),
            Quantity::NetworkMetered => $with!($readings.network.metered, Flag),
            Quantity::DiskTotal => $with!($readings.disk.total, Bytes),
            Quantity::DiskAvailable => $with!($readings.disk.available, Bytes),
        }
    };
}

impl Readings {
    /// One reading, by its name.
    pub fn get(&self, quantity: Quantity) -> Reading<Figure> {
        macro_rules! get {
            ($reading:expr, $figure:ident) => {
                $reading.clone().map(Figure::$figure)
            };
        }
        each_quantity!(get, self, quantity)
    }

    /// Replaces one reading, by its name. A figure of the wrong kind is refused, not bent; so is one that no device
    /// can have.
    pub fn set(&mut self, quantity: Quantity, reading: Reading<Figure>) {
        macro_rules! set {
            ($reading:expr, $figure:ident) => {
                match quantity.plausible(reading) {
                    Reading::Measured { value: Figure::$figure(value), at } => {
                        $reading = Reading::Measured { value, at };
                    }
                    Reading::Estimated { value: Figure::$figure(value), how, at } => {
                        $reading = Reading::Estimated { value, how, at };
                    }
                    Reading::Unavailable { why, at } => $reading = Reading::Unavailable { why, at },
                    other => $reading = Reading::unavailable("a figure of another kind", other.at()),
                }
            };
        }
        each_quantity!(set, self, quantity);
    }

    /// Refuses every value that no device can have. For readings that come from somebody else's code.
    pub fn refuse_absurd(&mut self) {
        for quantity in Quantity::ALL {
            let reading = self.get(quantity);
            if reading.value().is_some() {
                self.set(quantity, reading);
            }
        }
    }

    /// A device of which nothing is known, and why.
    pub fn unavailable(why: impl Into<Words>, at: Timestamp) -> Self {
        let why = why.into();
        macro_rules! none {
            () => {
                Reading::unavailable(why.clone(), at)
            };
        }
        Self {
            memory: MemoryReadings {
                total: none!(),
                available: none!(),
                app_limit: none!(),
                pressure: none!(),
            },
            gpu: GpuReadings {
                memory_total: none!(),
                memory_used: none!(),
                memory_budget: none!(),
                utilisation: none!(),
            },
            cpu: CpuReadings { utilisation: none!(), load: none!() },
            power: none!(),
            thermal: ThermalReadings { temperature: none!(), status: none!(), headroom: none!() },
            battery: BatteryReadings { level: none!(), charging: none!(), power_save: none!() },
            network: NetworkReadings { kind: none!(), metered: none!() },
            disk: DiskReadings { total: none!(), available: none!() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1);

    #[test]
    fn every_quantity_is_reached_by_its_name_and_no_other_moves() {
        for quantity in Quantity::ALL {
            let mut readings = Readings::unavailable("not looked at", NOW);
            let figure = quantity.unit().an_example();
            readings.set(quantity, Reading::measured(figure, NOW));
            let there: Vec<_> =
                Quantity::ALL.into_iter().filter(|other| readings.get(*other).value().is_some()).collect();
            assert_eq!(there, [quantity]);
            assert_eq!(readings.get(quantity).get(), Some(figure));
        }
    }

    #[test]
    fn a_figure_of_another_kind_is_refused() {
        let mut readings = Readings::unavailable("not looked at", NOW);
        readings.set(Quantity::Temperature, Reading::measured(Figure::Flag(true), NOW));
        assert_eq!(readings.thermal.temperature.why(), Some("a figure of another kind"));
    }

    #[test]
    fn what_no_device_can_have_is_refused_wherever_it_comes_from() {
        let mut readings = Readings::unavailable("not looked at", NOW);
        readings.thermal.temperature = Reading::measured(-273.15, NOW);
        readings.battery.level = Reading::measured(f64::NAN, NOW);
        readings.memory.total = Reading::measured(u64::MAX, NOW);
        readings.power = Reading::measured(4.5, NOW);
        readings.refuse_absurd();
        for quantity in [Quantity::Temperature, Quantity::BatteryLevel, Quantity::MemoryTotal] {
            assert!(readings.get(quantity).why().unwrap().contains("is not between"), "{quantity:?}");
        }
        assert_eq!(readings.power.get(), Some(4.5));
    }
}
