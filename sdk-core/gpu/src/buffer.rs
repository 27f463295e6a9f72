//! Memory on a device.

use std::sync::Arc;

use crate::{Device, Result, backend::Memory};

/// A range of device memory. Cloning is cheap; the memory is freed when the last clone and the last work that
/// uses it are gone.
#[derive(Clone)]
pub struct Buffer {
    pub(crate) inner: Arc<BufferInner>,
}

pub(crate) struct BufferInner {
    pub(crate) device: Device,
    pub(crate) memory: Arc<dyn Memory>,
    pub(crate) size: u64,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.inner.size)
    }
}

impl Buffer {
    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.inner.size
    }

    /// The backend's allocation.
    pub(crate) fn memory(&self) -> Result<Arc<dyn Memory>> {
        Ok(self.inner.memory.clone())
    }

    /// Copies `bytes` into the buffer at `offset`.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.inner.device.inner.backend.write(&*self.inner.memory, offset, bytes)
    }

    /// Copies from the buffer at `offset`.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.inner.device.inner.backend.read(&*self.inner.memory, offset, bytes)
    }
}
