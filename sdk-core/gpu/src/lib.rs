//! One safe front over the GPUs of phones: Vulkan, Metal, and a CPU that computes when neither will.
//!
//! ```text
//! Gpu::open ─ chain of backends, each refusal kept ─▶ Device ─▶ Buffer ─▶ Tensor
//!                                                       └─────▶ Batch ─▶ Submission
//! ```
//!
//! ```
//! use exo_gpu::{DType, Gpu, OpenOptions};
//!
//! # fn main() -> exo_gpu::Result<()> {
//! let gpu = Gpu::open(OpenOptions::new().remember_nothing())?;
//! let device = gpu.device();
//! let (x, y) = (device.tensor(DType::F32, &[1000])?, device.tensor(DType::F32, &[1000])?);
//! let mut batch = device.batch();
//! batch.fill(&x, 1.5)?.add(&x, &x, &y)?;
//! batch.submit()?.wait()?;
//! let mut first = [0; 4];
//! y.buffer().read(0, &mut first)?;
//! assert_eq!(f32::from_le_bytes(first), 3.0);
//! # Ok(())
//! # }
//! ```
//!
//! Arguments are checked here, once; `vulkan/`, `metal/` and `cpu/` mirror each other file by file and trust what
//! reaches them. Kernels are written once in WGSL (`kernels/`), and each is tested on the very device that runs it
//! before it is believed.

mod attention;
mod backend;
mod batch;
mod buffer;
mod cache;
mod calibration;
mod check;
mod cpu;
mod description;
mod device;
mod error;
mod faults;
mod hazard;
mod ledger;
mod line;
mod lowering;
// On Apple nobody chooses memory types; the records are still tested there.
#[cfg(any(test, not(target_vendor = "apple")))]
mod memory_type;
#[cfg(any(target_vendor = "apple", test))] // The parts of it that need no Mac are tested everywhere.
mod metal;
mod op;
mod open;
mod options;
mod rank;
#[cfg(test)]
mod recorded_devices;
mod recurrence;
mod registry;
mod shelf;
mod submission;
mod tensor;
mod trust;
#[cfg(not(target_vendor = "apple"))]
mod vulkan;
mod weight;
mod workarounds;

pub use attention::Attention;
pub use batch::Batch;
pub use buffer::Buffer;
pub use cache::Cache;
pub use calibration::{Calibration, CalibrationLimits, Speed};
pub use description::{
    ApiVersion, BackendKind, ComputeUnits, DeviceDescription, DeviceKind, Driver, Features, Heap, Limits,
    MemoryType, Vendor,
};
pub use device::{Device, Health};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "faults")]
pub use faults::Faults;
pub use ledger::{MemoryReport, Pressure};
pub use op::RopePairs;
pub use open::{Gpu, Refusal};
pub use options::{OpenOptions, Validation};
pub use recurrence::{Convolution, GatedDelta};
pub use submission::Submission;
pub use tensor::{DType, MAX_RANK, Shape, Tensor};
pub use trust::{KernelReport, SelfTestProgress, Verdict};
pub use weight::{Bits, Group, Quantised, Weight};
pub use workarounds::{KnownBug, Workarounds, known_bugs};
