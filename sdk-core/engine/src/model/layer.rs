//! One layer of a step.

use exo_gpu::{Batch, RopePairs, Tensor};

use super::{
    Model,
    forward::{Reduce, read},
    inputs::Placed,
    slabs::Slabs,
};
use crate::{
    Error, Result,
    cache::PAGE,
    config::{Activation, Attention, DeltaNet, Layer, Mixer},
    weights::{AttentionParts, DeltaParts, LayerParts, MixerParts, ReminderGate, Stack, Vector},
};

/// The epsilon of the norms of queries and keys in a layer with a state, whatever the model's other norms have.
const QK_EPSILON: f32 = 1e-6;

/// What all layers of a step share.
pub(super) struct LayerRun<'a> {
    pub(super) model: &'a Model,
    pub(super) inputs: &'a Placed,
    /// What each layer is told of each row, layer after layer.
    pub(super) reminders: Option<&'a Tensor>,
    /// The residual stream.
    pub(super) x: &'a Tensor,
    /// Keys and values of the grade of all its sequences.
    pub(super) slabs: &'a Slabs,
}

impl LayerRun<'_> {
    /// Runs the layer: the stream in, the stream out.
    pub(super) fn layer(&self, i: usize, batch: &mut Batch, reduce: &mut Option<Reduce<'_>>) -> Result<()> {
        let Self { model, x, .. } = self;
        let weights = &model.weights.layers[i];
        let layer = &model.architecture.layers[model.layers.start + i];
        let side = model.scratch.side(self.rows(), model.architecture.hidden)?;
        self.norm(x, &weights.mixer_norm, &side, batch)?;
        let mixed = match (&layer.mixer, &weights.mixer) {
            (Mixer::Attention(a), MixerParts::Attention(parts)) => {
                self.attention(i, a, parts, &side, batch)?
            }
            (Mixer::Delta(d), MixerParts::Delta(parts)) => self.delta(i, *d, parts, &side, batch)?,
            _ => return Err(unknown(format!("layer {i} with the weights of another kind"))),
        };
        weights.output.only().apply(batch, &mixed, &side)?;
        self.reduced(&side, batch, reduce)?;
        self.return_to_stream(&side, weights.norm_behind_attention.as_ref(), batch)?;
        self.norm(x, &weights.mlp_norm, &side, batch)?;
        self.mlp(layer, weights, &side, batch)?;
        self.reduced(&side, batch, reduce)?;
        self.return_to_stream(&side, weights.norm_behind_mlp.as_ref(), batch)?;
        if let (Some(gate), Some(reminders)) = (&weights.reminder, self.reminders) {
            self.remind(i, gate, reminders, &side, batch)?;
        }
        if let Some(scalar) = &weights.scalar {
            batch.mul(x, scalar, x)?;
        }
        Ok(())
    }

    /// Where this is a slice: what it computed so far leaves the device as a part of a sum, and the sum comes back.
    fn reduced(&self, side: &Tensor, batch: &mut Batch, reduce: &mut Option<Reduce<'_>>) -> Result<()> {
        let Some(reduce) = reduce else { return Ok(()) };
        std::mem::replace(batch, self.model.device.batch()).submit()?.wait()?;
        let mut sums = Vec::new();
        read(side, &mut sums)?;
        reduce(&mut sums)?;
        side.buffer().write(side.offset(), bytemuck::cast_slice(&sums))?;
        Ok(())
    }

    fn rows(&self) -> u32 {
        self.x.shape().rows() as u32
    }

    fn norm(&self, x: &Tensor, weight: &Vector, y: &Tensor, batch: &mut Batch) -> Result<()> {
        batch.rmsnorm(x, weight, self.model.architecture.epsilon, y)?;
        Ok(())
    }

    /// Adds what a part of the layer gave.
    fn return_to_stream(&self, side: &Tensor, norm: Option<&Vector>, batch: &mut Batch) -> Result<()> {
        if let Some(norm) = norm {
            self.norm(side, norm, side, batch)?;
        }
        batch.add(self.x, side, self.x)?;
        Ok(())
    }

    /// Attention over what a norm gave, up to the output matrix.
    fn attention(
        &self,
        i: usize,
        a: &Attention,
        weights: &AttentionParts<Stack, Vector>,
        x: &Tensor,
        batch: &mut Batch,
    ) -> Result<Tensor> {
        let (model, rows) = (self.model, self.rows());
        let (queries, keys) = (a.heads * a.head, a.kv_heads * a.head);
        let angles = self.inputs.angles(model.layers.start + i);
        let by_heads = |t: &Tensor, heads| t.reshaped(&[rows, heads, a.head]);
        let [q, k, v] = model.scratch.wide(rows, [queries, keys, keys])?;
        let gate = a.has_gate.then(|| model.scratch.wide(rows, [queries, keys, keys, queries]));
        let gate = gate.transpose()?.map(|[.., gate]| gate);
        let (q3, k3, v3) = (by_heads(&q, a.heads)?, by_heads(&k, a.kv_heads)?, by_heads(&v, a.kv_heads)?);
        let outputs: Vec<_> = [q, k, v].into_iter().chain(gate.clone()).collect();
        weights.inputs.apply(batch, x, &outputs)?;
        let norms = [(&q3, &weights.query_norm), (&k3, &weights.key_norm), (&v3, &weights.value_norm)];
        for (heads, norm) in norms {
            if let Some(norm) = norm {
                self.norm(heads, norm, heads, batch)?;
            }
        }
        let pairs = if a.rope.turns_neighbours { RopePairs::Neighbours } else { RopePairs::Halves };
        batch.rope(&q3, angles, pairs, &q3)?;
        let owner = a.reads_keys_of.map_or(Some(i), |owner| owner.checked_sub(model.layers.start));
        let Some(slab) = owner.and_then(|owner| self.slabs.layer(owner)) else {
            // `Drawing` refuses a range of layers without the keys that they read.
            return Err(unknown(format!("layer {i} without its keys")));
        };
        if a.reads_keys_of.is_none() {
            batch.rope(&k3, angles, pairs, &k3)?;
            let slots = &self.inputs.slots;
            batch.store(&k3, slots, &slab.keys)?.store(&v3, slots, &slab.values)?;
        }
        let mixed = model.scratch.mixed(&[rows, a.heads, a.head])?;
        batch.attention(exo_gpu::Attention {
            q: &q3,
            keys: &slab.keys,
            values: &slab.values,
            pages: &self.inputs.pages,
            rows: &self.inputs.rows,
            page: PAGE,
            scale: a.scale,
            window: a.window,
            y: &mixed,
        })?;
        let mixed = mixed.reshaped(&[rows, queries])?;
        if let Some(gate) = gate {
            batch.sigmoid_mul(&gate, &mixed, &mixed)?;
        }
        Ok(mixed)
    }

    /// A layer with a state over what a norm gave, up to the output matrix.
    fn delta(
        &self,
        i: usize,
        d: DeltaNet,
        weights: &DeltaParts<Stack, Vector>,
        x: &Tensor,
        batch: &mut Batch,
    ) -> Result<Tensor> {
        let (model, rows, channels) = (self.model, self.rows(), d.channels());
        let widths = [channels, d.values(), d.heads, d.heads, channels];
        let [inputs, gate, strength, decay, qkv] = model.scratch.wide(rows, widths)?;
        weights.inputs.apply(batch, x, &[inputs.clone(), gate.clone(), strength.clone(), decay.clone()])?;
        let Some(state) = model.states.layer(i) else {
            return Err(unknown(format!("layer {i} without its state")));
        };
        let runs = &self.inputs.runs;
        batch.convolve(exo_gpu::Convolution {
            x: &inputs,
            weight: &weights.taps.reshaped(&[d.taps, channels])?,
            state: &state.inputs,
            runs,
            y: &qkv,
        })?;
        let mixed = model.scratch.mixed(&[rows, d.heads, d.value])?;
        batch.gated_delta(exo_gpu::GatedDelta {
            qkv: &qkv,
            decay: &decay,
            strength: &strength,
            constants: &weights.constants.reshaped(&[2, d.heads])?,
            state: &state.memory,
            runs,
            epsilon: QK_EPSILON,
            y: &mixed,
        })?;
        self.norm(&mixed, &weights.norm, &mixed, batch)?;
        let mixed = mixed.reshaped(&[rows, d.values()])?;
        batch.silu_mul(&gate, &mixed, &mixed)?;
        Ok(mixed)
    }

    /// The MLP over what a norm gave, in its place.
    fn mlp(
        &self,
        layer: &Layer,
        weights: &LayerParts<Stack, Vector>,
        side: &Tensor,
        batch: &mut Batch,
    ) -> Result<()> {
        let [gate, up] = self.model.scratch.wide(self.rows(), [layer.mlp, layer.mlp])?;
        weights.gate_up.apply(batch, side, &[gate.clone(), up.clone()])?;
        match layer.activation {
            Activation::Silu => batch.silu_mul(&gate, &up, &gate)?,
            Activation::Gelu => batch.gelu_mul(&gate, &up, &gate)?,
        };
        weights.down.only().apply(batch, &gate, side)
    }

    /// Tells the layer of each row's token anew, as far as the stream lets it in.
    fn remind(
        &self,
        i: usize,
        parts: &ReminderGate<Stack, Vector>,
        reminders: &Tensor,
        side: &Tensor,
        batch: &mut Batch,
    ) -> Result<()> {
        let (rows, width) = (self.rows(), parts.gate.only().rows());
        let number = (self.model.layers.start + i) as u64;
        let at = reminders.offset() + number * u64::from(rows) * u64::from(width) * 4;
        let told = Tensor::new(reminders.buffer(), at, reminders.dtype(), &[rows, width])?;
        let [gate] = self.model.scratch.wide(rows, [width])?;
        parts.gate.only().apply(batch, self.x, &gate)?;
        batch.gelu_mul(&gate, &told, &gate)?;
        parts.projection.only().apply(batch, &gate, side)?;
        self.return_to_stream(side, Some(&parts.norm), batch)
    }
}

/// `Drawing` and the blueprint see to it that this does not happen.
fn unknown(asked: String) -> Error {
    Error::InvalidRequest {
        what: "a step",
        asked,
        allowed: "layers with their own weights, keys and states".into(),
    }
}
