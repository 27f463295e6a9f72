//! How a platform looks at itself.

use serde::{Deserialize, Serialize};

use crate::{Now, Readings, protocol::DeviceType, reading::Groups};

/// What a platform implements: the host's files, Android's managers, iOS's process info.
///
/// Only true values. What cannot be had is [`Unavailable`](crate::Reading::Unavailable) with the reason; what was not
/// asked for stays as it was. The readings are the caller's and are written in place, so that a probe that keeps its
/// files open needs no allocation.
pub trait Probe: Send {
    /// Who the device is. Asked once.
    fn identity(&mut self) -> Identity;

    /// One look at the groups that are wanted. It may take a moment, and is never called twice at once.
    fn read(&mut self, now: Now, wanted: Groups, into: &mut Readings);
}

impl Identity {
    /// A device that did not say yet who it is.
    pub fn unknown() -> Self {
        let unknown = || "unknown".to_owned();
        Self {
            name: "a device".to_owned(),
            model: unknown(),
            chip: unknown(),
            os_version: unknown(),
            os_build: unknown(),
            vendor: unknown(),
            device_type: DeviceType::Cpu,
        }
    }
}

/// Who a device is, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
