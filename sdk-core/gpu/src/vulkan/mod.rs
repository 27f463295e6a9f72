//! Vulkan 1.1 and up, through ash, loaded when a device is opened.
//!
//! One path serves every vendor. The floor is core 1.1; whatever is newer is used as an extension where the
//! driver lists it, and never assumed. Arguments were checked by the front ([`crate::backend`]); what is checked
//! here is only what a driver may answer.
//!
//! Every handle is owned by one struct that destroys it. Ownership runs in one direction:
//!
//! ```text
//! Memory, Flight ─▶ Arena, Queue ─▶ Context (VkDevice) ─▶ InstanceHandle (VkInstance) ─▶ the loader's library
//! ```
//!
//! What it does not do: images, several queues, peer memory between devices.

mod command;
mod completion;
mod context;
mod describe;
mod device;
mod extensions;
mod fence;
mod instance;
mod legible;
mod memory;
mod pipeline;
mod pipeline_cache;
mod queue;
mod staging;
#[cfg(test)]
mod tests;
mod timeline;
mod validation;

pub(crate) use device::open_device;
pub(crate) use instance::open_instance;

use crate::rank::{BINDINGS, PARAMS_BYTES};
