//! Losing the device: the CPU takes its place, its buffers and the work that may be repeated.
//!
//! Where host and device share memory the buffers' contents are still there, and move. Where the device had memory
//! of its own they are gone, and the buffers say so until they are written anew. Work that was under way is repeated
//! if that gives the same result (see [`hazard`](crate::hazard)); otherwise it fails, and what it wrote is lost too:
//! an answer is right or it is an error.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, PoisonError},
    time::Duration,
};

use super::Health;
use crate::{
    BackendKind, Buffer, Device, Result,
    backend::BackendDevice,
    line::{Flight, LineState, not_repeatable},
};

impl Device {
    /// To be called by whoever hears from `backend` that it is lost, and holds no lock.
    pub(crate) fn lost(&self, backend: &Arc<dyn BackendDevice>, reason: &str) -> Result<()> {
        let mut line = self.inner.line.lock();
        let replaced = self.replace(&mut line, backend, reason);
        self.inner.line.note(&line);
        replaced.map(drop)
    }

    /// Puts the CPU in the place of a lost backend: buffers move, flights that may be repeated are.
    ///
    /// `false` means that nothing was replaced: somebody heard of the loss first, or the CPU itself is accused, which
    /// is never lost (a buffer whose contents went with an earlier device gives the same error).
    pub(super) fn replace(
        &self,
        line: &mut LineState,
        lost: &Arc<dyn BackendDevice>,
        reason: &str,
    ) -> Result<bool> {
        if !Arc::ptr_eq(&self.backend()?, lost) || lost.description().backend == BackendKind::Cpu {
            return Ok(false);
        }
        let lost_name = &lost.description().name;
        let cpu = crate::cpu::open();
        for buffer in self.inner.buffers.all() {
            // A buffer that finds no room on the host is lost with the device, and says so.
            if buffer.move_to(&cpu).is_err() {
                buffer.lose();
            }
        }
        {
            let mut state = self.inner.state.write().unwrap_or_else(PoisonError::into_inner);
            state.description = cpu.description().clone();
            state.health = Health::Replaced { reason: format!("{lost_name} was lost: {reason}") };
            state.backend = Some(cpu.clone());
        }
        let mut flights = std::mem::take(&mut line.flying);
        while let Some(flight) = flights.pop_front() {
            let repeatable = flight.repeatable && !overwritten_by(&flight, &flights);
            repeat(line, &*cpu, &flight, repeatable, reason);
        }
        Ok(true)
    }
}

/// Whether a later flight writes a buffer that this one uses: it may have done so before the loss, and then this one
/// would be repeated on other inputs than it had.
fn overwritten_by(flight: &Flight, later: &VecDeque<Arc<Flight>>) -> bool {
    let Some(work) = flight.work() else { return false };
    let used: HashSet<u64> = work.buffers().map(Buffer::id).collect();
    later.iter().filter_map(|f| f.work()).any(|work| work.outputs().any(|output| used.contains(&output.id())))
}

/// Sends one flight off anew on the CPU, or ends it.
fn repeat(
    line: &mut LineState,
    cpu: &dyn BackendDevice,
    flight: &Arc<Flight>,
    repeatable: bool,
    reason: &str,
) {
    let (Some(work), Some(pending)) = (flight.work(), flight.pending()) else { return };
    if let Ok(true) = pending.wait(Some(Duration::ZERO)) {
        flight.end(line, Ok(pending.device_time()));
        return;
    }
    let repeated = if repeatable { cpu.submit(&work) } else { Err(not_repeatable(reason)) };
    match repeated {
        Ok(pending) => {
            flight.fly(pending);
            line.flying.push_back(flight.clone());
        }
        Err(error) => {
            for buffer in work.outputs() {
                buffer.inner.lose();
            }
            flight.end(line, Err(error));
        }
    }
}
