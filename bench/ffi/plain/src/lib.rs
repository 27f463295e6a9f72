//! What UniFFI does by itself, for whoever writes no layer over it: bytes as lists, and a method that can fail.
//!
//! The "device" is a vector: what is measured is the way to it.

use std::sync::{Mutex, PoisonError};

uniffi::setup_scaffolding!();

static DEVICE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Why something failed: like the SDK's one error, it is data.
#[derive(Debug, uniffi::Error)]
pub enum PlainError {
    /// The only way.
    Failed {
        /// In words.
        reason: String,
    },
}

impl std::fmt::Display for PlainError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Failed { reason } = self;
        f.write_str(reason)
    }
}

impl std::error::Error for PlainError {}

/// Copies a list of bytes to the device.
#[uniffi::export]
pub fn write(bytes: Vec<u8>) -> Result<(), PlainError> {
    let mut device = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    if device.len() == bytes.len() {
        device.copy_from_slice(&bytes);
    } else {
        *device = bytes;
    }
    Ok(())
}

/// The bytes of the device, as a list.
#[uniffi::export]
pub fn read() -> Result<Vec<u8>, PlainError> {
    Ok(DEVICE.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// Something that has a name, as the SDK's node has.
#[derive(Debug, uniffi::Object)]
pub struct Named {
    name: String,
}

#[uniffi::export]
impl Named {
    /// One of this name.
    #[uniffi::constructor]
    pub fn of(name: String) -> Self {
        Self { name }
    }

    /// Its name.
    pub fn id(&self) -> Result<String, PlainError> {
        Ok(self.name.clone())
    }
}
