//! How the end of a submission is told: a timeline semaphore where there is one, fences elsewhere.

use std::{sync::Arc, time::Duration};

use ash::vk;

use super::{context::Context, fence::Fences, timeline::Timeline};
use crate::Result;

/// One of the two ways, chosen at open.
pub(super) enum Completion {
    Timeline(Timeline),
    Fences(Fences),
}

/// What marks the end of one submission.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ticket {
    Value(u64),
    Fence(vk::Fence),
}

impl Completion {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(match &context.timeline {
            Some(functions) => Self::Timeline(Timeline::new(context, functions.clone())?),
            None => Self::Fences(Fences::new(context)),
        })
    }

    /// Hands recorded commands to the queue, whose lock the caller holds.
    pub(super) fn submit(&self, queue: vk::Queue, commands: vk::CommandBuffer) -> Result<Ticket> {
        match self {
            Self::Timeline(timeline) => timeline.submit(queue, commands).map(Ticket::Value),
            Self::Fences(fences) => fences.submit(queue, commands).map(Ticket::Fence),
        }
    }

    /// Blocks in the driver until the end, at most `timeout`. `false` means not yet.
    pub(super) fn wait(&self, ticket: Ticket, timeout: Option<Duration>) -> Result<bool> {
        match (self, ticket) {
            (Self::Timeline(timeline), Ticket::Value(value)) => timeline.wait(value, timeout),
            (Self::Fences(fences), Ticket::Fence(fence)) => fences.wait(fence, timeout),
            (_, ticket) => unreachable_ticket(ticket),
        }
    }

    /// Whether the end has come, without waiting.
    pub(super) fn is_done(&self, ticket: Ticket) -> bool {
        match (self, ticket) {
            (Self::Timeline(timeline), Ticket::Value(value)) => timeline.is_reached(value),
            (Self::Fences(fences), Ticket::Fence(fence)) => fences.is_signalled(fence),
            _ => false,
        }
    }

    /// Takes back the ticket of a submission that is done and that nobody waits for any more.
    pub(super) fn recycle(&self, ticket: Ticket) {
        if let (Self::Fences(fences), Ticket::Fence(fence)) = (self, ticket) {
            fences.recycle(fence);
        }
    }
}

fn unreachable_ticket(ticket: Ticket) -> Result<bool> {
    Err(crate::Error::Driver { call: "wait", code: format!("{ticket:?} is of another device") })
}

/// A timeout as Vulkan counts it; `None` is for ever.
pub(super) fn nanoseconds(timeout: Option<Duration>) -> u64 {
    timeout.map_or(u64::MAX, |timeout| u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX))
}
