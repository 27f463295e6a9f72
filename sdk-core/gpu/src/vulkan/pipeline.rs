//! Pipelines: made when a kernel is first used, kept until the device is closed.

use std::{
    collections::HashMap,
    ffi::CString,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use ash::vk;

use super::{
    BINDINGS, PARAMS_BYTES, context::Context, describe::CacheIdentity, legible::with_whole_access_chains,
    pipeline_cache::PipelineCache,
};
use crate::{Error, OpenOptions, Result, Validation, lowering::Kernel};

/// All pipelines of a device.
pub(super) struct Pipelines {
    made: RwLock<HashMap<&'static str, Pipeline>>,
    /// By number of storage buffers: kernels that take as many share a layout.
    layouts: Mutex<[Option<Layout>; BINDINGS as usize + 1]>,
    cache: OnceLock<PipelineCache>,
    directory: Option<PathBuf>,
    identity: CacheIdentity,
    /// Whether the validation layer is on.
    is_watched: bool,
    context: Arc<Context>,
}

/// A kernel, ready to be bound.
#[derive(Clone, Copy)]
pub(super) struct Pipeline {
    pub(super) raw: vk::Pipeline,
    pub(super) layout: Layout,
}

/// How arguments reach the kernels that take a certain number of storage buffers.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) bindings: usize,
    pub(super) set: vk::DescriptorSetLayout,
    pub(super) pipeline: vk::PipelineLayout,
}

impl Pipelines {
    pub(super) fn new(context: &Arc<Context>, options: &OpenOptions, identity: CacheIdentity) -> Self {
        Self {
            made: RwLock::default(),
            layouts: Mutex::default(),
            cache: OnceLock::new(),
            directory: options.data_dir.clone(),
            identity,
            is_watched: options.validation != Validation::Off,
            context: Arc::clone(context),
        }
    }

    /// The pipeline of `kernel`. The first call for a kernel makes it, and others wait for that.
    pub(super) fn get(&self, kernel: &'static Kernel) -> Result<Pipeline> {
        if let Some(pipeline) = self.made.read().unwrap_or_else(PoisonError::into_inner).get(kernel.name) {
            return Ok(*pipeline);
        }
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = made.get(kernel.name) {
            return Ok(*pipeline);
        }
        let pipeline = self.make(kernel)?;
        made.insert(kernel.name, pipeline);
        Ok(pipeline)
    }

    /// Writes the cache to disk, if it grew.
    pub(super) fn save(&self) {
        if let Some(cache) = self.cache.get() {
            cache.save();
        }
    }

    fn make(&self, kernel: &'static Kernel) -> Result<Pipeline> {
        let kernel = self.context.injector.kernel(kernel);
        let device = &self.context.raw;
        let entry = CString::new(kernel.entry).map_err(|_| Error::Driver {
            call: "vkCreateComputePipelines",
            code: "a NUL in a name".into(),
        })?;
        let layout = self.layout(kernel.bindings.len())?;
        let cache = self.cache()?.raw();
        let code = kernel.spirv.unpack().ok_or_else(|| Error::Driver {
            call: "vkCreateShaderModule",
            code: format!("kernel `{}` is damaged in this program", kernel.name),
        })?;
        let code = if self.is_watched { with_whole_access_chains(&code) } else { code };
        let code = vk::ShaderModuleCreateInfo::default().code(&code);
        // SAFETY: the device is alive; the words are a module that the build script made and the tests validated.
        let module = unsafe { device.create_shader_module(&code, None) }
            .map_err(|e| self.context.error("vkCreateShaderModule", e))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&entry);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout.pipeline);
        // SAFETY: module, layout and cache are of this device and alive; `entry` lives through the call.
        let made = unsafe { device.create_compute_pipelines(cache, &[info], None) };
        // SAFETY: a pipeline does not need its module once it was made, or was not.
        unsafe { device.destroy_shader_module(module, None) };
        match made {
            Ok(pipelines) => pipelines
                .first()
                .map(|&raw| Pipeline { raw, layout })
                .ok_or_else(|| self.context.error("vkCreateComputePipelines", vk::Result::ERROR_UNKNOWN)),
            Err((pipelines, e)) => {
                for pipeline in pipelines {
                    // SAFETY: null, or made above and known to nobody else.
                    unsafe { device.destroy_pipeline(pipeline, None) };
                }
                Err(self.context.error("vkCreateComputePipelines", e))
            }
        }
    }

    fn cache(&self) -> Result<&PipelineCache> {
        if let Some(cache) = self.cache.get() {
            return Ok(cache);
        }
        // Called under the lock of `made` only, so that this is never done twice.
        let opened = PipelineCache::open(&self.context, self.directory.as_deref(), self.identity)?;
        Ok(self.cache.get_or_init(|| opened))
    }

    fn layout(&self, bindings: usize) -> Result<Layout> {
        let mut layouts = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(slot) = layouts.get_mut(bindings) else {
            return Err(Error::Unsupported {
                what: format!("a kernel with {bindings} storage buffers"),
                why: format!("at most {BINDINGS} are"),
            });
        };
        if let Some(layout) = slot {
            return Ok(*layout);
        }
        Ok(*slot.insert(Layout::new(&self.context, bindings)?))
    }
}

impl Layout {
    fn new(context: &Context, bindings: usize) -> Result<Self> {
        let device = &context.raw;
        let arguments: Vec<_> = (0..bindings as u32)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&arguments);
        let mut layout =
            Self { bindings, set: vk::DescriptorSetLayout::null(), pipeline: vk::PipelineLayout::null() };
        // SAFETY: the device is alive, as for the next call; it has at least `BINDINGS` storage buffers, or it
        // would not have been opened.
        layout.set = unsafe { device.create_descriptor_set_layout(&info, None) }
            .map_err(|e| context.error("vkCreateDescriptorSetLayout", e))?;
        let sets = [layout.set];
        let params =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(PARAMS_BYTES)];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&params);
        // SAFETY: as above.
        layout.pipeline = unsafe { device.create_pipeline_layout(&info, None) }
            .map_err(|e| layout.abandon(context, "vkCreatePipelineLayout", e))?;
        Ok(layout)
    }

    fn abandon(&self, context: &Context, call: &'static str, code: vk::Result) -> Error {
        self.destroy(context);
        context.error(call, code)
    }

    fn destroy(&self, context: &Context) {
        // SAFETY: each handle is null or was made by `new` on this device; the owner calls this once, when no
        // pipeline and no work uses them.
        unsafe {
            context.raw.destroy_pipeline_layout(self.pipeline, None);
            context.raw.destroy_descriptor_set_layout(self.set, None);
        }
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        self.save();
        for pipeline in self.made.get_mut().unwrap_or_else(PoisonError::into_inner).values() {
            // SAFETY: `VulkanDevice` waited for all work before it dropped this.
            unsafe { self.context.raw.destroy_pipeline(pipeline.raw, None) };
        }
        for layout in self.layouts.get_mut().unwrap_or_else(PoisonError::into_inner).iter().flatten() {
            layout.destroy(&self.context);
        }
    }
}
