//! The device: memory, queue and description behind the trait that all backends share.

use std::{
    ptr::{self, NonNull},
    sync::Arc,
};

use super::{command::Queue, host, memory::Pool, pipeline};
use crate::{
    DeviceDescription, Error, Result, Tensor,
    backend::{Action, BackendDevice, Memory, MemoryUse, Pending, Work},
    op::{HostTensor, Op},
};

pub(super) struct CpuDevice {
    description: DeviceDescription,
    pool: Arc<Pool>,
    queue: Queue,
}

impl CpuDevice {
    pub(super) fn new(description: DeviceDescription) -> Self {
        Self { description, pool: Pool::new(host::total_memory()), queue: Queue::new() }
    }
}

impl BackendDevice for CpuDevice {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn allocate(&self, bytes: u64) -> Result<Arc<dyn Memory>> {
        Ok(self.pool.allocate(bytes)?)
    }

    fn memory_use(&self) -> MemoryUse {
        self.pool.memory_use()
    }

    fn write(&self, memory: &dyn Memory, offset: u64, bytes: &[u8]) -> Result<()> {
        let to = address(memory, offset)?;
        // SAFETY: the front checked that the range lies inside the allocation, and no work touches it now.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        Ok(())
    }

    fn read(&self, memory: &dyn Memory, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let from = address(memory, offset)?;
        // SAFETY: as in `write`.
        unsafe { ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn submit(&self, work: &Work) -> Result<Arc<dyn Pending>> {
        let steps = Steps(work.steps.iter().map(|step| bind(&step.action)).collect::<Result<_>>()?);
        // SAFETY: the front keeps the buffers alive and lets nobody else touch them until the work is done, and
        // has checked ranges and overlaps (see `backend`).
        Ok(self.queue.submit(Box::new(move || unsafe { steps.run() }), work.timed))
    }

    fn kernels_of(&self, _op: &Op<Tensor>) -> Result<Vec<&'static str>> {
        Ok(Vec::new())
    }

    /// Nothing is kept: what is freed goes back at once.
    fn trim(&self) {}
}

/// The steps of one submission, on host addresses.
struct Steps(Vec<Bound>);

enum Bound {
    Op(Op<HostTensor>),
    CopyBytes { from: *const u8, to: *mut u8, bytes: usize },
}

// SAFETY: addresses of memory that is not bound to a thread; `Steps::run` says what must hold of it.
unsafe impl Send for Steps {}

impl Steps {
    /// # Safety
    /// All memory is alive, of the promised types and sizes, and used by nobody else until this returns.
    unsafe fn run(self) -> Result<()> {
        for step in &self.0 {
            match *step {
                // SAFETY: the caller's promise.
                Bound::Op(ref op) => unsafe { pipeline::run(op)? },
                // SAFETY: the caller's promise; the front checked that the ranges do not overlap.
                Bound::CopyBytes { from, to, bytes } => unsafe { ptr::copy_nonoverlapping(from, to, bytes) },
            }
        }
        Ok(())
    }
}

fn bind(action: &Action) -> Result<Bound> {
    Ok(match action {
        Action::Op(op) => Bound::Op(op.try_map(&mut |tensor, _| {
            let data = address(&*tensor.buffer().memory()?, tensor.offset())?;
            Ok::<_, Error>(HostTensor { data, dtype: tensor.dtype(), shape: tensor.shape() })
        })?),
        Action::CopyBytes { from, from_offset, to, to_offset, bytes } => Bound::CopyBytes {
            from: address(&*from.memory()?, *from_offset)?,
            to: address(&*to.memory()?, *to_offset)?,
            bytes: *bytes as usize,
        },
    })
}

/// The host address of a byte that the front knows to lie inside `memory`.
fn address(memory: &dyn Memory, offset: u64) -> Result<*mut u8> {
    let start = memory.host().map(NonNull::as_ptr).ok_or_else(|| Error::Unsupported {
        what: "memory of another device on the CPU".into(),
        why: "the host cannot see it".into(),
    })?;
    // SAFETY: the front checked the offset against the buffer's size.
    Ok(unsafe { start.add(offset as usize) })
}
