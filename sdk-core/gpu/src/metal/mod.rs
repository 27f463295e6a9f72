//! Apple's Metal, through objc2-metal: every iPhone and iPad since iOS 14, every Mac since macOS 11.
//!
//! The files are Vulkan's, name by name. What Metal does by itself is missing here: there are no descriptors to
//! reuse, a completion handler stands for fences and timelines, and the system keeps the pipeline cache
//! ([`pipeline`] says why we keep none beside it).
//!
//! Devices, queues, fences, functions and pipeline states may be used from any thread, which objc2-metal states by
//! `Send + Sync` on their protocols. Command buffers and encoders may not: they are made, filled and committed
//! inside one call and never stored. Buffers are in between, see [`memory::MetalMemory`].
//!
//! Whatever may leave temporaries behind runs in an autorelease pool of its own: callers are Rust threads, which
//! have none.
//!
//! Metal's validation cannot be switched on from inside a process. Start it with `MTL_DEBUG_LAYER=1` (and
//! `MTL_SHADER_VALIDATION=1` for kernels); a mistake then ends the process with a message, which fails any test.
//!
//! What it does not do: textures, several queues, peer memory between devices, Metal 4's command model.

#[cfg(target_vendor = "apple")]
mod budget;
#[cfg(target_vendor = "apple")]
mod command;
mod completion;
#[cfg(target_vendor = "apple")]
mod context;
mod copy;
mod describe;
#[cfg(target_vendor = "apple")]
mod device;
mod fault;
mod in_flight;
#[cfg(target_vendor = "apple")]
mod instance;
#[cfg(target_vendor = "apple")]
mod memory;
#[cfg(target_vendor = "apple")]
mod pipeline;
#[cfg(target_vendor = "apple")]
mod queue;
#[cfg(target_vendor = "apple")]
mod staging;

#[cfg(target_vendor = "apple")]
pub(crate) use device::open_device;
#[cfg(target_vendor = "apple")]
pub(crate) use instance::open_instance;
