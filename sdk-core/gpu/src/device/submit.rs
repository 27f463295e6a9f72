//! The way of work through the line: judged, numbered, handed over, and seen off.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::{
    Device, Error, Health, Result, Submission,
    backend::{Pending, Work},
    line::{Flight, LineState, not_repeatable},
    trust::substitute,
};

impl Device {
    pub(crate) fn submit(&self, work: Work, repeatable: bool) -> Result<Submission> {
        let judged = self.backend()?;
        let wrong = match self.inner.trust.judge(self, &work) {
            // Lost in a self-test: the CPU, which needs none, does the work.
            Err(Error::DeviceLost { reason, .. }) => {
                self.lost(&judged, &reason)?;
                Vec::new()
            }
            other => other?,
        };
        let is_replaced = self.read_state().health != Health::Well;
        let by_cpu = if is_replaced { work.steps.len() } else { wrong.len() };
        self.inner.substituted.fetch_add(by_cpu as u64, Ordering::Relaxed);
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
        if cancelled {
            // Before the line is noted as settled: whoever waits finds the result.
            flight.end(&mut line, Err(Error::Cancelled));
        }
        self.inner.line.note(&line);
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
                flight.end(line, Err(error));
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
        if let Err(Error::DeviceLost { reason, .. }) = &result
            && let Ok(backend) = self.backend()
            && let Ok(true) = self.replace(&mut line, &backend, reason)
        {
            self.inner.line.note(&line);
            return;
        }
        line.flying.remove(at);
        // Before the line is noted as settled: whoever waited finds the memory given back.
        flight.end(&mut line, result);
        self.move_up(&mut line);
    }

    /// Runs work now, step by step, with the CPU in place of kernels that are wrong here.
    fn run_now(&self, line: &mut LineState, work: &Work, wrong: &[usize]) -> Result<()> {
        self.empty(line);
        let backend = self.backend()?;
        let result = substitute::run(&*backend, work, wrong);
        if let Err(Error::DeviceLost { reason, .. }) = &result {
            self.replace(line, &backend, reason)?;
            for buffer in work.outputs() {
                buffer.inner.lose();
            }
            return Err(not_repeatable(reason));
        }
        result
    }

    /// Sees everything off that came before, with the line held: what follows reads what it wrote.
    fn empty(&self, line: &mut LineState) {
        loop {
            self.move_up(line);
            let Some((flight, pending)) = line.flying.front().and_then(|f| Some((f.clone(), f.pending()?)))
            else {
                return;
            };
            let result = pending.wait(None).map(|_| pending.device_time());
            if let Err(Error::DeviceLost { reason, .. }) = &result
                && let Ok(backend) = self.backend()
                && let Ok(true) = self.replace(line, &backend, reason)
            {
                continue; // The CPU repeats what may be repeated.
            }
            line.flying.pop_front();
            flight.end(line, result);
        }
    }
}
