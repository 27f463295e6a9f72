//! What a Vulkan device must do, shown on Mesa's software driver under the validation layer.
//!
//! Every test ends by asking the layer, after the device is closed, so that a leaked handle is heard as well.

mod caching;
mod canary;
mod describing;
mod faults;
mod memory;
mod opening;
mod work;

use std::sync::Arc;

use super::{
    device::{self, VulkanDevice},
    instance::{Instance, open_instance},
};
use crate::{
    Buffer, DType, Device, DeviceKind, OpenOptions, Tensor, Validation,
    backend::{Action, BackendDevice, Step, Work},
    op::Op,
};

/// A device under watch, and the instance that hears what is said when it closes.
pub(super) struct Bench {
    pub(super) instance: Instance,
    pub(super) backend: Arc<VulkanDevice>,
}

/// Both ways to tell the end of work, and both ways to reach memory.
pub(super) fn all_paths() -> Vec<OpenOptions> {
    let mut all = Vec::new();
    for without_timeline in [false, true] {
        for without_unified_memory in [false, true] {
            all.push(OpenOptions { without_timeline, without_unified_memory, ..watched() });
        }
    }
    all
}

pub(super) fn watched() -> OpenOptions {
    OpenOptions { validation: Validation::Core, ..OpenOptions::default() }
}

impl Bench {
    pub(super) fn open(options: &OpenOptions) -> Self {
        let instance = open_instance(options).expect("an instance: is the validation layer installed?");
        let devices = instance.devices().expect("a device: is Mesa's lavapipe installed?");
        let (_, handle) = devices
            .into_iter()
            .find(|(device, _)| device.kind == DeviceKind::Software)
            .expect("a software device: is Mesa's lavapipe installed?");
        let backend = Arc::new(device::open(&instance, &handle, options).expect("opens"));
        Self { instance, backend }
    }

    pub(super) fn device(&self) -> Device {
        Device::over(Arc::clone(&self.backend) as Arc<dyn BackendDevice>)
    }

    /// Submits `steps` and waits.
    pub(super) fn run(&self, steps: Vec<Step>) {
        let pending = self.backend.submit(&Work { steps, timed: false }).expect("submits");
        assert!(pending.wait(None).expect("waits"));
    }

    /// Closes the device and gives the layer the last word.
    pub(super) fn close(self) {
        let Self { instance, backend } = self;
        assert_eq!(Arc::strong_count(&backend), 1, "a test let something outlive its device");
        drop(backend);
        assert_eq!(instance.messages(), Vec::<String>::new());
    }
}

pub(super) fn step(action: Action, barrier: bool) -> Step {
    Step { action, barrier }
}

pub(super) fn floats(device: &Device, values: &[f32]) -> Tensor {
    let buffer = device.allocate(size_of_val(values) as u64).expect("allocates");
    buffer.write(0, bytemuck::cast_slice(values)).expect("writes");
    Tensor::new(&buffer, 0, DType::F32, &[values.len() as u32]).expect("fits")
}

pub(super) fn read_floats(tensor: &Tensor) -> Vec<f32> {
    let mut values = vec![0.0; tensor.shape().elements() as usize];
    tensor.buffer().read(tensor.offset(), bytemuck::cast_slice_mut(&mut values)).expect("reads");
    values
}

pub(super) fn add(a: &Tensor, b: &Tensor, y: &Tensor) -> Action {
    Action::Op(Op::Add { a: a.clone(), b: b.clone(), y: y.clone() })
}

pub(super) fn bytes_of(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).expect("reads");
    bytes
}

/// Numbers that look random, from a seed that is printed: a failing test can be run again as it was.
#[derive(Clone)]
pub(super) struct Random(u64);

impl Random {
    /// A new seed each time; `EXO_SEED` brings one back.
    pub(super) fn printed() -> Self {
        let seed = std::env::var("EXO_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.expect("after 1970").as_nanos() as u64
        });
        println!("EXO_SEED={seed}");
        Self(seed)
    }

    /// `SplitMix64` (Steele, Lea and Flood, 2014).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(super) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(count);
        bytes
    }
}
