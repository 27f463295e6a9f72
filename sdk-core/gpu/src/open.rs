//! Opening: the chain of backends, and why each one that was passed over was.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::BackendKind;

/// Why a backend, or one of its devices, was not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The backend.
    pub backend: BackendKind,
    /// The device, where it came to that.
    pub device: Option<String>,
    /// The reason, for people.
    pub reason: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.device {
            Some(device) => write!(f, "{} ({device}): {}", self.backend, self.reason),
            None => write!(f, "{}: {}", self.backend, self.reason),
        }
    }
}

/// How closely the Khronos validation layer watches; for development and tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// Not at all.
    #[default]
    Off,
    /// Core checks and synchronisation.
    Core,
    /// Core checks, synchronisation, and instrumented shaders. Slow.
    GpuAssisted,
}

/// How to open a device.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Where pipeline caches and the registry live; `None` keeps nothing on disk.
    pub(crate) data_dir: Option<PathBuf>,
    /// How closely the validation layer watches.
    pub(crate) validation: Validation,
    /// Use fences even where there are timeline semaphores.
    pub(crate) without_timeline: bool,
    /// Pretend that one kernel argument covers at most this many bytes.
    pub(crate) max_binding_bytes: Option<u64>,
    /// Pretend that the host cannot map device memory, so that transfers go through staging.
    pub(crate) without_unified_memory: bool,
    /// The Vulkan loader to use instead of the system's.
    pub(crate) vulkan_library: Option<PathBuf>,
    /// What shall go wrong on purpose.
    #[cfg(feature = "faults")]
    pub(crate) faults: crate::faults::Faults,
}
