//! Bulk bytes, by pointer.
//!
//! UniFFI carries a byte array by copying it, some of them element by element. A tensor has millions: Swift and Python
//! hand over a pointer ([`c`]), Kotlin and Java a direct `ByteBuffer` ([`jvm`]), and the bytes are copied once, into the
//! device's memory or out of it.
//!
//! A buffer is known by its handle, a number that is never used twice. A handle of a buffer that was freed, or of none
//! that ever was, is an error and not a crash.

pub mod c;
#[cfg(feature = "jvm")]
pub mod jvm;

use std::{
    collections::HashMap,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use exo_gpu::Buffer;

use crate::{ExoError, Result};

static NEXT: AtomicU64 = AtomicU64::new(1);
static BUFFERS: RwLock<Option<HashMap<u64, Buffer>>> = RwLock::new(None);

pub(crate) fn register(buffer: Buffer) -> u64 {
    let handle = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut buffers = BUFFERS.write().unwrap_or_else(PoisonError::into_inner);
    buffers.get_or_insert_default().insert(handle, buffer);
    handle
}

pub(crate) fn forget(handle: u64) {
    // The memory is given back after the lock: that may take a while.
    let forgotten =
        BUFFERS.write().unwrap_or_else(PoisonError::into_inner).as_mut().and_then(|all| all.remove(&handle));
    drop(forgotten);
}

fn buffer(handle: u64) -> Result<Buffer> {
    let buffers = BUFFERS.read().unwrap_or_else(PoisonError::into_inner);
    buffers.as_ref().and_then(|all| all.get(&handle)).cloned().ok_or_else(|| ExoError::closed("buffer"))
}
