//! Runs operations on lavapipe (on Metal where there is a Mac), under the validation layer, with tensors at odd
//! places and guards around them.

use std::sync::Arc;

use super::{array::Array, random::Random, reference};
#[cfg(target_vendor = "apple")]
use crate::metal::{open_device, open_instance};
#[cfg(not(target_vendor = "apple"))]
use crate::vulkan::{open_device, open_instance};
use crate::{
    Buffer, Device, DeviceKind, Faults, OpenOptions, Tensor, Validation,
    backend::{Action, BackendDevice, Step, Work},
    op::Op,
};

/// What lies around every tensor, and must still be there afterwards.
const GUARD: u8 = 0xa5;

/// A device, opened.
pub(super) struct Rig {
    backend: Arc<dyn BackendDevice>,
}

impl Rig {
    pub(super) fn open() -> Self {
        Self::with(OpenOptions::default())
    }

    /// A device on which one kernel argument covers at most `bytes`.
    pub(super) fn with_bindings_of(bytes: u64) -> Self {
        Self::with(OpenOptions { max_binding_bytes: Some(bytes), ..OpenOptions::default() })
    }

    /// A device that runs `instead` where lowering asks for `kernel`: how a variant for others is tried here.
    pub(super) fn with_variant(kernel: &'static str, instead: &'static str) -> Self {
        let faults = Faults { swap_kernel: Some((kernel, instead)), ..Faults::default() };
        Self::with(OpenOptions { faults, ..OpenOptions::default() })
    }

    fn with(options: OpenOptions) -> Self {
        let options = OpenOptions { validation: Validation::Core, ..options };
        let missing = "run scripts/setup gpu";
        let instance = open_instance(&options).unwrap_or_else(|e| panic!("{e}; {missing}"));
        let devices = instance.devices().unwrap_or_else(|e| panic!("{e}; {missing}"));
        let (_, handle) = devices
            .into_iter()
            .find(|(device, _)| cfg!(target_vendor = "apple") || device.kind == DeviceKind::Software)
            .unwrap_or_else(|| panic!("no device to test on; {missing}"));
        let backend = open_device(&instance, &handle, &options).unwrap_or_else(|e| panic!("{e}"));
        Self { backend }
    }

    /// Runs `op` and compares its result with f64.
    pub(super) fn check(&self, op: &Op<Array>, random: &mut Random) {
        let (got, place) = self.run(op, random);
        for (got, expected) in got.iter().zip(&reference::expected(op)) {
            assert_eq!(got.len(), expected.len(), "{}", op.name());
            for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
                assert!(
                    expected.admits(*got),
                    "{} {place}: element {i} is {got:e}, not {:e} ± {:e}",
                    op.name(),
                    expected.value,
                    expected.tolerance,
                );
            }
        }
    }

    /// Runs `op`; gives its outputs and the shapes for messages.
    pub(super) fn run(&self, op: &Op<Array>, random: &mut Random) -> (Vec<Vec<f64>>, String) {
        let device = Device::over(Arc::clone(&self.backend));
        let mut placed: Vec<Placed> = Vec::new();
        let mut outputs = Vec::new();
        let tensors = op.try_map(&mut |array, access| {
            let at = array.same_as.unwrap_or(placed.len());
            if at == placed.len() {
                placed.push(Placed::new(&device, array, random));
            }
            if access.writes() {
                outputs.push(at);
            }
            Ok::<_, crate::Error>(placed[at].tensor.clone())
        });
        let steps = vec![Step { action: Action::Op(tensors.unwrap()), barrier: false }];
        let pending =
            self.backend.submit(&Work { steps, timed: false }).unwrap_or_else(|e| panic!("{op:?}: {e}"));
        assert!(pending.wait(None).unwrap());
        let place = placed.iter().map(|p| format!("{:?}{:?}@{}", p.array.dtype, p.array.shape, p.before));
        let place = place.collect::<Vec<_>>().join(" ");
        let mut contents: Vec<Vec<f64>> = Vec::new();
        for (at, placed) in placed.iter().enumerate() {
            let bytes = placed.contents();
            let untouched = outputs.contains(&at) || bytes == placed.array.encode();
            assert!(untouched, "{} {place}: an input was written", op.name());
            contents.push(placed.array.decode(&bytes));
        }
        (outputs.into_iter().map(|at| contents[at].clone()).collect(), place)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.backend.validation_messages(), Vec::<String>::new());
        }
    }
}

/// A tensor in the middle of a buffer.
struct Placed {
    array: Array,
    tensor: Tensor,
    buffer: Buffer,
    before: usize,
    after: usize,
}

impl Placed {
    fn new(device: &Device, array: &Array, random: &mut Random) -> Self {
        let bytes = array.encode();
        let before = match array.after {
            Some(bytes) => 16 * random.between(0, 20) + bytes,
            None => 4 * random.between(0, 80),
        } as usize;
        let after = random.between(4, 40) as usize;
        let whole = [vec![GUARD; before], bytes, vec![GUARD; after]].concat();
        let buffer = device.allocate(whole.len() as u64).unwrap();
        buffer.write(0, &whole).unwrap();
        let tensor = Tensor::new(&buffer, before as u64, array.dtype, array.shape.dims()).unwrap();
        Self { array: array.clone(), tensor, buffer, before, after }
    }

    /// The tensor's bytes, after looking at what is around them.
    fn contents(&self) -> Vec<u8> {
        let mut whole = vec![0; self.buffer.size() as usize];
        self.buffer.read(0, &mut whole).unwrap();
        let after = whole.split_off(whole.len() - self.after);
        let contents = whole.split_off(self.before);
        let untouched = |bytes: &[u8]| bytes.iter().all(|&b| b == GUARD);
        assert!(untouched(&whole) && untouched(&after), "{:?}: bytes around it were written", self.tensor);
        contents
    }
}
