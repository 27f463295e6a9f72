//! Bulk bytes, by pointer.
//!
//! UniFFI carries a byte array by copying it, some of them element by element. A tensor has millions, and so has a model
//! that is fetched: Swift and Python hand over a pointer ([`c`]), Kotlin and Java a direct `ByteBuffer` ([`jvm`]), and the
//! bytes are copied once.
//!
//! What takes or gives bytes is known by its handle, a number that is never used twice. A handle of something that is
//! gone, or that never was, is an error and not a crash.

pub mod c;
#[cfg(feature = "jvm")]
pub mod jvm;

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use exo_gpu::Buffer;
use exo_models::Receiver;

use crate::{ExoError, Result};

static NEXT: AtomicU64 = AtomicU64::new(1);
/// Memory of devices.
pub(crate) static BUFFERS: Handles<Buffer> = Handles::new("buffer");
/// Answers of servers that are on their way.
pub(crate) static RECEIVERS: Handles<Arc<dyn Receiver>> = Handles::new("answer");

/// Things that are known by numbers.
pub(crate) struct Handles<T> {
    what: &'static str,
    all: RwLock<Option<HashMap<u64, T>>>,
}

impl<T: Clone> Handles<T> {
    const fn new(what: &'static str) -> Self {
        Self { what, all: RwLock::new(None) }
    }

    pub(crate) fn register(&self, thing: T) -> u64 {
        let handle = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.get_or_insert_default().insert(handle, thing);
        handle
    }

    pub(crate) fn forget(&self, handle: u64) {
        // It is dropped after the lock: that may take a while.
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let forgotten = all.as_mut().and_then(|all| all.remove(&handle));
        drop(all);
        drop(forgotten);
    }

    fn get(&self, handle: u64) -> Result<T> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.as_ref().and_then(|all| all.get(&handle)).cloned().ok_or_else(|| ExoError::closed(self.what))
    }
}
