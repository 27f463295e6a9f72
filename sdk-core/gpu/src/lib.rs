//! One safe front over the GPUs of phones: Vulkan, Metal, and a CPU that computes when neither will.
//!
//! ```text
//! Gpu::open ─ chain of backends, each refusal kept ─▶ Device ─▶ Buffer ─▶ Tensor
//!                                                       └─────▶ Batch ─▶ Submission
//! ```
//!
//! Arguments are checked here, once; `vulkan/`, `metal/` and `cpu/` mirror each other file by file and trust what
//! reaches them. Kernels are written once in WGSL (`kernels/`); the CPU backend is the oracle that each of them is
//! tested against on the very device that runs it.

mod backend;
mod batch;
mod buffer;
mod cpu;
mod device;
mod error;
mod faults;
mod front;
mod lowering;
#[cfg(target_vendor = "apple")]
mod metal;
mod op;
mod open;
mod rank;
mod submission;
mod tensor;
#[cfg(not(target_vendor = "apple"))]
mod vulkan;
mod workarounds;

pub use batch::Batch;
pub use buffer::Buffer;
pub use device::{
    ApiVersion, BackendKind, ComputeUnits, DeviceDescription, DeviceKind, Driver, Features, Heap, Limits,
    MemoryType, Vendor,
};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "faults")]
pub use faults::Faults;
pub use front::Device;
pub use op::{Bits, Group, Quantised, RopePairs, Weight};
pub use open::{OpenOptions, Refusal, Validation};
pub use submission::Submission;
pub use tensor::{DType, MAX_RANK, Shape, Tensor};
pub use workarounds::Workarounds;
