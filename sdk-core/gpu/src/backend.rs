//! What a backend must do: the seam between the safe front and the three implementations.
//!
//! The front checks every argument before it comes here, once for all backends, and keeps these promises:
//! * buffers given to a device are its own, open, and stay alive until the work that uses them is done;
//! * ranges lie inside their buffers;
//! * `write`, `read`, `offload` and host pointers are used only while no submitted work touches the same buffer;
//! * no operation's operands overlap, except for an output that *is* an input where the operation allows it.
//!
//! In return a backend never panics, never blocks without a bound in `submit`, and reports loss of the device
//! as [`Error::DeviceLost`](crate::Error::DeviceLost) from whichever call noticed it.

use std::{any::Any, ptr::NonNull, sync::Arc, time::Duration};

use crate::{
    Buffer, DeviceDescription, Error, Result, Tensor,
    op::{Access, Op},
};

/// An opened device.
pub(crate) trait BackendDevice: Send + Sync {
    /// What the device is, with the budgets as they were at open.
    fn description(&self) -> &DeviceDescription;

    /// Allocates at least `bytes` (1 or more). The contents are unspecified.
    ///
    /// The allocation is padded to a multiple of 16 bytes, so that kernels may read whole words.
    fn allocate(&self, bytes: u64) -> Result<Arc<dyn Memory>>;

    /// Whether buffers live in memory of the device's own, and work could use the host's as well.
    fn has_own_memory(&self) -> bool {
        false
    }

    /// The first `bytes` of `memory`, copied to memory of the host that work can use in its place, and that the host sees.
    /// Only asked of a device that [has its own](Self::has_own_memory), and not of memory that came from here.
    fn offload(&self, _memory: &dyn Memory, _bytes: u64) -> Result<Arc<dyn Memory>> {
        Err(Error::Unsupported {
            what: "moving a buffer to the host's memory".into(),
            why: format!("{} shares it with the host", self.description().name),
        })
    }

    /// What the allocator holds and what the system allows now.
    fn memory_use(&self) -> MemoryUse;

    /// Copies `bytes` to `memory` at `offset`; the next submission sees them.
    fn write(&self, memory: &dyn Memory, offset: u64, bytes: &[u8]) -> Result<()>;

    /// Copies from `memory` at `offset`; sees all work that was waited for.
    fn read(&self, memory: &dyn Memory, offset: u64, bytes: &mut [u8]) -> Result<()>;

    /// Hands work to the device. Returns without waiting for it.
    fn submit(&self, work: &Work) -> Result<Arc<dyn Pending>>;

    /// The kernels that `op` would run here, by name; empty on the CPU. Verdicts are kept by these names.
    fn kernels_of(&self, op: &Op<Tensor>) -> Result<Vec<&'static str>>;

    /// Gives unused memory back and writes the pipeline cache, if anything changed.
    fn trim(&self);

    /// What the validation layer said so far; empty when it is off.
    fn validation_messages(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An allocation. Dropping it frees it; the front drops it only when no work uses it.
pub(crate) trait Memory: Any + Send + Sync {
    /// The host address of its first byte, for as long as it lives, where the host can see it coherently.
    fn host(&self) -> Option<NonNull<u8>>;
}

/// Work that was handed to a device.
pub(crate) trait Pending: Send + Sync {
    /// Waits until the work is done, at most `timeout`. `false` means that it is not done yet.
    fn wait(&self, timeout: Option<Duration>) -> Result<bool>;

    /// Time that the device spent on it: known only after it is done, and only where it was asked for.
    fn device_time(&self) -> Option<Duration>;
}

/// Steps in order, submitted as one.
pub(crate) struct Work {
    pub(crate) steps: Vec<Step>,
    /// Whether to measure the device's time.
    pub(crate) timed: bool,
}

impl Work {
    /// Every buffer that the work touches, some more than once.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.touched(|_| true)
    }

    /// The buffers that the work writes.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Buffer> {
        self.touched(Access::writes)
    }

    fn touched(&self, wanted: impl Fn(Access) -> bool) -> impl Iterator<Item = &Buffer> {
        let mut found = Vec::with_capacity(self.steps.len() * 4);
        for step in &self.steps {
            match &step.action {
                Action::Op(op) => op.visit(&mut |t, access| {
                    if wanted(access) {
                        found.push(t.buffer());
                    }
                }),
                Action::CopyBytes { from, to, .. } => {
                    found.extend(wanted(Access::Read).then_some(from));
                    found.extend(wanted(Access::Write).then_some(to));
                }
            }
        }
        found.into_iter()
    }
}

/// One step of a work.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) action: Action,
    /// Whether it must see the writes of earlier steps or must not overtake their reads.
    pub(crate) barrier: bool,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Computes.
    Op(Op<Tensor>),
    /// Copies bytes between (or within) buffers of the device; the ranges have one length and do not overlap.
    CopyBytes { from: Buffer, from_offset: u64, to: Buffer, to_offset: u64, bytes: u64 },
}

/// What an allocator holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemoryUse {
    /// Bytes taken from the system, used or not.
    pub(crate) reserved: u64,
    /// Bytes that the system lets this process use in all, where it says so.
    pub(crate) budget: Option<u64>,
}
