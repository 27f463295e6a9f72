//! The queue: who may submit, what is under way, and what can be used again.

use std::{
    collections::VecDeque,
    mem::ManuallyDrop,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use ash::vk;

use super::{
    command::Commands,
    completion::{Completion, Ticket},
    context::Context,
};
use crate::{Result, backend::Pending};

/// The device's one queue. Many threads record at once; only the hand-over takes turns.
pub(super) struct Queue {
    turn: Mutex<Turn>,
    completion: Completion,
    /// Commands whose work is done, for the next to use.
    idle: Mutex<Vec<Commands>>,
    context: Arc<Context>,
}

/// What one thread at a time may touch.
struct Turn {
    raw: vk::Queue,
    /// Oldest first. Each stays here until it is done, so that its commands outlive their execution even when
    /// nobody waits for it.
    in_flight: VecDeque<Arc<Flight>>,
}

/// One submission under way, or done.
pub(super) struct Flight {
    queue: Arc<Queue>,
    /// Taken out in `drop` only.
    commands: ManuallyDrop<Commands>,
    ticket: Ticket,
    is_done: AtomicBool,
}

impl Queue {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        // SAFETY: the device was created with one queue of this family.
        let raw = unsafe { context.raw.get_device_queue(context.queue_family, 0) };
        Ok(Self {
            turn: Mutex::new(Turn { raw, in_flight: VecDeque::new() }),
            completion: Completion::new(context)?,
            idle: Mutex::default(),
            context: Arc::clone(context),
        })
    }

    /// Commands to record into: used ones where there are any.
    pub(super) fn commands(&self) -> Result<Commands> {
        self.context.check_alive()?;
        self.collect();
        let used = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        used.map_or_else(|| Commands::new(&self.context), Ok)
    }

    /// Hands recorded commands to the device.
    pub(super) fn submit(self: &Arc<Self>, commands: Commands) -> Result<Arc<Flight>> {
        if self.context.injector.loses_submission() {
            return Err(self.context.lose("a fault was injected at a submission".into()));
        }
        let mut turn = self.turn();
        let ticket = self.completion.submit(turn.raw, commands.raw())?;
        let flight = Arc::new(Flight {
            queue: Arc::clone(self),
            commands: ManuallyDrop::new(commands),
            ticket,
            is_done: AtomicBool::new(false),
        });
        turn.in_flight.push_back(Arc::clone(&flight));
        Ok(flight)
    }

    /// Lets go of what is done.
    fn collect(&self) {
        let mut turn = self.turn();
        while turn.in_flight.pop_front_if(|flight| flight.is_over()).is_some() {}
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Destroys what is only kept for later.
    pub(super) fn trim(&self) {
        self.collect();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Waits for all work. On a lost device there is none any more.
    pub(super) fn drain(&self) {
        let in_flight = {
            let mut turn = self.turn();
            // SAFETY: the queue's lock is held. The only answers other than success mean that the device is lost or
            // that the host has no memory left; work ends in both.
            let _ = unsafe { self.context.raw.device_wait_idle() };
            std::mem::take(&mut turn.in_flight)
        };
        for flight in in_flight {
            flight.is_done.store(true, Ordering::Release);
        }
    }
}

impl Flight {
    /// Whether the device is done with it, without waiting. How it ended is for whoever waits to find out.
    fn is_over(&self) -> bool {
        self.is_done.load(Ordering::Acquire) || self.queue.completion.is_done(self.ticket)
    }
}

impl Pending for Flight {
    fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        if self.is_done.load(Ordering::Acquire) {
            return Ok(true);
        }
        if !self.queue.completion.wait(self.ticket, timeout)? {
            return Ok(false);
        }
        let context = &self.queue.context;
        if context.injector.loses_wait() {
            return Err(context.lose("a fault was injected at a wait".into()));
        }
        // Someone else may have noticed the loss first; what this work left behind is not to be trusted then.
        context.check_alive()?;
        self.is_done.store(true, Ordering::Release);
        Ok(true)
    }

    fn device_time(&self) -> Option<Duration> {
        self.is_done.load(Ordering::Acquire).then(|| self.commands.device_time())?
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // SAFETY: the only place that takes the commands out, and `self` is never used again.
        let commands = unsafe { ManuallyDrop::take(&mut self.commands) };
        // The queue held this flight until it was done, so neither the commands nor the ticket are in use.
        self.queue.completion.recycle(self.ticket);
        self.queue.idle.lock().unwrap_or_else(PoisonError::into_inner).push(commands);
    }
}
