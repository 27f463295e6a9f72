//! The opened device: what apps hold. Allocating, recording, closing.

mod buffers;
mod loss;
mod submit;

use std::sync::{
    Arc, PoisonError, RwLock, RwLockReadGuard,
    atomic::{AtomicU64, Ordering},
};

use buffers::Buffers;
use serde::{Deserialize, Serialize};

use crate::{
    Batch, Buffer, DType, DeviceDescription, Error, MemoryReport, Pressure, Result, Shape, Tensor,
    backend::BackendDevice, ledger::Ledger, line::Line, trust::Trust,
};

/// An opened device. Cloning is cheap; all clones are the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<DeviceInner>,
}

pub(crate) struct DeviceInner {
    id: u64,
    state: RwLock<State>,
    pub(crate) ledger: Ledger,
    pub(crate) buffers: Buffers,
    pub(crate) trust: Trust,
    line: Line,
    /// See [`Device::substituted`].
    substituted: AtomicU64,
}

struct State {
    /// `None` once closed.
    backend: Option<Arc<dyn BackendDevice>>,
    description: DeviceDescription,
    health: Health,
}

/// Whether the device is the one that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It is.
    Well,
    /// It was lost; the CPU took over its buffers and its work.
    Replaced {
        /// What was lost, and what the driver said.
        reason: String,
    },
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Device({})", self.read_state().description.name)
    }
}

impl Device {
    pub(crate) fn new(backend: Arc<dyn BackendDevice>, cap: Option<u64>, trust: Trust) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let ledger = Ledger::new(&*backend, cap);
        let description = backend.description().clone();
        Self {
            inner: Arc::new(DeviceInner {
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                state: RwLock::new(State { backend: Some(backend), description, health: Health::Well }),
                ledger,
                buffers: Buffers::default(),
                trust,
                line: Line::default(),
                substituted: AtomicU64::new(0),
            }),
        }
    }

    /// A device that trusts its kernels and remembers nothing: for tests of what lies below.
    #[cfg(test)]
    pub(crate) fn over(backend: Arc<dyn BackendDevice>) -> Self {
        let key = crate::registry::DeviceKey::of(backend.description());
        let trust = Trust::new(
            Arc::new(crate::registry::Registry::open(None)),
            key,
            std::collections::HashMap::new(),
        );
        Self::new(backend, None, trust)
    }

    /// What the device is. After a loss this is the CPU that took over.
    pub fn description(&self) -> DeviceDescription {
        self.read_state().description.clone()
    }

    /// Whether the device is still the one that was opened.
    pub fn health(&self) -> Health {
        self.read_state().health.clone()
    }

    /// How many operations the CPU has computed in the device's place: those of kernels that failed their self-test, and
    /// all that were submitted since it was lost. Nothing on a device that is the CPU.
    pub fn substituted(&self) -> u64 {
        self.inner.substituted.load(Ordering::Relaxed)
    }

    /// Allocates `bytes`. The contents are unspecified until they are written.
    pub fn allocate(&self, bytes: u64) -> Result<Buffer> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let backend = self.backend()?;
        let largest = backend.description().limits.max_buffer_bytes;
        if bytes == 0 || bytes > largest {
            return Err(Error::InvalidArgument {
                what: "Device::allocate",
                asked: format!("{bytes} bytes"),
                allowed: format!("1 to {largest} bytes"),
                help: "skip empty buffers; split larger ones",
            });
        }
        let memory = self.inner.ledger.reserve(bytes, &*backend).and_then(|()| {
            backend
                .allocate(bytes)
                .or_else(|_| {
                    // What the allocator keeps for later may be what is missing now.
                    backend.trim();
                    backend.allocate(bytes)
                })
                .inspect_err(|_| self.inner.ledger.freed(bytes))
        });
        self.inner.ledger.watch(&*backend, matches!(memory, Err(Error::OutOfMemory { .. })));
        if let Err(Error::DeviceLost { reason, .. }) = &memory {
            self.lost(&backend, reason)?;
            // On the CPU now, which is never lost: this ends.
            return self.allocate(bytes);
        }
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let buffer = Buffer::new(self.clone(), id, bytes, backend.clone(), memory?);
        self.inner.buffers.remember(id, &buffer);
        if let Ok(current) = self.backend()
            && !Arc::ptr_eq(&current, &backend)
        {
            // The device was lost meanwhile, and the move of its buffers missed this one.
            buffer.inner.move_to(&current)?;
        }
        Ok(buffer)
    }

    /// Allocates a buffer that holds just this tensor.
    pub fn tensor(&self, dtype: DType, dims: &[u32]) -> Result<Tensor> {
        let bytes = Shape::new(dims)?.elements().saturating_mul(dtype.bytes());
        Tensor::new(&self.allocate(bytes)?, 0, dtype, dims)
    }

    /// Begins to record work.
    pub fn batch(&self) -> Batch {
        Batch::new(self.clone())
    }

    /// What the device's memory holds now.
    pub fn memory_report(&self) -> Result<MemoryReport> {
        Ok(self.inner.ledger.report(&*self.backend()?))
    }

    /// Whether the device has memory of its own and can use the host's too, so that [`Buffer::offload`] gains something.
    /// Phones share one memory with the host; so does the CPU with itself.
    pub fn has_own_memory(&self) -> bool {
        self.backend().is_ok_and(|backend| backend.has_own_memory())
    }

    /// Bytes in buffers that were moved to the host's memory.
    pub fn offloaded(&self) -> u64 {
        self.inner.ledger.offloaded()
    }

    /// Calls `f` whenever the pressure on memory changes. Replaces an earlier callback.
    ///
    /// It runs on the thread that allocates; it may free buffers. It is let go when the device is closed, so it may hold
    /// the device.
    pub fn on_pressure(&self, f: impl Fn(Pressure, MemoryReport) + Send + Sync + 'static) {
        self.inner.ledger.on_pressure(Arc::new(f));
    }

    /// Gives memory that no buffer uses back to the system, and writes caches to disk.
    pub fn trim(&self) -> Result<()> {
        self.backend()?.trim();
        Ok(())
    }

    /// What the validation layer said so far; empty when it is off.
    pub fn validation_messages(&self) -> Vec<String> {
        self.read_state().backend.as_ref().map(|b| b.validation_messages()).unwrap_or_default()
    }

    /// Cancels what has not begun, waits for the rest, and frees everything. Idempotent; buffers that outlive the
    /// device give [`Error::Closed`].
    pub fn close(&self) {
        let backend = {
            // Together, so that nothing is handed over after the line was settled.
            let mut line = self.inner.line.lock();
            for flight in std::mem::take(&mut line.queued) {
                flight.end(&mut line, Err(Error::Cancelled));
            }
            self.inner.state.write().unwrap_or_else(PoisonError::into_inner).backend.take()
        };
        self.settle(u64::MAX);
        for buffer in self.inner.buffers.all() {
            buffer.close();
        }
        if let Some(backend) = backend {
            backend.trim();
        }
        self.inner.ledger.forget_callback();
        self.inner.trust.save();
    }

    pub(crate) fn is(&self, other: &Device) -> bool {
        self.inner.id == other.inner.id
    }

    pub(crate) fn backend(&self) -> Result<Arc<dyn BackendDevice>> {
        self.read_state().backend.clone().ok_or(Error::Closed { what: "device" })
    }

    fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.inner.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}
