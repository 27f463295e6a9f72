//! wgpu on its Vulkan backend.

use anyhow::{Context as _, Result, bail};
use wgpu::{BufferUsages, PollType};

/// An opened wgpu device.
pub struct Wgpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// The version that the lock file chose.
pub const VERSION: &str = env!("WGPU_VERSION");

impl Wgpu {
    /// Opens the first Vulkan adapter with all that it offers.
    pub fn open() -> Result<Self> {
        let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
        description.backends = wgpu::Backends::VULKAN;
        description.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(description);
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        }))?;
        Ok(Self { device, queue })
    }

    /// A storage buffer that can be copied from and to.
    pub fn buffer(&self, bytes: u64) -> wgpu::Buffer {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    }

    /// Uploads, and waits until the data are where a kernel would see them.
    pub fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<()> {
        self.queue.write_buffer(buffer, 0, bytes);
        self.queue.submit([]);
        self.wait()
    }

    /// A buffer that downloads pass through; made once, as a careful user would.
    pub fn landing(&self, bytes: u64) -> wgpu::Buffer {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    }

    /// Downloads by way of `landing`.
    pub fn read(&self, buffer: &wgpu::Buffer, landing: &wgpu::Buffer, bytes: &mut [u8]) -> Result<()> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, 0, landing, 0, bytes.len() as u64);
        self.queue.submit([encoder.finish()]);
        landing.map_async(wgpu::MapMode::Read, .., |_| {});
        self.wait()?;
        let view = landing.get_mapped_range(..)?;
        let Some(from) = view.get(..bytes.len()) else { bail!("the landing buffer is too small") };
        bytes.copy_from_slice(from);
        drop(view);
        landing.unmap();
        Ok(())
    }

    /// Waits until all that was submitted is done.
    pub fn wait(&self) -> Result<()> {
        self.device.poll(PollType::wait_indefinitely()).context("poll")?;
        Ok(())
    }

    /// Compiles `wgsl`'s entry point `main`, without run-time checks, and binds `buffers` to group 0 in order.
    pub fn kernel(&self, wgsl: &str, buffers: &[&wgpu::Buffer]) -> Kernel {
        let description =
            wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
        // SAFETY: the kernels of this crate stay inside their arrays for the sizes that the rows use; their
        // results are checked.
        let module = unsafe {
            self.device.create_shader_module_trusted(description, wgpu::ShaderRuntimeChecks::unchecked())
        };
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        let entries: Vec<_> = (0u32..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Kernel { pipeline, group }
    }

    /// Records, submits and waits.
    pub fn dispatch(&self, kernel: &Kernel, workgroups: [u32; 3]) -> Result<()> {
        let [x, y, z] = workgroups;
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &kernel.group, &[]);
        pass.dispatch_workgroups(x, y, z);
        drop(pass);
        self.queue.submit([encoder.finish()]);
        self.wait()
    }
}

/// A pipeline with its arguments bound.
pub struct Kernel {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}
