//! The opened device: what apps hold.

use std::sync::Arc;

use crate::{Buffer, DeviceDescription, Error, Result, backend::BackendDevice, buffer::BufferInner};

/// An opened device. Cloning is cheap; all clones are the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<DeviceInner>,
}

pub(crate) struct DeviceInner {
    pub(crate) backend: Arc<dyn BackendDevice>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.inner.backend.description().name).finish()
    }
}

impl Device {
    pub(crate) fn over(backend: Arc<dyn BackendDevice>) -> Self {
        Self { inner: Arc::new(DeviceInner { backend }) }
    }

    /// What the device is.
    pub fn description(&self) -> DeviceDescription {
        self.inner.backend.description().clone()
    }

    /// Allocates `bytes`.
    pub fn allocate(&self, bytes: u64) -> Result<Buffer> {
        if bytes == 0 {
            return Err(Error::InvalidArgument {
                what: "Device::allocate",
                asked: "0 bytes".into(),
                allowed: "at least 1 byte".into(),
                help: "skip the buffer when there is nothing to hold",
            });
        }
        let memory = self.inner.backend.allocate(bytes)?;
        Ok(Buffer { inner: Arc::new(BufferInner { device: self.clone(), memory, size: bytes }) })
    }
}
