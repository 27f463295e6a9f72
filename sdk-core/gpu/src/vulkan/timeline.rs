//! One timeline semaphore tells the end of every submission.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use ash::{khr, vk};

use super::{completion::nanoseconds, context::Context};
use crate::Result;

/// A semaphore that counts finished submissions.
pub(super) struct Timeline {
    context: Arc<Context>,
    functions: khr::timeline_semaphore::Device,
    semaphore: vk::Semaphore,
    /// The last value that was handed to the queue. Changed under the queue's lock only.
    submitted: AtomicU64,
    /// The last value that the device was seen to have reached.
    reached: AtomicU64,
}

impl Timeline {
    pub(super) fn new(context: &Arc<Context>, functions: khr::timeline_semaphore::Device) -> Result<Self> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(0);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device is alive and has timeline semaphores enabled, or there would be no `functions`.
        let semaphore = unsafe { context.raw.create_semaphore(&info, None) }
            .map_err(|e| context.error("vkCreateSemaphore", e))?;
        Ok(Self {
            context: Arc::clone(context),
            functions,
            semaphore,
            submitted: AtomicU64::new(0),
            reached: AtomicU64::new(0),
        })
    }

    /// Submits and returns the value that will mark its end. The caller holds the queue.
    pub(super) fn submit(&self, queue: vk::Queue, commands: vk::CommandBuffer) -> Result<u64> {
        let value = self.submitted.load(Ordering::Relaxed) + 1;
        let (values, semaphores, commands) = ([value], [self.semaphore], [commands]);
        let mut signal = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let submit = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .signal_semaphores(&semaphores)
            .push_next(&mut signal);
        // SAFETY: the caller holds the queue's lock and hands over a recorded command buffer that it keeps until
        // the value is reached; `value` is above every earlier one, since it only grows under that lock.
        unsafe { self.context.raw.queue_submit(queue, &[submit], vk::Fence::null()) }
            .map_err(|e| self.context.error("vkQueueSubmit", e))?;
        self.submitted.store(value, Ordering::Relaxed);
        Ok(value)
    }

    /// Blocks in the driver until `value` is reached. `false` when the time is over before.
    pub(super) fn wait(&self, value: u64, timeout: Option<Duration>) -> Result<bool> {
        if self.reached.load(Ordering::Acquire) >= value {
            return Ok(true);
        }
        let (semaphores, values) = ([self.semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore is alive; `info` lives through the call.
        match unsafe { self.functions.wait_semaphores(&info, nanoseconds(timeout)) } {
            Ok(()) => {
                self.reached.fetch_max(value, Ordering::Release);
                Ok(true)
            }
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(e) => Err(self.context.error("vkWaitSemaphores", e)),
        }
    }

    /// Whether `value` is reached, without waiting.
    pub(super) fn is_reached(&self, value: u64) -> bool {
        if self.reached.load(Ordering::Acquire) >= value {
            return true;
        }
        // SAFETY: the semaphore is alive; a query. A driver that cannot answer is asked again later.
        let reached = unsafe { self.functions.get_semaphore_counter_value(self.semaphore) }.unwrap_or(0);
        self.reached.fetch_max(reached, Ordering::Release);
        reached >= value
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        // SAFETY: the owner waited for all work before it dropped this, and nobody can wait without a reference.
        unsafe { self.context.raw.destroy_semaphore(self.semaphore, None) }
    }
}
