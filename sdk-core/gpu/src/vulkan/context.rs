//! The owner of the `VkDevice`, and what a driver's answers mean.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use ash::{khr, vk};

use super::instance::InstanceHandle;
use crate::{Error, Result, faults::Injector};

/// An opened `VkDevice`. Whatever was created from it holds it by `Arc`.
pub(super) struct Context {
    pub(super) raw: ash::Device,
    pub(super) instance: Arc<InstanceHandle>,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) queue_family: u32,
    /// The functions of timeline semaphores, where they are enabled.
    pub(super) timeline: Option<khr::timeline_semaphore::Device>,
    /// The device's clock, where its queue has one.
    pub(super) timestamps: Option<Clock>,
    pub(super) injector: Injector,
    /// Why the device was lost, once it is.
    pub(super) lost: OnceLock<String>,
}

/// How to read timestamps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    tick_ns: f32,
    /// Timestamps count modulo this many bits.
    bits: u32,
}

impl Clock {
    pub(super) fn new(tick_ns: Option<f32>, bits: u32) -> Option<Self> {
        tick_ns.filter(|_| bits > 0).map(|tick_ns| Self { tick_ns, bits })
    }

    /// The time from one timestamp to a later one.
    pub(super) fn between(self, [from, to]: [u64; 2]) -> Duration {
        let ticks = to.wrapping_sub(from) & (u64::MAX >> (64 - self.bits.clamp(1, 64)));
        Duration::from_nanos((ticks as f64 * f64::from(self.tick_ns)) as u64)
    }
}

impl Context {
    /// Refuses to go on with a device that was lost.
    pub(super) fn check_alive(&self) -> Result<()> {
        match self.lost.get() {
            Some(reason) => Err(device_lost(reason.clone())),
            None => Ok(()),
        }
    }

    /// Notes that the device is lost; the first reason stays.
    pub(super) fn lose(&self, reason: String) -> Error {
        device_lost(self.lost.get_or_init(|| reason).clone())
    }

    /// The error behind a driver's answer.
    pub(super) fn error(&self, call: &'static str, code: vk::Result) -> Error {
        match code {
            vk::Result::ERROR_DEVICE_LOST => self.lose(format!("{call} said VK_ERROR_DEVICE_LOST")),
            vk::Result::ERROR_OUT_OF_HOST_MEMORY => Error::OutOfMemory {
                asked: 0,
                available: 0,
                limit: 0,
                pool: "host",
                help: "the driver could not say how much is left; free memory and try again",
            },
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => Error::OutOfMemory {
                asked: 0,
                available: 0,
                limit: 0,
                pool: "device",
                help: "the driver could not say how much is left; free buffers and try again",
            },
            code => Error::Driver { call, code: format!("{code:?} ({code})") },
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: everything that was created from the device holds this context and is gone, and so is all work:
        // `VulkanDevice` waits for it before it lets go.
        unsafe { self.raw.destroy_device(None) }
    }
}

fn device_lost(reason: String) -> Error {
    Error::DeviceLost { reason, help: "open the device again; what its buffers held has to be written anew" }
}
