//! Driver bugs as data: what to avoid on which device, and where we learnt it.

use crate::DeviceDescription;

/// What to avoid on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workarounds {
    /// Subgroup arithmetic gives wrong sums.
    pub no_subgroup_arithmetic: bool,
}

impl Workarounds {
    /// What to avoid on `device`.
    pub fn of(device: &DeviceDescription) -> Self {
        let _ = device;
        Self::default()
    }
}
