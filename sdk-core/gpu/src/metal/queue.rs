//! The queue: command buffers in, completions out, in order.
//!
//! Our buffers are untracked, so Metal keeps no order between encoders, nor between command buffers, unless it is
//! told to. One fence does it: each encoder waits for it first and updates it last ("reuse a fence by waiting first
//! and updating second", Apple's documentation of `MTLFence`). Fences take effect in the order of commits.

use std::{
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use block2::RcBlock;
use objc2::{rc::Retained, rc::autoreleasepool, runtime::ProtocolObject};
use objc2_metal::{MTLCommandBuffer, MTLCommandBufferStatus, MTLCommandQueue, MTLDevice, MTLFence};

use super::{
    command::Recorder,
    completion::{Completion, Outcome, device_time},
    fault::{self, Report},
    in_flight::InFlight,
    memory::Arena,
    pipeline::Pipelines,
};
use crate::{Error, Result};

/// Command buffers that a queue hands out at once; Metal's own default.
const IN_FLIGHT: usize = 64;

/// How long a submission waits for one of them. Metal itself ends work that hangs, long before.
const PATIENCE: Duration = Duration::from_secs(30);

/// A command buffer as Metal has it.
pub(super) type RawCommandBuffer = ProtocolObject<dyn MTLCommandBuffer>;

/// The one queue of a device.
pub(super) struct Queue {
    raw: Retained<ProtocolObject<dyn MTLCommandQueue>>,
    fence: Retained<ProtocolObject<dyn MTLFence>>,
    /// Held from the first command to the commit: submissions run in the order in which they were made.
    turn: Mutex<()>,
    in_flight: Arc<InFlight>,
    arena: Arc<Arena>,
    pipelines: Pipelines,
}

impl Queue {
    pub(super) fn new(
        device: &Retained<ProtocolObject<dyn MTLDevice>>,
        arena: Arc<Arena>,
    ) -> Result<Self, String> {
        let raw = device
            .newCommandQueueWithMaxCommandBufferCount(IN_FLIGHT)
            .ok_or("newCommandQueue failed: the device gives no queue")?;
        let fence = device.newFence().ok_or("newFence failed: the device gives no fence")?;
        Ok(Self {
            raw,
            fence,
            turn: Mutex::new(()),
            in_flight: Arc::new(InFlight::new(IN_FLIGHT)),
            arena,
            pipelines: Pipelines::new(device.clone()),
        })
    }

    /// Records with `record` and hands the result to the device. If `record` fails, nothing is handed over.
    pub(super) fn submit(
        &self,
        is_timed: bool,
        record: impl FnOnce(&mut Recorder<'_>) -> Result<()>,
    ) -> Result<Arc<Completion>> {
        let place = self.in_flight.enter(PATIENCE).ok_or_else(|| Error::DeviceLost {
            reason: format!("none of {IN_FLIGHT} submissions ended within {} s", PATIENCE.as_secs()),
            help: "close the device and open it again",
        })?;
        autoreleasepool(|_| {
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            // Retains whatever is encoded, pipelines included, until the work is done.
            let commands = self.raw.commandBuffer().ok_or_else(|| Error::Driver {
                call: "commandBuffer",
                code: "the queue gives no command buffer".into(),
            })?;
            let mut recorder = Recorder::new(&commands, &self.fence, &self.pipelines);
            record(&mut recorder)?;
            drop(recorder); // Ends the last encoder.
            let completion = self.listen(&commands, is_timed);
            place.keep();
            commands.commit();
            Ok(completion)
        })
    }

    /// Has `commands` tell how it ended.
    fn listen(&self, commands: &RawCommandBuffer, is_timed: bool) -> Arc<Completion> {
        let completion = Arc::new(Completion::default());
        let (told, in_flight, arena) = (completion.clone(), self.in_flight.clone(), self.arena.clone());
        let handler = RcBlock::new(move |commands: NonNull<RawCommandBuffer>| {
            // SAFETY: Metal calls the handler with the command buffer that it was added to, which lives through
            // the call.
            let commands = unsafe { commands.as_ref() };
            told.finish(autoreleasepool(|_| outcome(commands, is_timed, &arena)));
            in_flight.leave();
        });
        // SAFETY: the block is valid, and Metal copies it. It runs once, on a thread of Metal's: all that it
        // captured is `Send + Sync`, and it does not unwind.
        unsafe { commands.addCompletedHandler(RcBlock::as_ptr(&handler)) };
        completion
    }
}

/// How a command buffer ended.
fn outcome(commands: &RawCommandBuffer, is_timed: bool, arena: &Arena) -> Outcome {
    if commands.status() != MTLCommandBufferStatus::Error {
        let time = is_timed.then(|| device_time(commands.GPUStartTime(), commands.GPUEndTime())).flatten();
        return Outcome { result: Ok(()), device_time: time };
    }
    let report = match commands.error() {
        Some(error) => Report {
            domain: error.domain().to_string(),
            code: error.code(),
            text: error.localizedDescription().to_string(),
        },
        None => Report { domain: String::new(), code: 0, text: "the work failed without a reason".into() },
    };
    Outcome { result: Err(fault::of_work(report, arena.memory_use())), device_time: None }
}
