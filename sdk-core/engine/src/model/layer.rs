//! One layer of a step.

use exo_gpu::{Batch, Tensor};

use super::{Model, inputs::Placed};
use crate::{
    Error, Result,
    cache::PAGE,
    config::{Activation, Layer},
    weights::{LayerParts, ReminderGate, Stack, Vector},
};

/// What all layers of a step share.
pub(super) struct LayerRun<'a> {
    pub(super) model: &'a Model,
    pub(super) inputs: &'a Placed,
    /// What each layer is told of each row, layer after layer.
    pub(super) reminders: Option<&'a Tensor>,
    /// The residual stream.
    pub(super) x: &'a Tensor,
}

impl LayerRun<'_> {
    /// Runs the layer: the stream in, the stream out.
    pub(super) fn layer(&self, i: usize, batch: &mut Batch) -> Result<()> {
        let Self { model, x, .. } = self;
        let weights = &model.weights.layers[i];
        let layer = &model.architecture.layers[model.layers.start + i];
        let side = model.scratch.side(self.rows(), model.architecture.hidden)?;
        self.norm(x, &weights.attention_norm, &side, batch)?;
        let mixed = self.attention(i, layer, weights, &side, batch)?;
        weights.output.only().apply(batch, &mixed, &side)?;
        self.return_to_stream(&side, weights.norm_behind_attention.as_ref(), batch)?;
        self.norm(x, &weights.mlp_norm, &side, batch)?;
        self.mlp(layer, weights, &side, batch)?;
        self.return_to_stream(&side, weights.norm_behind_mlp.as_ref(), batch)?;
        if let (Some(gate), Some(reminders)) = (&weights.reminder, self.reminders) {
            self.remind(i, gate, reminders, &side, batch)?;
        }
        if let Some(scalar) = &weights.scalar {
            batch.mul(x, scalar, x)?;
        }
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
        layer: &Layer,
        weights: &LayerParts<Stack, Vector>,
        x: &Tensor,
        batch: &mut Batch,
    ) -> Result<Tensor> {
        let (model, a, rows) = (self.model, &layer.attention, self.rows());
        let (queries, keys) = (a.heads * a.head, a.kv_heads * a.head);
        let angles = self.inputs.angles(model.layers.start + i);
        let by_heads = |t: &Tensor, heads| t.reshaped(&[rows, heads, a.head]);
        let [q, k, v] = model.scratch.wide(rows, [queries, keys, keys])?;
        let (q3, k3, v3) = (by_heads(&q, a.heads)?, by_heads(&k, a.kv_heads)?, by_heads(&v, a.kv_heads)?);
        weights.qkv.apply(batch, x, &[q, k, v])?;
        let norms = [(&q3, &weights.query_norm), (&k3, &weights.key_norm), (&v3, &weights.value_norm)];
        for (heads, norm) in norms {
            if let Some(norm) = norm {
                self.norm(heads, norm, heads, batch)?;
            }
        }
        batch.rope(&q3, angles, a.rope.pairs, &q3)?;
        let owner = a.reads_keys_of.map_or(Some(i), |owner| owner.checked_sub(model.layers.start));
        let Some(slab) = owner.and_then(|owner| model.slabs.layer(owner)) else {
            // `Drawing` refuses a range of layers without the keys that they read.
            return Err(Error::InvalidRequest {
                what: "a step",
                asked: format!("layer {i} without its keys"),
                allowed: "layers with the keys that they read".into(),
            });
        };
        if a.reads_keys_of.is_none() {
            batch.rope(&k3, angles, a.rope.pairs, &k3)?;
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
        Ok(mixed.reshaped(&[rows, queries])?)
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
