//! How to open: wishes, limits, and what developers and tests turn on.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{BackendKind, rank::Wish};

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

/// How to open a device. [`OpenOptions::new`] is right for apps; `OpenOptions::default` is the same but leaves nothing
/// on disk.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    pub(crate) wish: Option<OwnedWish>,
    /// Where pipeline caches and the registry live; `None` keeps nothing on disk.
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) memory_cap: Option<u64>,
    pub(crate) patience: Option<Duration>,
    pub(crate) validation: Validation,
    pub(crate) without_timeline: bool,
    pub(crate) without_unified_memory: bool,
    pub(crate) max_binding_bytes: Option<u64>,
    pub(crate) vulkan_library: Option<PathBuf>,
    #[cfg(feature = "faults")]
    pub(crate) faults: crate::Faults,
}

#[derive(Clone, Debug)]
pub(crate) enum OwnedWish {
    Backend(BackendKind),
    Named(String),
}

impl OpenOptions {
    /// The defaults: the best device, remembering in the platform's data directory.
    pub fn new() -> Self {
        Self { data_dir: default_data_dir(), ..Self::default() }
    }

    /// Asks for a backend. It is an error when none of its devices can be opened.
    #[must_use]
    pub fn backend(mut self, backend: BackendKind) -> Self {
        self.wish = Some(OwnedWish::Backend(backend));
        self
    }

    /// Asks for a device whose name contains `part`.
    #[must_use]
    pub fn device_named(mut self, part: impl Into<String>) -> Self {
        self.wish = Some(OwnedWish::Named(part.into()));
        self
    }

    /// Remembers verdicts and compiled kernels in this directory. On Android, where no default can be known, give
    /// the app's files directory.
    #[must_use]
    pub fn data_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(directory.into());
        self
    }

    /// Remembers nothing on disk.
    #[must_use]
    pub fn remember_nothing(mut self) -> Self {
        self.data_dir = None;
        self
    }

    /// Gives a GPU driver this long to open instead of 2.5 s; for machines that are slowed down on purpose, such as
    /// by a memory checker.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }

    /// Uses at most this many bytes of device memory, whatever the system allows.
    #[must_use]
    pub fn memory_cap(mut self, bytes: u64) -> Self {
        self.memory_cap = Some(bytes);
        self
    }

    /// Has the validation layer watch; for development. [`Device::validation_messages`](crate::Device) tells.
    #[must_use]
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// Uses fences even where there are timeline semaphores.
    #[must_use]
    pub fn without_timeline(mut self) -> Self {
        self.without_timeline = true;
        self
    }

    /// Treats device memory as out of the host's reach, so that transfers go through staging.
    #[must_use]
    pub fn without_unified_memory(mut self) -> Self {
        self.without_unified_memory = true;
        self
    }

    /// Lets one kernel argument cover at most this many bytes, so that larger tensors are split.
    #[must_use]
    pub fn max_binding_bytes(mut self, bytes: u64) -> Self {
        self.max_binding_bytes = Some(bytes);
        self
    }

    /// Loads Vulkan from this library instead of the system's.
    #[must_use]
    pub fn vulkan_library(mut self, library: impl Into<PathBuf>) -> Self {
        self.vulkan_library = Some(library.into());
        self
    }

    /// Injects faults; for tests.
    #[cfg(feature = "faults")]
    #[must_use]
    pub fn faults(mut self, faults: crate::Faults) -> Self {
        self.faults = faults;
        self
    }

    /// What was asked for here, else what the environment's `EXO_GPU` asks for, else the best.
    pub(crate) fn with_environment(mut self) -> Self {
        if self.wish.is_none() {
            self.wish = std::env::var("EXO_GPU").ok().and_then(|text| parse_wish(&text));
        }
        if self.vulkan_library.is_none() {
            self.vulkan_library = std::env::var_os("EXO_VULKAN_LIBRARY").map(PathBuf::from);
        }
        self
    }

    pub(crate) fn wish(&self) -> Wish<'_> {
        match &self.wish {
            None => Wish::Best,
            Some(OwnedWish::Backend(backend)) => Wish::Backend(*backend),
            Some(OwnedWish::Named(part)) => Wish::Named(part),
        }
    }
}

/// A backend's name, or a part of a device's name; nothing when empty.
fn parse_wish(text: &str) -> Option<OwnedWish> {
    match text.trim().to_lowercase().as_str() {
        "" => None,
        "vulkan" => Some(OwnedWish::Backend(BackendKind::Vulkan)),
        "metal" => Some(OwnedWish::Backend(BackendKind::Metal)),
        "cpu" => Some(OwnedWish::Backend(BackendKind::Cpu)),
        part => Some(OwnedWish::Named(part.to_owned())),
    }
}

/// The platform's place for an application's data; none on Android, where only the app knows it.
fn default_data_dir() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let base = if cfg!(target_os = "android") {
        None
    } else if cfg!(target_vendor = "apple") {
        home().map(|home| home.join("Library/Application Support"))
    } else if cfg!(windows) {
        std::env::var_os("LOCALAPPDATA").map(PathBuf::from)
    } else {
        let xdg = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
        xdg.or_else(|| home().map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join(Path::new("exo-mobile")))
}
