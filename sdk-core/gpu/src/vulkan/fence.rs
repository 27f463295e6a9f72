//! Fences, one for each submission, for drivers without timeline semaphores.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ash::vk;

use super::{completion::nanoseconds, context::Context};
use crate::Result;

/// Fences that are used again and again.
pub(super) struct Fences {
    context: Arc<Context>,
    /// Unsignalled, and known to nobody else.
    idle: Mutex<Vec<vk::Fence>>,
}

impl Fences {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), idle: Mutex::default() }
    }

    /// Submits and returns the fence that will mark its end. The caller holds the queue.
    pub(super) fn submit(&self, queue: vk::Queue, commands: vk::CommandBuffer) -> Result<vk::Fence> {
        let fence = self.take()?;
        let commands = [commands];
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        // SAFETY: the caller holds the queue's lock and hands over a recorded command buffer that it keeps until
        // the fence is signalled; the fence is unsignalled and nobody else's.
        match unsafe { self.context.raw.queue_submit(queue, &[submit], fence) } {
            Ok(()) => Ok(fence),
            Err(e) => {
                self.keep(fence);
                Err(self.context.error("vkQueueSubmit", e))
            }
        }
    }

    /// Blocks in the driver until `fence` is signalled. `false` when the time is over before.
    pub(super) fn wait(&self, fence: vk::Fence, timeout: Option<Duration>) -> Result<bool> {
        // SAFETY: the caller holds the fence of its own submission, which is given back only after the last wait.
        match unsafe { self.context.raw.wait_for_fences(&[fence], true, nanoseconds(timeout)) } {
            Ok(()) => Ok(true),
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(e) => Err(self.context.error("vkWaitForFences", e)),
        }
    }

    /// Whether `fence` is signalled, without waiting.
    pub(super) fn is_signalled(&self, fence: vk::Fence) -> bool {
        // SAFETY: as in `wait`. A driver that cannot answer is asked again later.
        unsafe { self.context.raw.get_fence_status(fence) }.unwrap_or(false)
    }

    /// Takes back the fence of a submission that is done and that nobody waits for any more.
    pub(super) fn recycle(&self, fence: vk::Fence) {
        // SAFETY: the submission is done and its owner is being dropped: no one else knows the fence.
        if unsafe { self.context.raw.reset_fences(&[fence]) }.is_ok() {
            self.keep(fence);
        } else {
            // SAFETY: as above.
            unsafe { self.context.raw.destroy_fence(fence, None) }
        }
    }

    fn take(&self) -> Result<vk::Fence> {
        if let Some(fence) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(fence);
        }
        // SAFETY: the device is alive.
        unsafe { self.context.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|e| self.context.error("vkCreateFence", e))
    }

    fn keep(&self, fence: vk::Fence) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(fence);
    }
}

impl Drop for Fences {
    fn drop(&mut self) {
        for fence in self.idle.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: idle fences are in no queue and known to nobody else.
            unsafe { self.context.raw.destroy_fence(fence, None) }
        }
    }
}
