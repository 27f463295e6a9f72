//! Moving a buffer from the device's own memory to the host's.
//!
//! Kernels read it there over the bus: more slowly, and to the last bit the same. So memory of the device can be had back
//! for something that needs it more, while everything that was recorded or runs goes on. Where host and device share one
//! memory there is nothing to gain, and it is refused. The way back is to allocate a buffer and copy.

use super::{Buffer, Hold, Place};
use crate::{DeviceDescription, Error, Result, cpu};

impl Buffer {
    /// Moves the bytes to memory of the host, after the work that uses the buffer. Returns how many bytes of the device's
    /// own memory came back: none if the buffer was moved before.
    ///
    /// [`Error::Unsupported`] where the device has no memory of its own ([`Device::has_own_memory`]), and
    /// [`Error::OutOfMemory`] where the host has too little to give. After any error but the loss of the device the buffer is
    /// as it was.
    ///
    /// [`Device::has_own_memory`]: crate::Device::has_own_memory
    pub fn offload(&self) -> Result<u64> {
        let backend = self.device().backend()?;
        if !backend.has_own_memory() {
            return Err(refusal(backend.description()));
        }
        let mut held = self.exclusive(false)?;
        let Hold::Here(place) = &*held.guard else { return Err(held.guard.error()) };
        if place.is_offloaded {
            return Ok(0);
        }
        // The device may have been lost since it was asked: the place knows whose memory it is.
        let backend = place.backend.clone();
        let moved = cpu::can_spare(self.size()).and_then(|()| backend.offload(&*place.memory, self.size()));
        match moved {
            Ok(memory) => {
                let old = std::mem::replace(
                    &mut *held.guard,
                    Hold::Here(Place { backend, memory, is_offloaded: true }),
                );
                // Counted before anybody can free it, and after the device's memory is back.
                drop(old);
                self.device().inner.ledger.offload(self.size());
                Ok(self.size())
            }
            Err(error) => {
                drop(held);
                if let Error::DeviceLost { reason, .. } = &error {
                    self.device().lost(&backend, reason)?;
                }
                Err(error)
            }
        }
    }

    /// Whether the memory is the host's, though the device has memory of its own.
    pub fn is_offloaded(&self) -> bool {
        self.hold().place().is_some_and(|place| place.is_offloaded)
    }
}

fn refusal(device: &DeviceDescription) -> Error {
    let why = if device.unified_memory {
        format!("{} shares its memory with the host, so nothing would come back", device.name)
    } else {
        format!("{} has no memory of its own, or cannot use the host's", device.name)
    };
    Error::Unsupported { what: "moving a buffer to the host's memory".into(), why }
}
