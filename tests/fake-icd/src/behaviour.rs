//! What the driver gets wrong.

use std::time::Duration;

/// The environment variable that chooses a [`Behaviour`] by name.
pub const VARIABLE: &str = "EXO_FAKE_ICD";

/// How long a hanging call hangs: longer than anybody waits, yet bounded, so that no test leaves a process behind.
pub(crate) const HANG: Duration = Duration::from_secs(20);

/// What the driver gets wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// The driver refuses to speak to the loader.
    FailsToLoad,
    /// `vkCreateInstance` fails.
    FailsInstance,
    /// `vkCreateInstance` says that the driver and the system do not match.
    Incompatible,
    /// `vkCreateInstance` does not return.
    Hangs,
    /// There is no device.
    NoDevices,
    /// The device offers Vulkan 1.0 only.
    Vulkan10,
    /// The device can draw but not compute.
    NoComputeQueue,
    /// Kernels may take four storage buffers, the fewest that Vulkan allows.
    FewBindings,
    /// `vkCreateDevice` fails.
    DeviceCreationFails,
    /// `vkCreateDevice` does not return.
    HangsAtDevice,
}

impl Behaviour {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::FailsToLoad,
        Self::FailsInstance,
        Self::Incompatible,
        Self::Hangs,
        Self::NoDevices,
        Self::Vulkan10,
        Self::NoComputeQueue,
        Self::FewBindings,
        Self::DeviceCreationFails,
        Self::HangsAtDevice,
    ];

    /// Its name, as [`VARIABLE`] holds it.
    pub fn name(self) -> &'static str {
        match self {
            Self::FailsToLoad => "fails_to_load",
            Self::FailsInstance => "fails_instance",
            Self::Incompatible => "incompatible",
            Self::Hangs => "hangs",
            Self::NoDevices => "no_devices",
            Self::Vulkan10 => "vulkan_1_0",
            Self::NoComputeQueue => "no_compute_queue",
            Self::FewBindings => "few_bindings",
            Self::DeviceCreationFails => "device_creation_fails",
            Self::HangsAtDevice => "hangs_at_device",
        }
    }

    /// The one that the environment asks for; without a word from it the driver does not load.
    pub(crate) fn chosen() -> Self {
        let name = std::env::var(VARIABLE).unwrap_or_default();
        Self::ALL.into_iter().find(|b| b.name() == name).unwrap_or(Self::FailsToLoad)
    }
}
