//! The names of all readings, what each is measured in, and what no device can have.

use std::ops::RangeInclusive;

use super::{Figure, Group, NetworkKind, Pressure, Reading, ThermalStatus};

/// One reading of [`Readings`](super::Readings), by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Quantity {
    /// `memory.total`.
    MemoryTotal,
    /// `memory.available`.
    MemoryAvailable,
    /// `memory.app_limit`.
    MemoryLimit,
    /// `memory.pressure`.
    MemoryPressure,
    /// `gpu.memory_total`.
    GpuMemoryTotal,
    /// `gpu.memory_used`.
    GpuMemoryUsed,
    /// `gpu.memory_budget`.
    GpuMemoryBudget,
    /// `gpu.utilisation`.
    ComputeUtilisation,
    /// `cpu.utilisation`.
    CpuUtilisation,
    /// `cpu.load`.
    CpuLoad,
    /// `power`.
    Power,
    /// `thermal.temperature`.
    Temperature,
    /// `thermal.status`.
    ThermalStatus,
    /// `thermal.headroom`.
    ThermalHeadroom,
    /// `battery.level`.
    BatteryLevel,
    /// `battery.charging`.
    BatteryCharging,
    /// `battery.power_save`.
    PowerSave,
    /// `network.kind`.
    NetworkKind,
    /// `network.metered`.
    NetworkMetered,
    /// `disk.total`.
    DiskTotal,
    /// `disk.available`.
    DiskAvailable,
}

/// What a quantity is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// A share, 0 to 1.
    Share,
    /// Threads.
    Threads,
    /// Watts.
    Watts,
    /// Degrees Celsius.
    Celsius,
    /// Android's headroom: 1 is where severe throttling begins.
    Headroom,
    /// Yes or no.
    Flag,
    /// A word for how hard the system looks for memory.
    Pressure,
    /// A word for the heat.
    Status,
    /// A word for what carries the network.
    Network,
}

impl Quantity {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All, in the order in which they are told.
    pub const ALL: [Self; 21] = [
        Self::MemoryTotal,
        Self::MemoryAvailable,
        Self::MemoryLimit,
        Self::MemoryPressure,
        Self::GpuMemoryTotal,
        Self::GpuMemoryUsed,
        Self::GpuMemoryBudget,
        Self::ComputeUtilisation,
        Self::CpuUtilisation,
        Self::CpuLoad,
        Self::Power,
        Self::Temperature,
        Self::ThermalStatus,
        Self::ThermalHeadroom,
        Self::BatteryLevel,
        Self::BatteryCharging,
        Self::PowerSave,
        Self::NetworkKind,
        Self::NetworkMetered,
        Self::DiskTotal,
        Self::DiskAvailable,
    ];

