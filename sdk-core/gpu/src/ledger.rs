//! Counting memory: what buffers use, what may be used, and when to warn.
//!
//! The system's budget is asked for rarely (it is a driver call): when more than half of the last known budget
//! would be in use, and when a report is made.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU8, AtomicU64, Ordering},
};

use serde::{Deserialize, Serialize};

use crate::{Error, Result, backend::BackendDevice};

/// A device's memory at one moment, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// In buffers; without those that were moved to the host's memory, which [`Device::offloaded`] counts.
    ///
    /// [`Device::offloaded`]: crate::Device::offloaded
    pub used: u64,
    /// Taken from the system, in use or kept for the next allocation.
    pub reserved: u64,
    /// The most that was ever in buffers at once.
    pub peak: u64,
    /// What may be used in all: the smaller of the system's budget and the cap set at open; `None` where neither
    /// is known.
    pub budget: Option<u64>,
}

/// How full the budget is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pressure {
    /// Less than 80% in use.
    Normal,
    /// 80% or more: stop growing.
    Elevated,
    /// 95% or more, or an allocation failed: give back what can be made again.
    Critical,
}

type Callback = dyn Fn(Pressure, MemoryReport) + Send + Sync;

/// The counters of one device.
pub(crate) struct Ledger {
    used: AtomicU64,
    /// In buffers that were moved to the host's memory: no budget of the device counts them.
    offloaded: AtomicU64,
    peak: AtomicU64,
    cap: Option<u64>,
    /// The budget when it was last asked for; `u64::MAX` where unknown.
    budget: AtomicU64,
    level: AtomicU8,
    callback: Mutex<Option<Arc<Callback>>>,
}

impl Ledger {
    pub(crate) fn new(backend: &dyn BackendDevice, cap: Option<u64>) -> Self {
        let system = backend.description().memory_budget();
        let budget = smaller(system, cap).unwrap_or(u64::MAX);
        Self {
            used: AtomicU64::new(0),
            offloaded: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            cap,
            budget: AtomicU64::new(budget),
            level: AtomicU8::new(0),
            callback: Mutex::new(None),
        }
    }

    /// Sets aside `bytes`, or says why that is not possible.
    pub(crate) fn reserve(&self, bytes: u64, backend: &dyn BackendDevice) -> Result<()> {
        let used = self.used.fetch_add(bytes, Ordering::AcqRel).saturating_add(bytes);
        let mut budget = self.budget.load(Ordering::Acquire);
        if used > budget / 2 {
            budget = self.ask_budget(backend);
        }
        if used > budget {
            self.used.fetch_sub(bytes, Ordering::AcqRel);
            return Err(Error::OutOfMemory {
                asked: bytes,
                available: budget.saturating_sub(used - bytes),
                limit: budget,
                pool: "budget",
                help: "free buffers, ask for less, or raise OpenOptions::memory_cap if one is set",
            });
        }
        self.peak.fetch_max(used, Ordering::AcqRel);
        Ok(())
    }

    pub(crate) fn freed(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// `bytes` of a buffer went from the device's memory to the host's.
    pub(crate) fn offload(&self, bytes: u64) {
        self.offloaded.fetch_add(bytes, Ordering::AcqRel);
        self.freed(bytes);
    }

    /// They belong to the device again: one took its place whose memory is the host's.
    pub(crate) fn recall(&self, bytes: u64) {
        let used = self.used.fetch_add(bytes, Ordering::AcqRel).saturating_add(bytes);
        self.peak.fetch_max(used, Ordering::AcqRel);
        self.freed_on_host(bytes);
    }

    pub(crate) fn freed_on_host(&self, bytes: u64) {
        self.offloaded.fetch_sub(bytes, Ordering::AcqRel);
    }

    pub(crate) fn offloaded(&self) -> u64 {
        self.offloaded.load(Ordering::Acquire)
    }

    pub(crate) fn report(&self, backend: &dyn BackendDevice) -> MemoryReport {
        let budget = self.ask_budget(backend);
        MemoryReport {
            used: self.used.load(Ordering::Acquire),
            reserved: backend.memory_use().reserved,
            peak: self.peak.load(Ordering::Acquire),
            budget: (budget != u64::MAX).then_some(budget),
        }
    }

    pub(crate) fn on_pressure(&self, callback: Arc<Callback>) {
        *self.callback.lock().unwrap_or_else(PoisonError::into_inner) = Some(callback);
    }

    pub(crate) fn forget_callback(&self) {
        *self.callback.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Tells the callback when the level changed. Holds no lock while it runs.
    pub(crate) fn watch(&self, backend: &dyn BackendDevice, allocation_failed: bool) {
        let (used, budget) = (self.used.load(Ordering::Acquire), self.budget.load(Ordering::Acquire));
        let level = if allocation_failed { Pressure::Critical } else { level(used, budget) };
        if self.level.swap(level as u8, Ordering::AcqRel) == level as u8 {
            return;
        }
        let callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(callback) = callback {
            callback(level, self.report(backend));
        }
    }

    fn ask_budget(&self, backend: &dyn BackendDevice) -> u64 {
        let budget = smaller(backend.memory_use().budget, self.cap).unwrap_or(u64::MAX);
        self.budget.store(budget, Ordering::Release);
        budget
    }
}

fn smaller(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

fn level(used: u64, budget: u64) -> Pressure {
    match used {
        _ if used >= budget / 100 * 95 => Pressure::Critical,
        _ if used >= budget / 100 * 80 => Pressure::Elevated,
        _ => Pressure::Normal,
    }
}
