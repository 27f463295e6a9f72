//! Recording: one command buffer, in it as few encoders as the kinds of commands allow.
//!
//! Dispatches of one encoder run concurrently; a memory barrier stands exactly where a step asks for one. Between
//! encoders the queue's fence keeps the order, whether a step asked or not.

use std::ptr::NonNull;

use objc2::{rc::Retained, runtime::ProtocolObject};
use objc2_metal::{
    MTLBarrierScope, MTLBlitCommandEncoder, MTLCommandBuffer, MTLCommandEncoder, MTLComputeCommandEncoder,
    MTLDispatchType, MTLFence, MTLSize,
};

use super::{
    copy::{self, COPY_BYTES, Way},
    memory::{MetalMemory, RawBuffer},
    pipeline::Pipelines,
    queue::RawCommandBuffer,
};
use crate::{
    Error, Result,
    backend::{Action, Step},
    lowering::{Dispatch, Kernel, Profile, lower},
};

type ComputeEncoder = Retained<ProtocolObject<dyn MTLComputeCommandEncoder>>;
type BlitEncoder = Retained<ProtocolObject<dyn MTLBlitCommandEncoder>>;

/// Fills one command buffer. Dropping it ends the encoder that is open.
pub(super) struct Recorder<'a> {
    commands: &'a RawCommandBuffer,
    fence: &'a ProtocolObject<dyn MTLFence>,
    pipelines: &'a Pipelines,
    open: Encoder,
}

/// The encoder that is open: a command buffer has one at a time.
enum Encoder {
    None,
    Compute(ComputeEncoder),
    Blit(BlitEncoder),
}

