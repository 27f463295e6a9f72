//! The line of submissions of one device: what waits, what flies, what is over.
//!
//! Devices work in the order of submission, so "everything up to number n is over" is one number, and waiting for
//! a submission means waiting for those before it too. At most [`DEPTH`] submissions are with the driver at
//! once; the rest wait here, where they can still be cancelled.
//!
//! Nobody spins and no thread idles: a caller that waits blocks in the driver itself. Only work that nobody waits
//! for (futures, dropped submissions, a full line) gets a thread, which ends with the line's last flight.

use std::{
    collections::VecDeque,
    mem::ManuallyDrop,
    ops::{Deref, DerefMut},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::Waker,
    time::Duration,
};

use crate::{
    Error, Result,
    backend::{Pending, Work},
};

/// Submissions that are with the driver at once.
pub(crate) const DEPTH: usize = 8;

pub(crate) struct Line {
    state: Mutex<LineState>,
    /// Everything up to this number is over.
    settled: AtomicU64,
}

#[derive(Default)]
pub(crate) struct LineState {
    /// The number of the next submission, from 1.
    next: u64,
    pub(crate) queued: VecDeque<Arc<Flight>>,
    pub(crate) flying: VecDeque<Arc<Flight>>,
    /// Whether a thread is settling the line.
    pub(crate) attended: bool,
    /// Whom to wake once the line is let go: a waker is the app's code, and may submit.
    wakers: Vec<Waker>,
}

/// The line, held. Letting go wakes whoever awaited a flight that ended meanwhile.
pub(crate) struct Held<'a> {
    /// Taken out in `drop` only.
    state: ManuallyDrop<MutexGuard<'a, LineState>>,
}

impl Deref for Held<'_> {
    type Target = LineState;

    fn deref(&self) -> &LineState {
        &self.state
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut LineState {
        &mut self.state
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let wakers = std::mem::take(&mut self.state.wakers);
        // SAFETY: the only place that takes the guard out, and `self` is never used again.
        drop(unsafe { ManuallyDrop::take(&mut self.state) });
        for waker in wakers {
            // A waker that panics is the app's own trouble, and must not end the thread that sees work off.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }
}

/// One submission on its way.
pub(crate) struct Flight {
    pub(crate) number: u64,
    /// Whether running it twice gives the same result (see [`crate::hazard`]).
    pub(crate) repeatable: bool,
    state: Mutex<FlightState>,
}

struct FlightState {
    phase: Phase,
    wakers: Vec<Waker>,
}

enum Phase {
    Queued(Arc<Work>),
    Flying(Arc<Work>, Arc<dyn Pending>),
    Over(Result<Option<Duration>>),
}

impl Default for Line {
    fn default() -> Self {
        Self { state: Mutex::new(LineState { next: 1, ..LineState::default() }), settled: AtomicU64::new(0) }
    }
}

impl Line {
    pub(crate) fn lock(&self) -> Held<'_> {
        Held { state: ManuallyDrop::new(self.state.lock().unwrap_or_else(PoisonError::into_inner)) }
    }

    pub(crate) fn is_settled(&self, number: u64) -> bool {
        self.settled.load(Ordering::Acquire) >= number
    }

    /// Recomputes what is settled; call after the line changed.
    pub(crate) fn note(&self, state: &LineState) {
        let first = state.flying.front().or(state.queued.front()).map_or(state.next, |f| f.number);
        self.settled.fetch_max(first - 1, Ordering::AcqRel);
    }
}

impl LineState {
    /// Takes the next number. It must come to a flight, or to [`Line::note`] when it failed to.
    pub(crate) fn take_number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    pub(crate) fn has_room(&self) -> bool {
        self.flying.len() < DEPTH && self.queued.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.flying.is_empty() && self.queued.is_empty()
    }
}

impl Flight {
    pub(crate) fn queued(number: u64, work: Work, repeatable: bool) -> Arc<Self> {
        Self::at(number, repeatable, Phase::Queued(Arc::new(work)))
    }

    pub(crate) fn over(number: u64, result: Result<Option<Duration>>) -> Arc<Self> {
        Self::at(number, true, Phase::Over(result))
    }

    fn at(number: u64, repeatable: bool, phase: Phase) -> Arc<Self> {
        Arc::new(Self { number, repeatable, state: Mutex::new(FlightState { phase, wakers: Vec::new() }) })
    }

    pub(crate) fn result(&self) -> Option<Result<Option<Duration>>> {
        match &self.lock().phase {
            Phase::Over(result) => Some(result.clone()),
            _ => None,
        }
    }

    pub(crate) fn pending(&self) -> Option<Arc<dyn Pending>> {
        match &self.lock().phase {
            Phase::Flying(_, pending) => Some(pending.clone()),
            _ => None,
        }
    }

    pub(crate) fn work(&self) -> Option<Arc<Work>> {
        match &self.lock().phase {
            Phase::Queued(work) | Phase::Flying(work, _) => Some(work.clone()),
            Phase::Over(_) => None,
        }
    }

    pub(crate) fn fly(&self, pending: Arc<dyn Pending>) {
        let mut state = self.lock();
        if let Phase::Queued(work) | Phase::Flying(work, _) = &state.phase {
            state.phase = Phase::Flying(work.clone(), pending);
        }
    }

    /// Ends the flight and lets go of its work and the buffers in it. Whoever awaits it is woken with the line.
    pub(crate) fn end(&self, line: &mut LineState, result: Result<Option<Duration>>) {
        let phase = {
            let mut state = self.lock();
            line.wakers.append(&mut state.wakers);
            std::mem::replace(&mut state.phase, Phase::Over(result))
        };
        drop(phase);
    }

    /// The result, or `None` and `waker` is woken when there is one.
    pub(crate) fn result_or_wake(&self, waker: &Waker) -> Option<Result<Option<Duration>>> {
        let mut state = self.lock();
        if let Phase::Over(result) = &state.phase {
            return Some(result.clone());
        }
        if !state.wakers.iter().any(|w| w.will_wake(waker)) {
            state.wakers.push(waker.clone());
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, FlightState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of work that a lost device took with it.
pub(crate) fn not_repeatable(reason: &str) -> Error {
    Error::DeviceLost {
        reason: reason.into(),
        help: "this work overwrites its own inputs, so it could not be repeated on the CPU: \
               write its buffers again and submit it anew",
    }
}
