//! Recording: one primary command buffer for each submission, used again when its work is done.

use std::sync::Arc;

use ash::vk;

use super::{
    BINDINGS, PARAMS_BYTES,
    context::Context,
    pipeline::{Layout, Pipeline},
};
use crate::{Error, Result};

/// Descriptor sets that one pool holds.
const SETS_PER_POOL: u32 = 64;

/// A command buffer with all that its commands need while they run.
///
/// It has a pool of its own, so that threads record without locks. Descriptor sets stay allocated when the commands
/// are recorded anew: in the steady state recording allocates nothing.
pub(super) struct Commands {
    context: Arc<Context>,
    pool: vk::CommandPool,
    raw: vk::CommandBuffer,
    /// By number of storage buffers.
    sets: [Sets; BINDINGS as usize + 1],
    set_pools: Vec<vk::DescriptorPool>,
    /// How many more sets the last pool holds.
    left_in_pool: u32,
    timer: Option<Timer>,
    is_timed: bool,
    bound: vk::Pipeline,
}

/// Sets of one layout, of which the first `used` are taken by the commands being recorded.
#[derive(Default)]
struct Sets {
    all: Vec<vk::DescriptorSet>,
    used: usize,
}

/// Two timestamps.
#[derive(Clone, Copy)]
struct Timer {
    queries: vk::QueryPool,
}

/// A range of a buffer as an argument.
pub(super) type Argument = vk::DescriptorBufferInfo;

