//! What a step computes in: allocated once for the largest step, and used by every layer in turn.

use exo_gpu::{Buffer, DType, Device, Tensor};

use crate::{
    Architecture, Result,
    config::{Layer, Mixer},
};

/// Rows of logits in one step: the chats that can be answered at once.
pub(super) const MAX_LOGITS: u32 = 16;

#[derive(Debug)]
pub(super) struct Scratch {
    /// The residual stream.
    stream: Buffer,
    /// What a norm, or a matrix that leads back into the stream, gives.
    side: Buffer,
    /// What a mixer makes of its inputs before it mixes; then gate and up.
    wide: Buffer,
    /// What a mixer gives.
    mixed: Buffer,
    /// The stream's rows whose logits are wanted.
    last: Buffer,
    logits: Buffer,
    /// What the layers are told of each row, twice.
    reminders: Option<Buffer>,
}

/// The widths of the buffers, in elements of a row.
struct Widths {
    hidden: u32,
    wide: u32,
    mixed: u32,
    vocabulary: u32,
    reminders: u32,
}

impl Widths {
    fn of(architecture: &Architecture) -> Self {
        let layers = architecture.layers.iter();
        let reminder = architecture.reminders.map_or(0, |reminders| reminders.width);
        let wide = layers.clone().map(|layer| mixer_widths(layer).0.max(2 * layer.mlp));
        let mixed = layers.map(|layer| mixer_widths(layer).1);
        Self {
            hidden: architecture.hidden,
            wide: wide.max().unwrap_or(0).max(reminder),
            mixed: mixed.max().unwrap_or(0),
            vocabulary: architecture.vocabulary,
            reminders: 2 * reminder * architecture.layers.len() as u32,
        }
    }

    /// Bytes of each buffer: those with a row for each row of a step, and those with a row for each row of logits.
    fn bytes(&self, rows: u32) -> [u64; 6] {
        let of = |rows: u32, width: u32| u64::from(rows) * u64::from(width) * 4;
        [
            of(rows, self.hidden),
            of(rows, self.hidden),
            of(rows, self.wide),
            of(rows, self.mixed),
            of(MAX_LOGITS, self.hidden),
            of(MAX_LOGITS, self.vocabulary),
        ]
    }

    /// Bytes of the reminders, if the model has any.
    fn reminder_bytes(&self, rows: u32) -> Option<u64> {
        (self.reminders > 0).then_some(u64::from(rows) * u64::from(self.reminders) * 4)
    }
}

/// Of a layer's mixer: what it makes of its inputs, and what it gives.
fn mixer_widths(layer: &Layer) -> (u32, u32) {
    match &layer.mixer {
        Mixer::Attention(a) => {
            let queries = if a.has_gate { 2 * a.heads } else { a.heads };
            ((queries + 2 * a.kv_heads) * a.head, a.heads * a.head)
        }
        // The convolution's inputs and what it gives, the gate, strengths and decays.
        Mixer::Delta(d) => (2 * d.channels() + d.values() + 2 * d.heads, d.values()),
    }
}

impl Scratch {
    pub(super) fn new(device: &Device, architecture: &Architecture, rows: u32) -> Result<Self> {
        let widths = Widths::of(architecture);
        let [stream, side, wide, mixed, last, logits] =
            widths.bytes(rows).map(|bytes| device.allocate(bytes));
        let reminders = widths.reminder_bytes(rows).map(|bytes| device.allocate(bytes));
        Ok(Self {
            stream: stream?,
            side: side?,
            wide: wide?,
            mixed: mixed?,
            last: last?,
            logits: logits?,
            reminders: reminders.transpose()?,
        })
    }

    pub(super) fn bytes(architecture: &Architecture, rows: u32) -> u64 {
        let widths = Widths::of(architecture);
        widths.bytes(rows).iter().sum::<u64>() + widths.reminder_bytes(rows).unwrap_or(0)
    }

    pub(super) fn stream(&self, rows: u32, width: u32) -> Result<Tensor> {
        view(&self.stream, &[rows, width])
    }

    pub(super) fn side(&self, rows: u32, width: u32) -> Result<Tensor> {
        view(&self.side, &[rows, width])
    }

    /// Two of them.
    pub(super) fn reminders(&self, rows: u32, width: u32) -> Result<[Tensor; 2]> {
        let buffer = self.reminders.as_ref().unwrap_or(&self.wide);
        let half = u64::from(rows) * u64::from(width) * 4;
        let at = |offset| Tensor::new(buffer, offset, DType::F32, &[rows, width]);
        Ok([at(0)?, at(half)?])
    }

    pub(super) fn mixed(&self, dims: &[u32; 3]) -> Result<Tensor> {
        view(&self.mixed, dims)
    }

    /// Several tensors one after the other, each of `rows` rows.
    pub(super) fn wide<const N: usize>(&self, rows: u32, widths: [u32; N]) -> Result<[Tensor; N]> {
        let mut offset = 0;
        let views = widths.map(|width| {
            let at = offset;
            offset += u64::from(rows) * u64::from(width) * 4;
            Tensor::new(&self.wide, at, DType::F32, &[rows, width])
        });
        let mut result = Vec::with_capacity(N);
        for view in views {
            result.push(view?);
        }
        result.try_into().map_err(|_| exo_gpu::Error::Closed { what: "scratch" }.into())
    }

    pub(super) fn last(&self, rows: u32, width: u32) -> Result<Tensor> {
        view(&self.last, &[rows, width])
    }

    pub(super) fn logits(&self, rows: u32, width: u32) -> Result<Tensor> {
        view(&self.logits, &[rows, width])
    }
}

fn view(buffer: &Buffer, dims: &[u32]) -> Result<Tensor> {
    Ok(Tensor::new(buffer, 0, DType::F32, dims)?)
}
