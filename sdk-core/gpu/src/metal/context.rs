//! The device that everything else is made from, and whether it is still there.

use std::sync::OnceLock;

use objc2::{rc::Retained, runtime::ProtocolObject};
use objc2_metal::MTLDevice;

use super::fault;
use crate::{Error, Result, faults::Injector};

/// An opened `MTLDevice`. Whatever was made from it holds it by `Arc`.
pub(super) struct Context {
    pub(super) raw: Retained<ProtocolObject<dyn MTLDevice>>,
    pub(super) injector: Injector,
    /// Why the device was lost for good, once it is.
    pub(super) lost: OnceLock<String>,
}

impl Context {
    /// Refuses to go on with a device that was lost.
    pub(super) fn check_alive(&self) -> Result<()> {
        match self.lost.get() {
            Some(reason) => Err(fault::device_lost(reason.clone())),
            None => Ok(()),
        }
    }

    /// Notes that the device is lost; the first reason stays.
    pub(super) fn lose(&self, reason: String) -> Error {
        fault::device_lost(self.lost.get_or_init(|| reason).clone())
    }
}
