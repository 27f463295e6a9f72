//! One step through the layers.

use std::f32::consts::FRAC_1_SQRT_2;

use exo_gpu::{Batch, Tensor, Weight};

use super::{Model, inputs::Placed, layer::LayerRun};
use crate::{
    Result,
    cache::{Grade, Sequence},
    config::Reminders,
};

/// Rows to run, and the sequences that they belong to, which are of one grade. Their positions are reserved.
pub(crate) struct Step<'a> {
    pub(crate) sequences: &'a [&'a Sequence],
    pub(crate) rows: &'a [Row],
}

/// One token of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) token: u32,
    /// Index into the step's sequences.
    pub(crate) sequence: usize,
    pub(crate) position: u32,
    /// Whether what follows it is asked for.
    pub(crate) is_wanted: bool,
}

/// What a step gives for the rows that want it, one after the other.
pub(crate) enum Wanted<'a> {
    /// The logits of the next token.
    Logits(&'a mut Vec<f32>),
    /// The residual stream of *every* row, for whoever runs the next layers.
    Stream(&'a mut Vec<f32>),
}

/// Takes this slice's part of a sum, and puts the sum of all slices in its place.
pub(crate) type Reduce<'a> = &'a mut dyn FnMut(&mut [f32]) -> Result<()>;

impl Model {
    /// Runs a step. `stream` holds the rows' residual stream where the layers before are run elsewhere; `reduce` is for
    /// a slice, and only for one.
    pub(crate) fn step(
        &mut self,
        step: &Step<'_>,
        stream: Option<&[f32]>,
        wanted: Wanted<'_>,
        mut reduce: Option<Reduce<'_>>,
    ) -> Result<()> {
        if self.is_slice != reduce.is_some() {
            return Err(crate::Error::InvalidRequest {
                what: "a step",
                asked: if self.is_slice { "a slice alone" } else { "a sum of whole layers" }.into(),
                allowed: "slices with whoever adds them, and whole layers without".into(),
            });
        }
        let grade = step.sequences.first().map_or(Grade::Full, |sequence| sequence.grade());
        let slabs = match (grade, &self.small_slabs) {
            (Grade::Small, Some(small)) => small,
            _ => &self.slabs,
        };
        if step.sequences.iter().any(|sequence| sequence.grade() != grade) {
            return Err(crate::Error::InvalidRequest {
                what: "a step",
                asked: "sequences with a full and with a small cache".into(),
                allowed: "one kind of cache".into(),
            });
        }
        let inputs = self.inputs.place(step, &self.pools)?;
        let rows = step.rows.len() as u32;
        let hidden = self.architecture.hidden;
        let x = self.scratch.stream(rows, hidden)?;
        let mut batch = self.device.batch();
        let reminders = self.reminders(&inputs, rows, &mut batch)?;
        match (stream, &self.weights.embedding) {
            (None, Some(_)) => self.embed(&inputs, &x, &mut batch)?,
            (Some(stream), _) if stream.len() as u64 == x.shape().elements() => {
                x.buffer().write(0, bytemuck::cast_slice(stream))?;
            }
            (given, _) => {
                return Err(crate::Error::InvalidRequest {
                    what: "a step's residual stream",
                    asked: format!("{} numbers", given.map_or(0, <[f32]>::len)),
                    allowed: format!("{} for {rows} rows of {hidden}", x.shape().elements()),
                });
            }
        }
        let run = LayerRun { model: self, inputs: &inputs, reminders: reminders.as_ref(), x: &x, slabs };
        for i in 0..self.weights.layers.len() {
            run.layer(i, &mut batch, &mut reduce)?;
        }
        self.finish(batch, &x, &inputs, wanted)
    }

    /// The residual stream before the first layer.
    fn embed(&self, inputs: &Placed, x: &Tensor, batch: &mut Batch) -> Result<()> {
        if let Some(table) = &self.weights.embedding {
            batch.gather(&table.only().weight, &inputs.ids, x)?;
        }
        if self.architecture.embedding_scale != 1.0 {
            batch.scale(x, self.architecture.embedding_scale, x)?;
        }
        Ok(())
    }

    /// What every layer is told of each row, layer after layer: `[layers, rows, width]`.
    fn reminders(&self, inputs: &Placed, rows: u32, batch: &mut Batch) -> Result<Option<Tensor>> {
        let (Some(parts), Some(Reminders { width, .. })) =
            (&self.weights.reminders, self.architecture.reminders)
        else {
            return Ok(None);
        };
        let (layers, hidden) = (self.architecture.layers.len() as u32, self.architecture.hidden);
        let embedded = self.scratch.side(rows, hidden)?;
        self.embed(inputs, &embedded, batch)?;
        let [told, seen] = self.scratch.reminders(rows, layers * width)?;
        batch.gather(&parts.table.only().weight, &inputs.ids, &told)?;
        batch.scale(&told, (width as f32).sqrt(), &told)?;
        parts.projection.only().apply(batch, &embedded, &seen)?;
        batch.scale(&seen, (hidden as f32).sqrt().recip(), &seen)?;
        let by_rows = seen.reshaped(&[rows * layers, width])?;
        batch.rmsnorm(&by_rows, &parts.norm, self.architecture.epsilon, &by_rows)?;
        batch.add(&seen, &told, &seen)?.scale(&seen, FRAC_1_SQRT_2, &seen)?;
        // Turned, so that a layer finds its rows together.
        let by_layers = told.reshaped(&[layers * rows, width])?;
        if let Some(turned) = &inputs.by_layers {
            batch.gather(&Weight::Dense(by_rows), turned, &by_layers)?;
        }
        Ok(Some(by_layers))
    }

    /// From the stream to what is wanted. Only the rows that are wanted pass the head, which is the largest matrix.
    fn finish(&self, mut batch: Batch, x: &Tensor, inputs: &Placed, wanted: Wanted<'_>) -> Result<()> {
        let out = match wanted {
            Wanted::Stream(out) => {
                batch.submit()?.wait()?;
                return read(x, out);
            }
            Wanted::Logits(out) => out,
        };
        let head = self.weights.head.as_ref().or(self.weights.embedding.as_ref());
        let (Some(rows), Some(norm), Some(head)) = (&inputs.wanted, &self.weights.norm, head) else {
            // Nobody wants anything: a chunk in the middle of a prompt.
            batch.submit()?.wait()?;
            return Ok(());
        };
        let count = rows.shape().elements() as u32;
        let last = self.scratch.last(count, self.architecture.hidden)?;
        batch.gather(&Weight::Dense(x.clone()), rows, &last)?;
        batch.rmsnorm(&last, norm, self.architecture.epsilon, &last)?;
        let logits = self.scratch.logits(count, self.architecture.vocabulary)?;
        head.only().apply(&mut batch, &last, &logits)?;
        if let Some(cap) = self.architecture.logit_cap {
            batch.softcap(&logits, cap, &logits)?;
        }
        batch.submit()?.wait()?;
        read(&logits, out)
    }
}

pub(super) fn read(tensor: &Tensor, to: &mut Vec<f32>) -> Result<()> {
    to.resize(tensor.shape().elements() as usize, 0.0);
    tensor.buffer().read(tensor.offset(), bytemuck::cast_slice_mut(to))?;
    Ok(())
}
