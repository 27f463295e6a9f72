//! The opened device: what apps hold. Allocation, submission, closing, and what happens when the device is lost.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, RwLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::{
    Batch, Buffer, DType, DeviceDescription, Error, MemoryReport, Pressure, Result, Shape, Submission,
    Tensor,
    backend::{Action, BackendDevice, Pending, Work},
    buffer::BufferInner,
    ledger::Ledger,
    line::{Flight, Line, LineState, not_repeatable},
    op::Access,
    trust::{Trust, substitute},
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

/// The live buffers of a device, so that closing and losing it reach each one.
#[derive(Default)]
pub(crate) struct Buffers {
    live: Mutex<HashMap<u64, Weak<BufferInner>>>,
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
            }),
        }
    }

    /// A device that trusts its kernels and remembers nothing: for tests of what lies below.
    #[cfg(test)]
    pub(crate) fn over(backend: Arc<dyn BackendDevice>) -> Self {
        let key = crate::registry::DeviceKey::of(backend.description());
        let trust = Trust::new(Arc::new(crate::registry::Registry::open(None)), key, HashMap::new());
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
        self.inner.ledger.watch(&*backend, memory.is_err());
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let buffer = Buffer::new(self.clone(), id, bytes, memory?);
        self.inner.buffers.remember(id, &buffer);
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

    /// Calls `f` whenever the pressure on memory changes. Replaces an earlier callback.
    ///
    /// It runs on the thread that allocated or freed; it may free buffers.
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
        let queued = std::mem::take(&mut self.inner.line.lock().queued);
        queued.iter().for_each(|flight| flight.end(Err(Error::Cancelled)));
        self.settle(u64::MAX);
        let backend = self.inner.state.write().unwrap_or_else(PoisonError::into_inner).backend.take();
        for buffer in self.inner.buffers.all() {
            buffer.close();
        }
        if let Some(backend) = backend {
            backend.trim();
        }
        self.inner.trust.save();
    }

    pub(crate) fn is(&self, other: &Device) -> bool {
        self.inner.id == other.inner.id
    }

    pub(crate) fn backend(&self) -> Result<Arc<dyn BackendDevice>> {
        self.read_state().backend.clone().ok_or(Error::Closed { what: "device" })
    }

    fn read_state(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.inner.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The way of work through the line.
impl Device {
    pub(crate) fn submit(&self, work: Work, repeatable: bool) -> Result<Submission> {
        let wrong = match self.inner.trust.judge(self, &work) {
            // Lost in a self-test: the CPU, which needs none, does the work.
            Err(Error::DeviceLost { reason, .. }) => {
                self.lost(&self.backend()?, &reason)?;
                Vec::new()
            }
            other => other?,
        };
        let mut line = self.inner.line.lock();
        let number = line.take_number();
        let entered = self.backend().and_then(|_| work.buffers().try_for_each(|b| b.enter(number)));
        if let Err(error) = entered {
            self.inner.line.note(&line);
            return Err(error);
        }
        if work.steps.is_empty() || !wrong.is_empty() {
            let result = self.run_now(&mut line, &work, &wrong);
            self.inner.line.note(&line);
            return result.map(|()| Submission::new(self.clone(), Flight::over(number, Ok(None))));
        }
        let flight = Flight::queued(number, work, repeatable);
        if line.has_room() {
            let launched = self.launch(&mut line, &flight);
            self.inner.line.note(&line);
            launched?;
        } else {
            line.queued.push_back(flight.clone());
            drop(line);
            self.attend();
        }
        Ok(Submission::new(self.clone(), flight))
    }

    /// Waits until submission `number` and all before it are over.
    pub(crate) fn settle(&self, number: u64) {
        self.settle_until(number, None);
    }

    pub(crate) fn settle_until(&self, number: u64, deadline: Option<Instant>) {
        while !self.inner.line.is_settled(number) {
            let Some(flight) = self.first_flight() else { return };
            let Some(pending) = flight.pending() else { continue };
            let limit = deadline.map(|d| d.saturating_duration_since(Instant::now()));
            match pending.wait(limit) {
                Ok(false) => return,
                Ok(true) => self.land(&flight, &pending, Ok(pending.device_time())),
                Err(error) => self.land(&flight, &pending, Err(error)),
            }
        }
    }

    pub(crate) fn cancel(&self, flight: &Arc<Flight>) -> bool {
        let mut line = self.inner.line.lock();
        let before = line.queued.len();
        line.queued.retain(|f| f.number != flight.number);
        let cancelled = line.queued.len() < before;
        self.inner.line.note(&line);
        drop(line);
        if cancelled {
            flight.end(Err(Error::Cancelled));
        }
        cancelled
    }

    /// Has a thread see the line's work off, unless one does already.
    pub(crate) fn attend(&self) {
        let mut line = self.inner.line.lock();
        if line.attended || line.is_empty() {
            return;
        }
        line.attended = true;
        drop(line);
        let device = self.clone();
        let spawned = std::thread::Builder::new().name("exo-gpu-line".into()).spawn(move || {
            loop {
                device.settle(u64::MAX);
                let mut line = device.inner.line.lock();
                if line.is_empty() {
                    line.attended = false;
                    return;
                }
            }
        });
        if spawned.is_err() {
            // No thread to be had: settle here, which blocks but loses nothing.
            self.settle(u64::MAX);
            self.inner.line.lock().attended = false;
        }
    }

    /// The oldest flight, after moving up what waits behind an empty sky.
    fn first_flight(&self) -> Option<Arc<Flight>> {
        let mut line = self.inner.line.lock();
        self.move_up(&mut line);
        line.flying.front().cloned()
    }

    /// Hands queued flights over while there is room.
    fn move_up(&self, line: &mut LineState) {
        while line.flying.len() < crate::line::DEPTH
            && let Some(flight) = line.queued.pop_front()
        {
            if let Err(error) = self.launch(line, &flight) {
                flight.end(Err(error));
            }
        }
        self.inner.line.note(line);
    }

    fn launch(&self, line: &mut LineState, flight: &Arc<Flight>) -> Result<()> {
        let backend = self.backend()?;
        let Some(work) = flight.work() else { return Ok(()) };
        let submitted = match backend.submit(&work) {
            Err(Error::DeviceLost { reason, .. }) => {
                self.replace(line, &backend, &reason)?;
                // It never began, so it may run on the CPU whatever it overwrites.
                self.backend()?.submit(&work)
            }
            other => other,
        };
        flight.fly(submitted?);
        line.flying.push_back(flight.clone());
        Ok(())
    }

    /// Ends a flight that the device is done with; `pending` is what was waited for.
    fn land(&self, flight: &Arc<Flight>, pending: &Arc<dyn Pending>, result: Result<Option<Duration>>) {
        let mut line = self.inner.line.lock();
        let Some(at) = line.flying.iter().position(|f| Arc::ptr_eq(f, flight)) else { return };
        // Another waiter may have noticed the loss first and sent the flight off anew.
        if !flight.pending().is_some_and(|current| Arc::ptr_eq(&current, pending)) {
            return;
        }
        if let Err(Error::DeviceLost { reason, .. }) = &result {
            let Ok(backend) = self.backend() else { return };
            // When nothing could be replaced the flights ended with the reason; either way the line has changed.
            let _ = self.replace(&mut line, &backend, reason);
            self.inner.line.note(&line);
            return;
        }
        line.flying.remove(at);
        // Before the line is noted as settled: whoever waited finds the memory given back.
        flight.end(result);
        self.move_up(&mut line);
    }

    /// Runs work now, step by step, with the CPU in place of kernels that are wrong here.
    fn run_now(&self, line: &mut LineState, work: &Work, wrong: &[usize]) -> Result<()> {
        let backend = self.backend()?;
        // Earlier flights may write what this work reads.
        for flight in &line.flying {
            if let Some(pending) = flight.pending() {
                pending.wait(None)?;
            }
        }
        let result = substitute::run(&*backend, work, wrong);
        if let Err(Error::DeviceLost { reason, .. }) = &result {
            self.replace(line, &backend, reason)?;
            return Err(not_repeatable(reason));
        }
        result
    }
}

/// Losing the device.
impl Device {
    /// To be called by whoever hears from `backend` that it is lost, and holds no lock.
    pub(crate) fn lost(&self, backend: &Arc<dyn BackendDevice>, reason: &str) -> Result<()> {
        let mut line = self.inner.line.lock();
        let replaced = self.replace(&mut line, backend, reason);
        self.inner.line.note(&line);
        replaced
    }

    /// Puts the CPU in the place of a lost backend: buffers move, flights that may be repeated are.
    fn replace(&self, line: &mut LineState, lost: &Arc<dyn BackendDevice>, reason: &str) -> Result<()> {
        if !Arc::ptr_eq(&self.backend()?, lost) {
            return Ok(()); // Somebody heard it first.
        }
        let lost_name = &lost.description().name;
        let cpu = crate::cpu::open()?;
        for buffer in self.inner.buffers.all() {
            // A buffer that finds no room on the host is lost with the device, and says so.
            if buffer.move_to(&*cpu).is_err() {
                buffer.lose();
            }
        }
        {
            let mut state = self.inner.state.write().unwrap_or_else(PoisonError::into_inner);
            state.description = cpu.description().clone();
            state.health = Health::Replaced { reason: format!("{lost_name} was lost: {reason}") };
            state.backend = Some(cpu.clone());
        }
        for flight in std::mem::take(&mut line.flying) {
            self.repeat(line, &*cpu, &flight, reason);
        }
        Ok(())
    }

    fn repeat(&self, line: &mut LineState, cpu: &dyn BackendDevice, flight: &Arc<Flight>, reason: &str) {
        let (Some(work), Some(pending)) = (flight.work(), flight.pending()) else { return };
        if let Ok(true) = pending.wait(Some(Duration::ZERO)) {
            flight.end(Ok(pending.device_time()));
            return;
        }
        let repeated = if flight.repeatable { cpu.submit(&work) } else { Err(not_repeatable(reason)) };
        match repeated {
            Ok(pending) => {
                flight.fly(pending);
                line.flying.push_back(flight.clone());
            }
            Err(error) => {
                work.outputs().for_each(|buffer| buffer.inner.lose());
                flight.end(Err(error));
            }
        }
    }
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

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Weak<BufferInner>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work {
    /// Every buffer that the work touches, some more than once.
    fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.touched(|_| true)
    }

    /// The buffers that the work writes.
    fn outputs(&self) -> impl Iterator<Item = &Buffer> {
        self.touched(|access| access == Access::Write)
    }

    fn touched(&self, wanted: impl Fn(Access) -> bool) -> impl Iterator<Item = &Buffer> {
        let mut found = Vec::with_capacity(self.steps.len() * 4);
        for step in &self.steps {
            match &step.action {
                Action::Op(op) => op.visit(&mut |t, access| {
                    if wanted(access) {
                        found.push(t.buffer());
                    }
                }),
                Action::CopyBytes { from, to, .. } => {
                    found.extend(wanted(Access::Read).then_some(from));
                    found.extend(wanted(Access::Write).then_some(to));
                }
            }
        }
        found.into_iter()
    }
}
