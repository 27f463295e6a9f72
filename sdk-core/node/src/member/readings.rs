//! What the probe measured. Only true values: what could not be had is `None`, never 0.

use exo_wire::gathered::Backend;

/// Bytes of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    /// All that is there.
    pub total: u64,
    /// What could be used now.
    pub available: u64,
    /// All swap.
    pub swap_total: u64,
    /// Free swap.
    pub swap_available: u64,
}

/// Bytes on the disk that holds models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// All.
    pub total: u64,
    /// Free for us.
    pub available: u64,
}

/// Who this device is, in words for exo's dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What its owner calls it: "Ada's Pixel".
    pub name: String,
    /// "Pixel 9".
    pub model: String,
    /// "Tensor G4".
    pub chip: String,
    /// "Android 16". Never a leading digit: exo takes that for macOS and warns.
    pub os_version: String,
    /// "BP2A.250605.031".
    pub os_build: String,
}

/// Moving figures of the processor. Each is measured or absent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gauges {
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// 0 to 1: the part of the time in which the GPU worked. Our own busy time counts, if nothing else is known.
    pub gpu_use: Option<f64>,
    /// Watts of the whole device.
    pub power: Option<f64>,
    /// 0 to 1, of the fast cores.
    pub fast_cores: Option<f64>,
    /// 0 to 1, of the slow cores.
    pub slow_cores: Option<f64>,
}

/// One look at the device.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readings {
    /// Memory, already capped by the app's policy.
    pub memory: Option<Memory>,
    /// Disk.
    pub disk: Option<Disk>,
    /// Names.
    pub identity: Option<Identity>,
    /// Interfaces with their addresses.
    pub interfaces: Option<Vec<crate::interface::Interface>>,
    /// Processor figures.
    pub gauges: Gauges,
    /// True while an engine is able to serve. Memory is announced only then: memory without a backend breaks the
    /// placement of others, and a backend attracts models.
    pub able: bool,
    /// What that engine is called in exo's words; announced only while `able`. Able without a name is not able.
    pub backends: Vec<Backend>,
}
