//! What became of a buffer's memory.

use std::sync::Arc;

use crate::{
    Error,
    backend::{BackendDevice, Memory},
    ledger::Ledger,
};

/// Memory, and the backend that it belongs to.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) backend: Arc<dyn BackendDevice>,
    pub(super) memory: Arc<dyn Memory>,
    /// Whether it is the host's, though the device has memory of its own.
    pub(super) is_offloaded: bool,
}

/// What became of the memory.
pub(super) enum Hold {
    Here(Place),
    Freed,
    DeviceClosed,
    /// The device was lost with the contents; the memory is there, to be written anew.
    Lost(Place),
}

impl Hold {
    /// The memory, while there is any.
    pub(super) fn place(&self) -> Option<&Place> {
        match self {
            Self::Here(place) | Self::Lost(place) => Some(place),
            Self::Freed | Self::DeviceClosed => None,
        }
    }

    /// Lets go of the memory, if there is any, and takes its `bytes` off the ledger.
    pub(super) fn free(self, bytes: u64, ledger: &Ledger) {
        let Some(is_offloaded) = self.place().map(|place| place.is_offloaded) else { return };
        drop(self);
        if is_offloaded { ledger.freed_on_host(bytes) } else { ledger.freed(bytes) }
    }

    pub(super) fn error(&self) -> Error {
        match self {
            Self::Freed => Error::Closed { what: "buffer" },
            Self::DeviceClosed => Error::Closed { what: "device" },
            Self::Here(_) | Self::Lost(_) => Error::DeviceLost {
                reason: "the contents of this buffer went with it".into(),
                help: "write the whole buffer again",
            },
        }
    }
}
