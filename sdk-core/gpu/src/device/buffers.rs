//! The live buffers of a device, so that closing and losing it reach each one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use crate::{Buffer, buffer::BufferInner};

/// The live buffers, by number. Holds none of them alive.
#[derive(Default)]
pub(crate) struct Buffers {
    live: Mutex<HashMap<u64, Weak<BufferInner>>>,
}

impl Buffers {
    pub(crate) fn remember(&self, id: u64, buffer: &Buffer) {
        self.lock().insert(id, Arc::downgrade(&buffer.inner));
    }

    pub(crate) fn forget(&self, id: u64) {
        self.lock().remove(&id);
    }

    pub(crate) fn all(&self) -> Vec<Arc<BufferInner>> {
        self.lock().values().filter_map(Weak::upgrade).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Weak<BufferInner>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
