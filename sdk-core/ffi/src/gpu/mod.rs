//! The GPU: devices, memory, transfers and the verdicts on kernels.

mod buffer;
mod description;
mod report;

use std::sync::Arc;

use exo_gpu::{BackendKind, CalibrationLimits, OpenOptions};

pub use buffer::GpuBuffer;
pub use description::GpuDevice;
pub use report::{
    Calibration, GpuMemory, KernelReport, Refusal, SelfTestListener, SelfTestProgress, Speed, Verdict,
};

use crate::{ExoError, Result, closing::Open, threads::aside};

/// Who drives a device.
#[uniffi::remote(Enum)]
pub enum BackendKind {
    /// Vulkan: Android, Linux, Windows.
    Vulkan,
    /// Apple's Metal.
    Metal,
    /// The processor.
    Cpu,
}

/// How to open a GPU. Everything may be left out.
#[derive(Debug, Clone, Default, uniffi::Record)]
pub struct GpuOptions {
    /// This backend, and no other in its place.
    #[uniffi(default = None)]
    pub backend: Option<BackendKind>,
    /// The device whose name has this in it.
    #[uniffi(default = None)]
    pub device: Option<String>,
    /// Where the verdicts on kernels are kept, so that the next start is quick; nowhere if left out.
    #[uniffi(default = None)]
    pub data_dir: Option<String>,
    /// Use at most this many bytes.
    #[uniffi(default = None)]
    pub memory_cap: Option<u64>,
}

/// An opened GPU, or the CPU in its place.
#[derive(Debug, uniffi::Object)]
pub struct Gpu {
    gpu: Open<exo_gpu::Gpu>,
}

#[uniffi::export]
impl Gpu {
    /// Opens the best device: a GPU, else the CPU. Takes three seconds at most.
    #[uniffi::constructor]
    pub async fn open(options: GpuOptions) -> Result<Self> {
        let gpu = aside("exo-gpu-open", move || Ok(exo_gpu::Gpu::open(options.into())?)).await?;
        Ok(Self { gpu: Open::new("GPU", gpu) })
    }

    /// The device that was opened.
    pub fn device(&self) -> Result<GpuDevice> {
        Ok(self.gpu.get()?.device().description().into())
    }

    /// All devices that were found.
    pub fn devices(&self) -> Result<Vec<GpuDevice>> {
        Ok(self.gpu.get()?.devices().iter().cloned().map(GpuDevice::from).collect())
    }

    /// Why each device that was passed over was.
    pub fn refusals(&self) -> Result<Vec<Refusal>> {
        Ok(self.gpu.get()?.refusals().iter().cloned().map(Refusal::from).collect())
    }

    /// How its memory stands.
    pub fn memory(&self) -> Result<GpuMemory> {
        Ok(self.gpu.get()?.device().memory_report()?.into())
    }

    /// Takes memory of the device.
    pub fn allocate(&self, bytes: u64) -> Result<Arc<GpuBuffer>> {
        Ok(GpuBuffer::of(self.gpu.get()?.device().allocate(bytes)?))
    }

    /// Gives back to the system what is kept for the next allocation.
    pub fn trim(&self) -> Result<()> {
        Ok(self.gpu.get()?.device().trim()?)
    }

    /// Tests every kernel against its known answers. Takes some seconds; `progress` hears of each.
    pub async fn self_test(&self, progress: Option<Arc<dyn SelfTestListener>>) -> Result<Vec<KernelReport>> {
        let gpu = self.gpu.get()?;
        aside("exo-gpu-test", move || {
            let reports = gpu.device().self_test(|now| report::tell(progress.as_deref(), now))?;
            Ok(reports.into_iter().map(KernelReport::from).collect())
        })
        .await
    }

    /// Measures how fast the device computes and reads, in about a third of a second.
    pub async fn calibrate(&self) -> Result<Calibration> {
        let gpu = self.gpu.get()?;
        let measure = move || Ok(gpu.device().calibrate(CalibrationLimits::default())?.into());
        aside("exo-gpu-calibrate", measure).await
    }

    /// Waits until all that was handed to the device is done.
    pub async fn synchronise(&self) -> Result<()> {
        let gpu = self.gpu.get()?;
        aside("exo-gpu-wait", move || Ok(gpu.device().batch().submit()?.wait()?)).await
    }

    /// Closes the device; its buffers are gone with it.
    pub fn shut(&self) -> Result<()> {
        if let Some(gpu) = self.gpu.close() {
            gpu.device().close();
        }
        Ok(())
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if let Some(gpu) = self.gpu.close() {
            gpu.device().close();
        }
    }
}

impl From<GpuOptions> for OpenOptions {
    fn from(options: GpuOptions) -> Self {
        let mut open = match options.data_dir {
            Some(directory) => Self::new().data_dir(directory),
            None => Self::new().remember_nothing(),
        };
        if let Some(backend) = options.backend {
            open = open.backend(backend);
        }
        if let Some(device) = options.device {
            open = open.device_named(device);
        }
        if let Some(bytes) = options.memory_cap {
            open = open.memory_cap(bytes);
        }
        open
    }
}

impl From<exo_gpu::Refusal> for Refusal {
    fn from(refusal: exo_gpu::Refusal) -> Self {
        let exo_gpu::Refusal { backend, device, reason } = refusal;
        Self { backend, device, reason }
    }
}

/// The GPU of a node's capabilities, for [`crate::node`].
impl Gpu {
    pub(crate) fn inner(&self) -> Result<Arc<exo_gpu::Gpu>, ExoError> {
        self.gpu.get()
    }
}