/// A range of bytes on the device, by its beginning.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) buffer: &'a RawBuffer,
    pub(super) offset: u64,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        commands: &'a RawCommandBuffer,
        fence: &'a ProtocolObject<dyn MTLFence>,
        pipelines: &'a Pipelines,
    ) -> Self {
        Self { commands, fence, pipelines, open: Encoder::None }
    }

    /// Records one step of a work.
    pub(super) fn step(&mut self, step: &Step, profile: &Profile) -> Result<()> {
        match &step.action {
            Action::Op(op) => {
                for (index, dispatch) in lower(op, profile)?.iter().enumerate() {
                    self.dispatch(dispatch, dispatch.barrier || index == 0 && step.barrier)?;
                }
                Ok(())
            }
            Action::CopyBytes { from, from_offset, to, to_offset, bytes } => {
                let (from, to) = (from.memory()?, to.memory()?);
                let from = Place { buffer: MetalMemory::of(&*from)?.raw()?, offset: *from_offset };
                let to = Place { buffer: MetalMemory::of(&*to)?.raw()?, offset: *to_offset };
                self.copy(from, to, *bytes, step.barrier)
            }
        }
    }

    /// Copies bytes between ranges that do not overlap.
    pub(super) fn copy(&mut self, from: Place<'_>, to: Place<'_>, bytes: u64, barrier: bool) -> Result<()> {
        if copy::way(from.offset, to.offset, bytes) == Way::Blit {
            let encoder = self.blit(barrier)?;
            // SAFETY: the ranges lie in their buffers and do not overlap (the front and `staging` see to it); the
            // command buffer retains both; `way` has seen to Metal's rule of fours; nothing but this queue writes
            // the buffers until the work is done.
            unsafe {
                encoder.copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size(
                    from.buffer,
                    from.offset as usize,
                    to.buffer,
                    to.offset as usize,
                    bytes as usize,
                );
            }
            return Ok(());
        }
        for piece in copy::pieces(bytes) {
            let places = [from, to].map(|place| Place { offset: place.offset + piece.start, ..place });
            let workgroups = [piece.workgroups, 1, 1];
            self.run(&COPY_BYTES, &places, &[piece.bytes], workgroups, barrier && piece.start == 0)?;
        }
        Ok(())
    }

    fn dispatch(&mut self, dispatch: &Dispatch, barrier: bool) -> Result<()> {
        let memories = dispatch.bindings.iter().map(|b| b.buffer.memory()).collect::<Result<Vec<_>>>()?;
        let places = memories
            .iter()
            .zip(&dispatch.bindings)
            .map(|(memory, b)| Ok(Place { buffer: MetalMemory::of(&**memory)?.raw()?, offset: b.offset }))
            .collect::<Result<Vec<_>>>()?;
        self.run(dispatch.kernel, &places, &dispatch.params, dispatch.workgroups, barrier)
    }

    /// Runs a kernel. Binding `i` is argument `i`; the parameters come after the last (see the build script).
    fn run(
        &mut self,
        kernel: &'static Kernel,
        places: &[Place<'_>],
        params: &[u32],
        workgroups: [u32; 3],
        barrier: bool,
    ) -> Result<()> {
        let pipeline = self.pipelines.get(kernel)?;
        let encoder = self.compute(barrier)?;
        encoder.setComputePipelineState(&pipeline);
        for (index, place) in places.iter().enumerate() {
            // SAFETY: the offset lies in the buffer and is aligned for the kernel's type (lowering and `copy` see to
            // it); the index is below `Limits::max_bindings`; the command buffer retains the buffer; the front lets
            // nobody else touch it until the work is done.
            unsafe { encoder.setBuffer_offset_atIndex(Some(place.buffer), place.offset as usize, index) };
        }
        if !params.is_empty() {
            let bytes = NonNull::from(params).cast();
            // SAFETY: `bytes` points at all of `params`, which Metal copies before the call returns; the index is
            // the one after the last binding.
            unsafe { encoder.setBytes_length_atIndex(bytes, size_of_val(params), places.len()) };
        }
        encoder.dispatchThreadgroups_threadsPerThreadgroup(size(workgroups), size(kernel.workgroup));
        Ok(())
    }

    /// The compute encoder, with a barrier against what it holds already where one is needed.
    fn compute(&mut self, barrier: bool) -> Result<ComputeEncoder> {
        if let Encoder::Compute(encoder) = &self.open {
            if barrier {
                encoder.memoryBarrierWithScope(MTLBarrierScope::Buffers);
            }
            return Ok(encoder.clone());
        }
        self.end();
        let encoder = self
            .commands
            .computeCommandEncoderWithDispatchType(MTLDispatchType::Concurrent)
            .ok_or_else(|| no_encoder("computeCommandEncoder"))?;
        encoder.waitForFence(self.fence);
        self.open = Encoder::Compute(encoder.clone());
        Ok(encoder)
    }

    /// The blit encoder. It knows no barriers: where one is needed, a new encoder waits for the old one's fence.
    fn blit(&mut self, barrier: bool) -> Result<BlitEncoder> {
        match &self.open {
            Encoder::Blit(encoder) if !barrier => return Ok(encoder.clone()),
            _ => self.end(),
        }
        let encoder = self.commands.blitCommandEncoder().ok_or_else(|| no_encoder("blitCommandEncoder"))?;
        encoder.waitForFence(self.fence);
        self.open = Encoder::Blit(encoder.clone());
        Ok(encoder)
    }

    /// Ends the encoder that is open. Metal aborts the process over one that is not ended.
    fn end(&mut self) {
        match std::mem::replace(&mut self.open, Encoder::None) {
            Encoder::None => {}
            Encoder::Compute(encoder) => {
                encoder.updateFence(self.fence);
                encoder.endEncoding();
            }
            Encoder::Blit(encoder) => {
                encoder.updateFence(self.fence);
                encoder.endEncoding();
            }
        }
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

fn no_encoder(call: &'static str) -> Error {
    Error::Driver { call, code: "the command buffer gives no encoder".into() }
}

fn size([width, height, depth]: [u32; 3]) -> MTLSize {
    MTLSize { width: width as usize, height: height as usize, depth: depth as usize }
}