    /// What it is called in messages and metrics; the unit is part of the name where there is one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MemoryTotal => "memory_total_bytes",
            Self::MemoryAvailable => "memory_available_bytes",
            Self::MemoryLimit => "memory_limit_bytes",
            Self::MemoryPressure => "memory_pressure",
            Self::GpuMemoryTotal => "gpu_memory_total_bytes",
            Self::GpuMemoryUsed => "gpu_memory_used_bytes",
            Self::GpuMemoryBudget => "gpu_memory_budget_bytes",
            Self::ComputeUtilisation => "compute_utilisation_ratio",
            Self::CpuUtilisation => "cpu_utilisation_ratio",
            Self::CpuLoad => "cpu_load",
            Self::Power => "power_watts",
            Self::Temperature => "temperature_celsius",
            Self::ThermalStatus => "thermal_status",
            Self::ThermalHeadroom => "thermal_headroom_ratio",
            Self::BatteryLevel => "battery_level_ratio",
            Self::BatteryCharging => "battery_charging",
            Self::PowerSave => "power_save",
            Self::NetworkKind => "network_kind",
            Self::NetworkMetered => "network_metered",
            Self::DiskTotal => "disk_total_bytes",
            Self::DiskAvailable => "disk_available_bytes",
        }
    }

    /// The look that brings it.
    pub const fn group(self) -> Group {
        match self {
            Self::MemoryTotal | Self::MemoryAvailable | Self::MemoryLimit | Self::MemoryPressure => {
                Group::Memory
            }
            Self::GpuMemoryTotal | Self::GpuMemoryUsed | Self::GpuMemoryBudget | Self::ComputeUtilisation => {
                Group::Gpu
            }
            Self::CpuUtilisation | Self::CpuLoad => Group::Cpu,
            Self::Power => Group::Power,
            Self::Temperature | Self::ThermalStatus | Self::ThermalHeadroom => Group::Thermal,
            Self::BatteryLevel | Self::BatteryCharging | Self::PowerSave => Group::Battery,
            Self::NetworkKind | Self::NetworkMetered => Group::Network,
            Self::DiskTotal | Self::DiskAvailable => Group::Disk,
        }
    }

    /// What it is measured in.
    pub const fn unit(self) -> Unit {
        match self {
            Self::MemoryTotal
            | Self::MemoryAvailable
            | Self::MemoryLimit
            | Self::GpuMemoryTotal
            | Self::GpuMemoryUsed
            | Self::GpuMemoryBudget
            | Self::DiskTotal
            | Self::DiskAvailable => Unit::Bytes,
            Self::ComputeUtilisation | Self::CpuUtilisation | Self::BatteryLevel => Unit::Share,
            Self::CpuLoad => Unit::Threads,
            Self::Power => Unit::Watts,
            Self::Temperature => Unit::Celsius,
            Self::ThermalHeadroom => Unit::Headroom,
            Self::BatteryCharging | Self::PowerSave | Self::NetworkMetered => Unit::Flag,
            Self::MemoryPressure => Unit::Pressure,
            Self::ThermalStatus => Unit::Status,
            Self::NetworkKind => Unit::Network,
        }
    }

    /// The same reading if a device can have its value; otherwise unavailable, and why.
    #[must_use]
    pub fn plausible(self, reading: Reading<Figure>) -> Reading<Figure> {
        let at = reading.at();
        let refused = match (self.unit(), reading.get()) {
            (Unit::Bytes, Some(Figure::Bytes(bytes))) => {
                Reading::measured(bytes, at).within(&Unit::BYTES, " bytes").why().map(str::to_owned)
            }
            (unit, Some(Figure::Number(number))) => unit.range().and_then(|range| {
                Reading::measured(number, at).within(&range, unit.sign()).why().map(str::to_owned)
            }),
            _ => None,
        };
        refused.map_or(reading, |why| Reading::unavailable(why, at))
    }
}

impl Unit {
    /// Up to a petabyte, which is more than any device has.
    pub const BYTES: RangeInclusive<u64> = 0..=1 << 50;

    /// What a device can have, where the unit is a number.
    pub const fn range(self) -> Option<RangeInclusive<f64>> {
        match self {
            Self::Share => Some(0.0..=1.0),
            Self::Threads => Some(0.0..=1e6),
            Self::Watts => Some(0.0..=10_000.0),
            Self::Celsius => Some(-40.0..=150.0),
            Self::Headroom => Some(0.0..=10.0),
            Self::Bytes | Self::Flag | Self::Pressure | Self::Status | Self::Network => None,
        }
    }

    /// How it is written after a number.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Bytes => " bytes",
            Self::Watts => " W",
            Self::Celsius => " °C",
            Self::Share
            | Self::Threads
            | Self::Headroom
            | Self::Flag
            | Self::Pressure
            | Self::Status
            | Self::Network => "",
        }
    }

    /// A figure that such a quantity may have, for tests and examples.
    pub const fn an_example(self) -> Figure {
        match self {
            Self::Bytes => Figure::Bytes(8 << 30),
            Self::Share | Self::Headroom => Figure::Number(0.5),
            Self::Threads => Figure::Number(1.25),
            Self::Watts => Figure::Number(4.5),
            Self::Celsius => Figure::Number(41.5),
            Self::Flag => Figure::Flag(true),
            Self::Pressure => Figure::Pressure(Pressure::Some),
            Self::Status => Figure::Status(ThermalStatus::Light),
            Self::Network => Figure::Network(NetworkKind::Wifi),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_quantities_are_listed_once_in_order() {
        assert!(Quantity::ALL.is_sorted());
        assert!(Quantity::ALL.iter().enumerate().all(|(place, quantity)| *quantity as usize == place));
    }

    #[test]
    fn the_unit_is_part_of_the_name() {
        for quantity in Quantity::ALL {
            let unit = match quantity.unit() {
                Unit::Bytes => "_bytes",
                Unit::Share | Unit::Headroom => "_ratio",
                Unit::Watts => "_watts",
                Unit::Celsius => "_celsius",
                _ => "",
            };
            assert!(quantity.name().ends_with(unit), "{quantity:?}");
        }
    }
}
