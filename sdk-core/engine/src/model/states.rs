//! Where the states of layers that remember in one lie: two tensors a layer, each with a row for every slot
//! that there is memory for.

use exo_gpu::{DType, Device, Tensor};

use crate::{
    Result,
    config::{DeltaNet, Layer},
};

/// The states of all layers that are run here.
#[derive(Debug)]
pub(super) struct States {
    layers: Vec<Option<State>>,
}

/// One layer's.
#[derive(Debug)]
pub(super) struct State {
    /// The last inputs of the convolution: `[slots, taps - 1, channels]`.
    pub(super) inputs: Tensor,
    /// What the delta rule remembers: `[slots, heads, value, key]`.
    pub(super) memory: Tensor,
}

impl States {
    pub(super) fn new(device: &Device, layers: &[Layer], slots: u32) -> Result<Self> {
        let state = |d: &DeltaNet| -> Result<State> {
            Ok(State {
                inputs: device.tensor(DType::F32, &[slots, d.taps - 1, d.channels()])?,
                memory: device.tensor(DType::F32, &[slots, d.heads, d.value, d.key])?,
            })
        };
        let layers = layers.iter().map(|layer| layer.delta().map(state).transpose());
        Ok(Self { layers: layers.collect::<Result<_>>()? })
    }

    /// What `slots` of them take; nothing if no layer has one.
    pub(super) fn bytes(layers: &[Layer], slots: u32) -> u64 {
        let slot = |d: &DeltaNet| {
            let inputs = u64::from(d.taps - 1) * u64::from(d.channels());
            (inputs + u64::from(d.values()) * u64::from(d.key)) * DType::F32.bytes()
        };
        layers.iter().filter_map(Layer::delta).map(slot).sum::<u64>() * u64::from(slots)
    }

    /// Every tensor, with its rows of slots.
    pub(super) fn tensors(&mut self) -> impl Iterator<Item = &mut Tensor> {
        self.layers.iter_mut().flatten().flat_map(|state| [&mut state.inputs, &mut state.memory])
    }

    /// That of a layer which has one.
    pub(super) fn layer(&self, i: usize) -> Option<&State> {
        self.layers.get(i)?.as_ref()
    }
}
