//! Losing the device: the CPU takes its place, its buffers and the work that may be repeated.
//!
//! Where host and device share memory the buffers' contents are still there, and move. Where the device had memory
//! of its own they are gone, and the buffers say so until they are written anew. Work that was under way is repeated
//! if that gives the same result (see [`hazard`](crate::hazard)); otherwise it fails, and what it wrote is lost too:
//! an answer is right or it is an error.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use super::Health;
use crate::{
    Device, Result,
    backend::BackendDevice,
    line::{Flight, LineState, not_repeatable},
};

impl Device {
    /// To be called by whoever hears from `backend` that it is lost, and holds no lock.
    pub(crate) fn lost(&self, backend: &Arc<dyn BackendDevice>, reason: &str) -> Result<()> {
        let mut line = self.inner.line.lock();
        let replaced = self.replace(&mut line, backend, reason);
        self.inner.line.note(&line);
        replaced
    }

    /// Puts the CPU in the place of a lost backend: buffers move, flights that may be repeated are.
    pub(super) fn replace(
        &self,
        line: &mut LineState,
        lost: &Arc<dyn BackendDevice>,
        reason: &str,
    ) -> Result<()> {
        if !Arc::ptr_eq(&self.backend()?, lost) {
            return Ok(()); // Somebody heard it first.
        }
        let lost_name = &lost.description().name;
        let cpu = crate::cpu::open();
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
            repeat(line, &*cpu, &flight, reason);
        }
        Ok(())
    }
}

/// Sends one flight off anew on the CPU, or ends it.
fn repeat(line: &mut LineState, cpu: &dyn BackendDevice, flight: &Arc<Flight>, reason: &str) {
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
            for buffer in work.outputs() {
                buffer.inner.lose();
            }
            flight.end(Err(error));
        }
    }
}
