//! Memory of a device.

use std::sync::Arc;

use exo_gpu::Buffer;

use crate::{ExoError, Result, bytes};

/// A range of device memory. It is freed by [`free`](Self::free), with its GPU, or when the last reference is gone.
///
/// [`write`](Self::write) and [`read`](Self::read) are for small things. Bulk bytes go through the pointers of
/// [`bytes`], which know the buffer by its [`handle`](Self::handle).
#[derive(Debug, uniffi::Object)]
pub struct GpuBuffer {
    buffer: Buffer,
    handle: u64,
}

impl GpuBuffer {
    pub(super) fn of(buffer: Buffer) -> Arc<Self> {
        let handle = bytes::BUFFERS.register(buffer.clone());
        Arc::new(Self { buffer, handle })
    }
}

#[uniffi::export]
impl GpuBuffer {
    /// How many bytes it has.
    pub fn size(&self) -> Result<u64> {
        Ok(self.buffer.size())
    }

    /// How the functions for bulk bytes know it. A handle is never used again.
    pub fn handle(&self) -> Result<u64> {
        Ok(self.handle)
    }

    /// Writes these bytes from `offset` on.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        Ok(self.buffer.write(offset, bytes)?)
    }

    /// Reads so many bytes from `offset` on.
    pub fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>> {
        let end = offset.checked_add(length).filter(|end| *end <= self.buffer.size());
        if end.is_none() {
            let size = self.buffer.size();
            return Err(ExoError::invalid(format!(
                "{length} bytes from {offset} on were asked of a buffer of {size} bytes; stay within 0..{size}"
            )));
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(ExoError::invalid)?];
        self.buffer.read(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies all of it to the beginning of another buffer, also one of another device.
    pub fn copy_to(&self, other: &Self) -> Result<()> {
        Ok(self.buffer.copy_to(0..self.buffer.size(), &other.buffer, 0)?)
    }

    /// Gives the memory back.
    pub fn free(&self) -> Result<()> {
        bytes::BUFFERS.forget(self.handle);
        match self.buffer.free() {
            Err(error) if error.kind() == exo_gpu::ErrorKind::Closed => Ok(()),
            other => Ok(other?),
        }
    }
}

impl Drop for GpuBuffer {
    fn drop(&mut self) {
        bytes::BUFFERS.forget(self.handle);
    }
}
