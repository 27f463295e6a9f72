//! Recording: one command buffer, in it as few encoders as the kinds of commands allow.
//!
//! Dispatches of one encoder run concurrently; a memory barrier stands exactly where one was asked for. Between
//! encoders the queue's fence keeps the order, whether it was asked for or not.

use std::ptr::NonNull;

use objc2::{rc::Retained, runtime::ProtocolObject};
use objc2_metal::{
    MTLBarrierScope, MTLBlitCommandEncoder, MTLCommandBuffer, MTLCommandEncoder, MTLComputeCommandEncoder,
    MTLDispatchType, MTLFence, MTLSize,
};

use super::{
    copy::{self, COPY_BYTES, Way},
    in_flight::Place,
    memory::RawBuffer,
    pipeline::{Pipeline, Pipelines},
};
use crate::{Error, Result};

/// A command buffer as Metal has it.
pub(super) type RawCommands = ProtocolObject<dyn MTLCommandBuffer>;

type ComputeEncoder = Retained<ProtocolObject<dyn MTLComputeCommandEncoder>>;
type BlitEncoder = Retained<ProtocolObject<dyn MTLBlitCommandEncoder>>;

/// A command buffer that is being recorded, by the thread that made it.
pub(super) struct Commands<'a> {
    raw: Retained<RawCommands>,
    fence: &'a ProtocolObject<dyn MTLFence>,
    /// For copies that no blit can do.
    pipelines: &'a Pipelines,
    open: Open,
    /// Whether the next command must see what came before.
    is_behind_barrier: bool,
    place: Option<Place>,
}

/// The encoder that is open: a command buffer has one at a time.
enum Open {
    None,
    Compute(ComputeEncoder),
    Blit(BlitEncoder),
}

/// A buffer from an offset on.
pub(super) type Argument<'a> = (&'a RawBuffer, u64);

impl<'a> Commands<'a> {
    pub(super) fn new(
        raw: Retained<RawCommands>,
        fence: &'a ProtocolObject<dyn MTLFence>,
        pipelines: &'a Pipelines,
        place: Place,
    ) -> Self {
        Self { raw, fence, pipelines, open: Open::None, is_behind_barrier: false, place: Some(place) }
    }

    /// What follows sees the writes of what came before, and does not overtake its reads.
    pub(super) fn barrier(&mut self) {
        self.is_behind_barrier = true;
    }

    /// Runs a kernel. Binding `i` is argument `i`; the parameters come after the last (the build script says so).
    pub(super) fn dispatch(
        &mut self,
        pipeline: &Pipeline,
        arguments: &[Argument<'_>],
        params: &[u32],
        workgroups: [u32; 3],
    ) -> Result<()> {
        if arguments.len() != pipeline.bindings {
            return Err(Error::Driver {
                call: "dispatch",
                code: format!("{} arguments do not fit a kernel of {}", arguments.len(), pipeline.bindings),
            });
        }
        let encoder = self.compute()?;
        encoder.setComputePipelineState(&pipeline.raw);
        for (index, &(buffer, offset)) in arguments.iter().enumerate() {
            // SAFETY: the offset lies inside the buffer and is aligned for the kernel's type, and the index is below
            // the device's limit: lowering sees to it, and `copy` for its own. The command buffer retains the
            // buffer, and the front lets nobody else touch its contents until the work is done.
            unsafe { encoder.setBuffer_offset_atIndex(Some(buffer), offset as usize, index) };
        }
        if !params.is_empty() {
            let bytes = NonNull::from(params).cast();
            // SAFETY: `bytes` points at all of `params`, which Metal copies before the call returns; the index is
            // the one after the last binding.
            unsafe { encoder.setBytes_length_atIndex(bytes, size_of_val(params), arguments.len()) };
        }
        encoder.dispatchThreadgroups_threadsPerThreadgroup(size(workgroups), size(pipeline.workgroup));
        Ok(())
    }

    /// Copies bytes between buffers.
    pub(super) fn copy(&mut self, from: Argument<'_>, to: Argument<'_>, bytes: u64) -> Result<()> {
        match copy::way(from.1, to.1, bytes) {
            Way::Blit => {
                let encoder = self.blit()?;
                // SAFETY: both ranges lie inside their buffers and do not overlap: promised by the front, or by the
                // staging ring for its own. The command buffer retains the buffers. `way` has seen to Metal's rule
                // of fours.
                unsafe {
                    encoder.copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size(
                        from.0,
                        from.1 as usize,
                        to.0,
                        to.1 as usize,
                        bytes as usize,
                    );
                }
            }
            Way::Kernel => {
                let pipeline = self.pipelines.get(&COPY_BYTES)?;
                for piece in copy::pieces(bytes) {
                    let arguments = [from, to].map(|(buffer, offset)| (buffer, offset + piece.start));
                    self.dispatch(&pipeline, &arguments, &[piece.bytes], [piece.workgroups, 1, 1])?;
                }
            }
        }
        Ok(())
    }

    /// Ends the recording, and hands over what was recorded with its place among the work under way.
    pub(super) fn end(mut self) -> (Retained<RawCommands>, Option<Place>) {
        self.end_encoder();
        (self.raw.clone(), self.place.take())
    }

    /// The compute encoder, with a barrier against what it already holds where one was asked for.
    fn compute(&mut self) -> Result<ComputeEncoder> {
        let barrier = std::mem::take(&mut self.is_behind_barrier);
        if let Open::Compute(encoder) = &self.open {
            if barrier {
                encoder.memoryBarrierWithScope(MTLBarrierScope::Buffers);
            }
            return Ok(encoder.clone());
        }
        self.end_encoder();
        let encoder = self
            .raw
            .computeCommandEncoderWithDispatchType(MTLDispatchType::Concurrent)
            .ok_or_else(|| no_encoder("computeCommandEncoder"))?;
        encoder.waitForFence(self.fence);
        self.open = Open::Compute(encoder.clone());
        Ok(encoder)
    }

    /// The blit encoder. It knows no barriers: where one was asked for, a new encoder waits for the old one's fence.
    fn blit(&mut self) -> Result<BlitEncoder> {
        let barrier = std::mem::take(&mut self.is_behind_barrier);
        match &self.open {
            Open::Blit(encoder) if !barrier => return Ok(encoder.clone()),
            _ => self.end_encoder(),
        }
        let encoder = self.raw.blitCommandEncoder().ok_or_else(|| no_encoder("blitCommandEncoder"))?;
        encoder.waitForFence(self.fence);
        self.open = Open::Blit(encoder.clone());
        Ok(encoder)
    }

    fn end_encoder(&mut self) {
        match std::mem::replace(&mut self.open, Open::None) {
            Open::None => {}
            Open::Compute(encoder) => {
                encoder.updateFence(self.fence);
                encoder.endEncoding();
            }
            Open::Blit(encoder) => {
                encoder.updateFence(self.fence);
                encoder.endEncoding();
            }
        }
    }
}

impl Drop for Commands<'_> {
    /// Metal aborts the process over an encoder that was never ended, even when nothing is committed.
    fn drop(&mut self) {
        self.end_encoder();
    }
}

fn no_encoder(call: &'static str) -> Error {
    Error::Driver { call, code: "the command buffer gives none".into() }
}

fn size([width, height, depth]: [u32; 3]) -> MTLSize {
    MTLSize { width: width as usize, height: height as usize, depth: depth as usize }
}