impl Commands {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(context.queue_family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT | vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the device is alive and has this queue family.
        let pool = unsafe { context.raw.create_command_pool(&info, None) }
            .map_err(|e| context.error("vkCreateCommandPool", e))?;
        let mut commands = Self {
            context: Arc::clone(context),
            pool,
            raw: vk::CommandBuffer::null(),
            sets: Default::default(),
            set_pools: Vec::new(),
            left_in_pool: 0,
            timer: None,
            is_timed: false,
            bound: vk::Pipeline::null(),
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool was made above. If this fails, dropping `commands` destroys it.
        let raw = unsafe { context.raw.allocate_command_buffers(&info) }
            .map_err(|e| context.error("vkAllocateCommandBuffers", e))?;
        commands.raw = raw.first().copied().unwrap_or_default();
        Ok(commands)
    }

    pub(super) fn raw(&self) -> vk::CommandBuffer {
        self.raw
    }

    /// Starts anew. Whatever was recorded before is forgotten.
    pub(super) fn begin(&mut self, timed: bool) -> Result<()> {
        for sets in &mut self.sets {
            sets.used = 0;
        }
        self.bound = vk::Pipeline::null();
        self.is_timed = timed && self.context.timestamps.is_some();
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: these commands are not running: a flight gives them back only when it is done. `&mut self` means that
        // nobody else records. Beginning resets the buffer, which its pool allows; resetting the pool costs more.
        unsafe { self.context.raw.begin_command_buffer(self.raw, &info) }
            .map_err(|e| self.context.error("vkBeginCommandBuffer", e))?;
        if self.is_timed {
            let timer = self.timer()?;
            // SAFETY: the buffer is being recorded; the pool has two queries.
            unsafe {
                let device = &self.context.raw;
                device.cmd_reset_query_pool(self.raw, timer.queries, 0, 2);
                device.cmd_write_timestamp(self.raw, vk::PipelineStageFlags::TOP_OF_PIPE, timer.queries, 0);
            }
        }
        Ok(())
    }

    /// What follows sees the writes of what came before, and does not overtake its reads.
    pub(super) fn barrier(&mut self) {
        self.depend(WORK, WORK_ACCESS);
    }

    /// Runs a kernel.
    pub(super) fn dispatch(
        &mut self,
        pipeline: &Pipeline,
        arguments: &[Argument],
        params: &[u32],
        workgroups: [u32; 3],
    ) -> Result<()> {
        if arguments.len() != pipeline.layout.bindings || size_of_val(params) > PARAMS_BYTES as usize {
            return Err(Error::Driver {
                call: "dispatch",
                code: format!("{} arguments and {} parameters do not fit", arguments.len(), params.len()),
            });
        }
        if !arguments.is_empty() {
            self.bind(&pipeline.layout, arguments)?;
        }
        let device = &self.context.raw;
        let [x, y, z] = workgroups;
        // SAFETY: the buffer is being recorded; lowering keeps the workgroups within the device's limits, and the
        // parameters were measured above.
        unsafe {
            if self.bound != pipeline.raw {
                device.cmd_bind_pipeline(self.raw, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
                self.bound = pipeline.raw;
            }
            if !params.is_empty() {
                device.cmd_push_constants(
                    self.raw,
                    pipeline.layout.pipeline,
                    vk::ShaderStageFlags::COMPUTE,
                    0,
                    bytemuck::cast_slice(params),
                );
            }
            device.cmd_dispatch(self.raw, x, y, z);
        }
        Ok(())
    }

    /// Copies bytes between buffers.
    pub(super) fn copy(&mut self, from: (vk::Buffer, u64), to: (vk::Buffer, u64), bytes: u64) {
        let range = vk::BufferCopy { src_offset: from.1, dst_offset: to.1, size: bytes };
        // SAFETY: the buffer is being recorded; both ranges lie inside their buffers and do not overlap, and the
        // buffers live until the work is done: promised by the front, or by the staging ring for its own.
        unsafe { self.context.raw.cmd_copy_buffer(self.raw, from.0, to.0, &[range]) }
    }

    /// Ends the recording. Later submissions and the host see all that was written.
    pub(super) fn end(&mut self) -> Result<()> {
        self.depend(WORK | vk::PipelineStageFlags::HOST, WORK_ACCESS | vk::AccessFlags::HOST_READ);
        let device = &self.context.raw;
        if let (true, Some(timer)) = (self.is_timed, self.timer) {
            // SAFETY: the buffer is being recorded; the pool has two queries.
            unsafe {
                device.cmd_write_timestamp(
                    self.raw,
                    vk::PipelineStageFlags::BOTTOM_OF_PIPE,
                    timer.queries,
                    1,
                );
            }
        }
        // SAFETY: the buffer is being recorded.
        unsafe { device.end_command_buffer(self.raw) }
            .map_err(|e| self.context.error("vkEndCommandBuffer", e))
    }

    /// The time between the first and the last command, if it was to be taken. The work is done.
    pub(super) fn device_time(&self) -> Option<std::time::Duration> {
        let timer = self.timer.filter(|_| self.is_timed)?;
        let clock = self.context.timestamps?;
        let mut ticks = [0_u64; 2];
        // SAFETY: the pool is alive and has two queries; both were written by work that is done.
        unsafe {
            self.context.raw.get_query_pool_results(
                timer.queries,
                0,
                &mut ticks,
                vk::QueryResultFlags::TYPE_64,
            )
        }
        .ok()?;
        Some(clock.between(ticks))
    }

    fn depend(&mut self, then: vk::PipelineStageFlags, access: vk::AccessFlags) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(WRITES).dst_access_mask(access);
        // SAFETY: the buffer is being recorded.
        unsafe {
            self.context.raw.cmd_pipeline_barrier(
                self.raw,
                WORK,
                then,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
    }

    /// Binds one argument or more, as many as `layout` takes.
    ///
    /// Not by an update template: with several devices open at once, the validation layer (1.3.239) now and then
    /// crashed inside `vkUpdateDescriptorSetWithTemplate`.
    fn bind(&mut self, layout: &Layout, arguments: &[Argument]) -> Result<()> {
        let set = self.set(layout)?;
        let mut writes = [vk::WriteDescriptorSet::default(); BINDINGS as usize];
        for (binding, (write, argument)) in writes.iter_mut().zip(arguments).enumerate() {
            *write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding as u32)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(std::slice::from_ref(argument));
        }
        let writes = writes.get(..arguments.len()).unwrap_or_default();
        let device = &self.context.raw;
        // SAFETY: the buffer is being recorded. The set is this recording's own, so that no running work reads it,
        // and has as many bindings as there are arguments, which the caller counted. The front keeps the buffers
        // alive until the work is done, and lowering keeps the ranges inside them and within the limits.
        unsafe {
            device.update_descriptor_sets(writes, &[]);
            device.cmd_bind_descriptor_sets(
                self.raw,
                vk::PipelineBindPoint::COMPUTE,
                layout.pipeline,
                0,
                &[set],
                &[],
            );
        }
        Ok(())
    }

    /// A set of `layout` that these commands do not use yet.
    fn set(&mut self, layout: &Layout) -> Result<vk::DescriptorSet> {
        let sets = &self.sets[layout.bindings];
        if let Some(&set) = sets.all.get(sets.used) {
            self.sets[layout.bindings].used += 1;
            return Ok(set);
        }
        if self.left_in_pool == 0 {
            let sizes = [vk::DescriptorPoolSize {
                ty: vk::DescriptorType::STORAGE_BUFFER,
                descriptor_count: SETS_PER_POOL * BINDINGS,
            }];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS_PER_POOL).pool_sizes(&sizes);
            // SAFETY: the device is alive.
            let pool = unsafe { self.context.raw.create_descriptor_pool(&info, None) }
                .map_err(|e| self.context.error("vkCreateDescriptorPool", e))?;
            self.set_pools.push(pool);
            self.left_in_pool = SETS_PER_POOL;
        }
        let layouts = [layout.set];
        let pool = self.set_pools.last().copied().unwrap_or_default();
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool has room: it was made for this many sets of the largest layout, and `left_in_pool` counts.
        let set = unsafe { self.context.raw.allocate_descriptor_sets(&info) }
            .map_err(|e| self.context.error("vkAllocateDescriptorSets", e))?
            .first()
            .copied()
            .unwrap_or_default();
        self.left_in_pool -= 1;
        let sets = &mut self.sets[layout.bindings];
        sets.all.push(set);
        sets.used += 1;
        Ok(set)
    }

    fn timer(&mut self) -> Result<Timer> {
        if let Some(timer) = self.timer {
            return Ok(timer);
        }
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: the device is alive.
        let queries = unsafe { self.context.raw.create_query_pool(&info, None) }
            .map_err(|e| self.context.error("vkCreateQueryPool", e))?;
        Ok(*self.timer.insert(Timer { queries }))
    }
}

/// The stages in which our work happens.
const WORK: vk::PipelineStageFlags = vk::PipelineStageFlags::from_raw(
    vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::TRANSFER.as_raw(),
);

const WRITES: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::SHADER_WRITE.as_raw() | vk::AccessFlags::TRANSFER_WRITE.as_raw(),
);

const WORK_ACCESS: vk::AccessFlags = vk::AccessFlags::from_raw(
    WRITES.as_raw() | vk::AccessFlags::SHADER_READ.as_raw() | vk::AccessFlags::TRANSFER_READ.as_raw(),
);

impl Drop for Commands {
    fn drop(&mut self) {
        let device = &self.context.raw;
        // SAFETY: commands are dropped when they are idle or were never submitted; each handle is ours alone, and the
        // command buffer and the sets go with their pools.
        unsafe {
            for pool in self.set_pools.drain(..) {
                device.destroy_descriptor_pool(pool, None);
            }
            if let Some(timer) = self.timer {
                device.destroy_query_pool(timer.queries, None);
            }
            device.destroy_command_pool(self.pool, None);
        }
    }
}
