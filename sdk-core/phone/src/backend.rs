//! `--backend`: which device is opened.

use clap::ValueEnum;
use exo_gpu::BackendKind;

/// A backend, as people name it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Backend {
    Vulkan,
    Metal,
    Cpu,
}

impl From<Backend> for BackendKind {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Vulkan => Self::Vulkan,
            Backend::Metal => Self::Metal,
            Backend::Cpu => Self::Cpu,
        }
    }
}
