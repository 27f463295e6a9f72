//! All that a device may say of itself.

use serde::{Deserialize, Serialize};

use super::{Reading, Timestamp, Words};

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
    /// Bytes that this process holds on the device.
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

/// Bytes on the disk that holds models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiskReadings {
    /// All.
    pub total: Reading<u64>,
    /// Free for us.
    pub available: Reading<u64>,
}

impl Readings {
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
            gpu: GpuReadings { memory_used: none!(), memory_budget: none!(), utilisation: none!() },
            cpu: CpuReadings { utilisation: none!(), load: none!() },
            power: none!(),
            thermal: ThermalReadings { temperature: none!(), status: none!(), headroom: none!() },
            battery: BatteryReadings { level: none!(), charging: none!(), power_save: none!() },
            network: NetworkReadings { kind: none!(), metered: none!() },
            disk: DiskReadings { total: none!(), available: none!() },
        }
    }
}
