//! Set-up that is not part of any story: a GPU under its validation layer (lavapipe; Metal on a Mac), the CPU beside
//! it, data from a seed.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)] // Each test binary uses its part.

use std::ops::Deref;

use exo_gpu::{BackendKind, DType, Device, Gpu, OpenOptions, Tensor, Validation};

/// A device under watch: a validation message fails the test that caused it.
pub(crate) struct Watched {
    gpu: Gpu,
}

impl Deref for Watched {
    type Target = Device;

    fn deref(&self) -> &Device {
        self.gpu.device()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let messages = self.gpu.device().validation_messages();
        if !std::thread::panicking() {
            assert!(messages.is_empty(), "the validation layer objects:\n{}", messages.join("\n"));
        }
    }
}

/// The backend that this platform's GPU tests are about.
pub(crate) const GPU: BackendKind =
    if cfg!(target_vendor = "apple") { BackendKind::Metal } else { BackendKind::Vulkan };

/// The GPU, with core and synchronisation validation.
pub(crate) fn gpu() -> Watched {
    gpu_with(OpenOptions::default())
}

pub(crate) fn gpu_with(options: OpenOptions) -> Watched {
    watched(options.validation(Validation::Core))
}

/// Opens the GPU or fails the test, saying what is missing.
pub(crate) fn watched(options: OpenOptions) -> Watched {
    match Gpu::open(options.backend(GPU)) {
        Ok(gpu) => Watched { gpu },
        Err(error) => {
            panic!("these tests need lavapipe and the validation layer; run ./scripts/setup gpu\n{error}")
        }
    }
}

pub(crate) fn cpu() -> Watched {
    Watched {
        gpu: Gpu::open(OpenOptions::default().backend(BackendKind::Cpu)).expect("the CPU always opens"),
    }
}

/// The devices that behave alike: the CPU, and the GPU in each of its ways.
pub(crate) fn every_device() -> Vec<(&'static str, Watched)> {
    vec![
        ("cpu", cpu()),
        ("gpu", gpu()),
        ("gpu, fences", gpu_with(OpenOptions::default().without_timeline())),
        ("gpu, staging", gpu_with(OpenOptions::default().without_unified_memory())),
    ]
}

/// Reproducible data: `SplitMix64`.
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// From `EXO_SEED`, else from the clock; printed, so that a failure can be repeated.
    pub(crate) fn printed(test: &str) -> Self {
        let seed = std::env::var("EXO_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or_else(|| {
            std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(1, |d| d.as_nanos() as u64)
        });
        println!("{test}: EXO_SEED={seed}");
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }

    /// In -1..1.
    pub(crate) fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0).collect()
    }
}

pub(crate) fn upload(device: &Device, dims: &[u32], values: &[f32]) -> Tensor {
    let tensor = device.tensor(DType::F32, dims).unwrap();
    tensor.buffer().write(0, bytemuck::cast_slice(values)).unwrap();
    tensor
}

pub(crate) fn download(tensor: &Tensor) -> Vec<f32> {
    let mut values = vec![0.0_f32; tensor.shape().elements() as usize];
    tensor.buffer().read(tensor.offset(), bytemuck::cast_slice_mut(&mut values)).unwrap();
    values
}

/// Waits for a future without a runtime.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::task::Waker::from(std::sync::Arc::new(Unpark(std::thread::current())));
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}
