//! A compute kernel on raw ash: command buffer recorded anew for each dispatch, then submitted and waited for.

use anyhow::{Context as _, Result};
use ash::vk;

use super::raw::{Raw, RawBuffer};

/// A pipeline with its arguments bound, ready to be dispatched again and again.
pub struct RawKernel<'a> {
    raw: &'a Raw,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    pipeline: vk::Pipeline,
    commands: vk::CommandPool,
    command: vk::CommandBuffer,
    fence: vk::Fence,
}

impl<'a> RawKernel<'a> {
    /// Compiles `wgsl`'s entry point `main` and binds `buffers` to group 0 in order.
    pub fn new(raw: &'a Raw, wgsl: &str, buffers: &[&RawBuffer<'_>]) -> Result<Self> {
        let code = spirv(wgsl)?;
        let count = u32::try_from(buffers.len())?;
        let device = &raw.device;
        // SAFETY: every create-info lives until its call returns; the handles are the device's own, and the
        // buffers outlive the dispatches because their owners wait for each one.
        unsafe {
            let bindings: Vec<_> = (0..count)
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None)?;
            let layouts = [set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = device.create_pipeline_layout(&info, None)?;
            let module =
                device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let pipelines = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            device.destroy_shader_module(module, None);
            let pipelines = pipelines.map_err(|(_, code)| code).context("vkCreateComputePipelines")?;
            let pipeline = pipelines.first().copied().context("no pipeline came back")?;
            let sizes = [vk::DescriptorPoolSize::default()
                .ty(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(count)];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set =
                device.allocate_descriptor_sets(&info)?.first().copied().context("no descriptor set")?;
            for (binding, buffer) in (0..count).zip(buffers) {
                let range = [vk::DescriptorBufferInfo::default().buffer(buffer.handle).range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(&range);
                device.update_descriptor_sets(&[write], &[]);
            }
            let info = vk::CommandPoolCreateInfo::default()
                .queue_family_index(raw.family)
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            let commands = device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(commands)
                .level(vk::CommandBufferLevel::PRIMARY)
                .command_buffer_count(1);
            let command =
                device.allocate_command_buffers(&info)?.first().copied().context("no command buffer")?;
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            Ok(Self { raw, layout, set_layout, pool, set, pipeline, commands, command, fence })
        }
    }

    /// Records, submits and waits.
    pub fn dispatch(&self, workgroups: [u32; 3]) -> Result<()> {
        let device = &self.raw.device;
        let [x, y, z] = workgroups;
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the previous dispatch was waited for below, so the command buffer, the set and the fence are
        // free; all handles are of this device, and the set matches the pipeline's layout.
        unsafe {
            device.begin_command_buffer(self.command, &once)?;
            device.cmd_bind_pipeline(self.command, vk::PipelineBindPoint::COMPUTE, self.pipeline);
            let compute = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_descriptor_sets(self.command, compute, self.layout, 0, &[self.set], &[]);
            device.cmd_dispatch(self.command, x, y, z);
            // Without this the host may not read what the kernel wrote, however long it waits for the fence: the
            // specification asks for it, and so does the validation layer of whoever reads.
            let readable = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ);
            device.cmd_pipeline_barrier(
                self.command,
                vk::PipelineStageFlags::COMPUTE_SHADER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &[readable],
                &[],
                &[],
            );
            device.end_command_buffer(self.command)?;
            let commands = [self.command];
            device.queue_submit(
                self.raw.queue,
                &[vk::SubmitInfo::default().command_buffers(&commands)],
                self.fence,
            )?;
            device.wait_for_fences(&[self.fence], true, u64::MAX)?;
            device.reset_fences(&[self.fence])?;
        }
        Ok(())
    }
}

impl Drop for RawKernel<'_> {
    fn drop(&mut self) {
        let device = &self.raw.device;
        // SAFETY: every dispatch was waited for, so nothing of this is in use.
        unsafe {
            device.destroy_fence(self.fence, None);
            device.destroy_command_pool(self.commands, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// SPIR-V without bounds checks, as a hand-tuned kernel would be.
fn spirv(wgsl: &str) -> Result<Vec<u32>> {
    use naga::{back::spv, front::wgsl as front, valid};
    let module = front::parse_str(wgsl).map_err(|error| anyhow::anyhow!(error.emit_to_string(wgsl)))?;
    let info =
        valid::Validator::new(valid::ValidationFlags::all(), valid::Capabilities::all()).validate(&module)?;
    let unchecked = naga::proc::BoundsCheckPolicies {
        index: naga::proc::BoundsCheckPolicy::Unchecked,
        buffer: naga::proc::BoundsCheckPolicy::Unchecked,
        ..Default::default()
    };
    let options = spv::Options {
        flags: spv::WriterFlags::empty(),
        lang_version: (1, 3),
        bounds_check_policies: unchecked,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..Default::default()
    };
    Ok(spv::write_vec(&module, &info, &options, None)?)
}
