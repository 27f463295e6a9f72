//! Layers whose weights lie in the host's memory, because the device is short of its own.
//!
//! The device reads them over the bus, so a step takes longer. It is the same work on the same bytes: nobody's tokens
//! change, and texts that run do not notice. The last layers go first, some at a time. They stay there: whoever wants the
//! speed back when there is memory again loads the model anew.

use super::{Model, room::is_short_of_memory};
use crate::Result;

/// Of all layers, the part that goes at once.
const PARTS: usize = 4;

impl Model {
    /// How many layers have their weights in the host's memory though the device has memory of its own.
    pub fn layers_on_host(&self) -> usize {
        if self.device.offloaded() == 0 {
            return 0;
        }
        let is_on_host = |i: &usize| self.weights_of(*i).all(|tensor| tensor.buffer().is_offloaded());
        (0..self.weights.layers.len()).rev().take_while(is_on_host).count()
    }

    /// Moves the weights of some more layers to the host's memory. Returns how many bytes of the device came back: none
    /// where it shares its memory with the host, where the host has none to spare, or when all layers are there.
    pub(crate) fn offload_layers(&mut self) -> Result<u64> {
        if !self.device.has_own_memory() {
            return Ok(0);
        }
        let before = self.plan.weights;
        let layers = self.weights.layers.len();
        let left = layers - self.layers_on_host();
        let result = (left.saturating_sub(layers.div_ceil(PARTS))..left)
            .rev()
            .flat_map(|i| self.weights_of(i))
            .try_for_each(|tensor| tensor.buffer().offload().map(drop));
        self.count_memory();
        match result.map_err(crate::Error::from) {
            Err(error) if !is_short_of_memory(&error) => Err(error),
            _ => Ok(before.saturating_sub(self.plan.weights)),
        }
    }

    /// Bytes of weights in the host's memory.
    pub(super) fn weights_on_host(&self) -> u64 {
        if self.device.offloaded() == 0 {
            return 0;
        }
        let all = (0..self.weights.layers.len()).flat_map(|i| self.weights_of(i));
        all.filter(|tensor| tensor.buffer().is_offloaded()).map(|tensor| tensor.bytes()).sum()
    }

    fn weights_of(&self, layer: usize) -> impl Iterator<Item = exo_gpu::Tensor> {
        self.weights.layers[layer].tensors().into_iter()
    }
}
