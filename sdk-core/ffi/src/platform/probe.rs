//! How the platform looks at the device.

use std::sync::Arc;

use exo_node::Now;
use exo_telemetry::{
    Readings, Timestamp, probe,
    protocol::DeviceType,
    reading::{Group, Groups},
};

use crate::{
    Result,
    telemetry::{Sample, take},
};

/// What computes in a device.
#[uniffi::remote(Enum)]
pub enum DeviceType {
    /// An Android phone or tablet.
    MobileAndroid,
    /// An iPhone or iPad.
    MobileIos,
    /// A Mac with a chip of Apple's own.
    AppleSilicon,
    /// A GPU of NVIDIA.
    Nvidia,
    /// A GPU of AMD.
    Amd,
    /// A GPU of Intel.
    Intel,
    /// Another GPU.
    OtherGpu,
    /// No GPU: the processor.
    Cpu,
}

/// Readings that one look brings together.
#[uniffi::remote(Enum)]
pub enum Group {
    /// Memory of the system and of this app.
    Memory,
    /// The GPU.
    Gpu,
    /// The processor.
    Cpu,
    /// What the device draws.
    Power,
    /// Heat.
    Thermal,
    /// The battery.
    Battery,
    /// The network.
    Network,
    /// The disk.
    Disk,
}

/// Who a device is, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Identity {
    /// What its owner calls it: "Ada's Pixel".
    pub name: String,
    /// What its maker calls it: "Pixel 9".
    pub model: String,
    /// "Tensor G4".
    pub chip: String,
    /// "Android 16". Never a leading digit: exo takes that for macOS.
    pub os_version: String,
    /// "BP2A.250605.031".
    pub os_build: String,
    /// Who made what computes in it: "Qualcomm".
    pub vendor: String,
    /// What computes in it.
    pub device_type: DeviceType,
}

/// How the platform looks at the device. Only true values: what cannot be had is told as unavailable, with the reason.
///
/// Called on a thread of its own, never twice at once. One that hangs is not waited for.
#[uniffi::export(foreign)]
pub trait Probe: Send + Sync {
    /// Who the device is. Asked once.
    fn identity(&self) -> Result<Identity>;

    /// One look at the groups that are wanted. More may be told, less is unavailable.
    fn read(&self, wanted: Vec<Group>) -> Result<Vec<Sample>>;
}

/// The app's probe as the core asks it.
pub(crate) struct Asked {
    pub(crate) probe: Arc<dyn Probe>,
}

impl probe::Probe for Asked {
    fn identity(&mut self) -> probe::Identity {
        match self.probe.identity() {
            Ok(identity) => identity.into(),
            Err(_) => probe::Identity::unknown(),
        }
    }

    fn read(&mut self, now: Now, wanted: Groups, into: &mut Readings) {
        let groups = Group::ALL.into_iter().filter(|group| wanted.contains(*group)).collect();
        let at = Timestamp::from(now.wall);
        match self.probe.read(groups) {
            Ok(samples) => take(samples, at, wanted, into),
            Err(error) => {
                let why = format!("the app's probe failed: {error}");
                crate::telemetry::refuse(&why, at, wanted, into);
            }
        }
    }
}

impl From<Identity> for probe::Identity {
    fn from(identity: Identity) -> Self {
        let Identity { name, model, chip, os_version, os_build, vendor, device_type } = identity;
        Self { name, model, chip, os_version, os_build, vendor, device_type }
    }
}
