//! The queue: command buffers in, completions out, in order.
//!
//! Our buffers are untracked, so Metal keeps no order between encoders, nor between command buffers, unless it is
//! told to. One fence does it: each encoder waits for it first and updates it last ("reuse a fence by waiting first
//! and updating second", Apple's documentation of `MTLFence`). Fences take effect in the order of commits, so many
//! threads may record at once.

use std::{ptr::NonNull, sync::Arc, time::Duration};

use block2::RcBlock;
use objc2::{rc::Retained, rc::autoreleasepool, runtime::ProtocolObject};
use objc2_metal::{
    MTLBlitCommandEncoder, MTLCommandBuffer, MTLCommandBufferStatus, MTLCommandEncoder, MTLCommandQueue,
    MTLDevice, MTLFence,
};

use super::{
    command::{Commands, RawCommands},
    completion::{Completion, Outcome, device_time},
    context::Context,
    fault::Report,
    in_flight::{InFlight, Place},
    memory::Arena,
    pipeline::Pipelines,
};
use crate::{Error, Result, backend::Pending};

/// Command buffers that a queue hands out at once; Metal's own default.
const IN_FLIGHT: usize = 64;

/// How long a submission waits for one of them. Metal itself ends work that hangs, long before.
const PATIENCE: Duration = Duration::from_secs(30);

/// The device's one queue.
pub(super) struct Queue {
    raw: Retained<ProtocolObject<dyn MTLCommandQueue>>,
    fence: Retained<ProtocolObject<dyn MTLFence>>,
    in_flight: Arc<InFlight>,
    arena: Arc<Arena>,
    context: Arc<Context>,
}

/// One submission under way, or done.
pub(super) struct Flight {
    completion: Arc<Completion>,
    context: Arc<Context>,
}

impl Queue {
    pub(super) fn new(context: &Arc<Context>, arena: &Arc<Arena>) -> Result<Self> {
        let refused = |call| Error::Driver { call, code: "the device gives none".into() };
        let raw = context
            .raw
            .newCommandQueueWithMaxCommandBufferCount(IN_FLIGHT)
            .ok_or_else(|| refused("newCommandQueue"))?;
        let fence = context.raw.newFence().ok_or_else(|| refused("newFence"))?;
        // Apple wants a fence to be updated before anyone waits for it: an empty pass does it, once.
        let first = raw.commandBuffer().ok_or_else(|| refused("commandBuffer"))?;
        let pass = first.blitCommandEncoder().ok_or_else(|| refused("blitCommandEncoder"))?;
        pass.updateFence(&fence);
        pass.endEncoding();
        first.commit();
        Ok(Self {
            raw,
            fence,
            in_flight: Arc::new(InFlight::new(IN_FLIGHT)),
            arena: Arc::clone(arena),
            context: Arc::clone(context),
        })
    }

    /// Commands to record into, on this thread.
    pub(super) fn commands<'a>(&'a self, pipelines: &'a Pipelines) -> Result<Commands<'a>> {
        self.context.check_alive()?;
        let place = self.in_flight.enter(PATIENCE).ok_or_else(|| Error::DeviceLost {
            reason: format!("none of {IN_FLIGHT} submissions ended within {} s", PATIENCE.as_secs()),
            help: "close the device and open it again",
        })?;
        // Retains whatever is recorded, pipelines included, until the work is done.
        let raw = self
            .raw
            .commandBuffer()
            .ok_or_else(|| Error::Driver { call: "commandBuffer", code: "the queue gives none".into() })?;
        Ok(Commands::new(raw, &self.fence, pipelines, place))
    }

    /// Hands recorded commands to the device.
    pub(super) fn submit(&self, commands: Commands<'_>, is_timed: bool) -> Result<Arc<Flight>> {
        if self.context.injector.loses_submission() {
            return Err(self.context.lose("a fault was injected at a submission".into()));
        }
        let (raw, place) = commands.end();
        let completion = self.listen(&raw, is_timed);
        // From here on it is the completion handler that frees the place.
        place.into_iter().for_each(Place::keep);
        raw.commit();
        Ok(Arc::new(Flight { completion, context: Arc::clone(&self.context) }))
    }

    /// Has `commands` tell how it ended.
    fn listen(&self, commands: &RawCommands, is_timed: bool) -> Arc<Completion> {
        let completion = Arc::new(Completion::default());
        let told = Arc::clone(&completion);
        let (in_flight, arena, context) = (self.in_flight.clone(), self.arena.clone(), self.context.clone());
        let handler = RcBlock::new(move |commands: NonNull<RawCommands>| {
            // SAFETY: Metal calls the handler with the command buffer that it was added to, which lives through
            // the call.
            let commands = unsafe { commands.as_ref() };
            told.finish(autoreleasepool(|_| outcome(commands, is_timed, &arena, &context)));
            in_flight.leave();
        });
        // SAFETY: the block is valid, and Metal keeps a copy. It runs once, on a thread of Metal's: all that it
        // captured is `Send + Sync`, and it does not unwind.
        unsafe { commands.addCompletedHandler(RcBlock::as_ptr(&handler)) };
        completion
    }
}

impl Pending for Flight {
    fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        if !self.completion.wait(timeout)? {
            return Ok(false);
        }
        if self.context.injector.loses_wait() {
            return Err(self.context.lose("a fault was injected at a wait".into()));
        }
        // Someone else may have noticed the loss first; what this work left behind is not to be trusted then.
        self.context.check_alive()?;
        Ok(true)
    }

    fn device_time(&self) -> Option<Duration> {
        self.completion.device_time()
    }
}

/// How a command buffer ended.
fn outcome(commands: &RawCommands, is_timed: bool, arena: &Arena, context: &Context) -> Outcome {
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
    let error =
        if report.is_final() { context.lose(report.text) } else { report.into_error(arena.memory_use()) };
    Outcome { result: Err(error), device_time: None }
}
