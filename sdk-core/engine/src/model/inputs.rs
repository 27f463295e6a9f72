//! What the host tells the device with every step: tokens, angles, and where everything lies in the cache.
//!
//! One buffer, written once a step.

use exo_gpu::{Buffer, DType, Device, Tensor};

use super::{Step, forward::Row, scratch::MAX_LOGITS};
use crate::{
    Architecture, Attention, Error, Result, Rope,
    cache::{PAGE, Pools, Sequence},
};

#[derive(Debug)]
pub(super) struct Inputs {
    buffer: Buffer,
    /// What goes into it, before it does.
    words: Vec<u32>,
    /// The distinct ropes of the model's layers.
    ropes: Vec<Rope>,
    /// Which of them each layer of the model has.
    rope_of_layer: Vec<usize>,
    rows: u32,
    pages: u32,
    /// Layers of the model, where each row's reminders are turned by them.
    layers: Option<u32>,
}

/// The parts of the buffer for one step.
pub(super) struct Placed {
    pub(super) ids: Tensor,
    /// Where each row's keys and values go.
    pub(super) slots: Tensor,
    /// For each row: where its sequence's pages begin in `pages`, and its position.
    pub(super) rows: Tensor,
    pub(super) pages: Tensor,
    /// For each sequence: its states before and after the step, its first row, and how many it has.
    pub(super) runs: Tensor,
    /// Of each distinct rope.
    angles: Vec<Tensor>,
    rope_of_layer: Vec<usize>,
    /// The rows whose logits are wanted; `None` if there are none.
    pub(super) wanted: Option<Tensor>,
    /// Where the reminders of each layer and row are, among those of each row and layer.
    pub(super) by_layers: Option<Tensor>,
}

impl Placed {
    /// The angles for a layer of the model.
    pub(super) fn angles(&self, layer: usize) -> &Tensor {
        &self.angles[self.rope_of_layer[layer]]
    }
}

impl Inputs {
    pub(super) fn new(device: &Device, architecture: &Architecture, rows: u32, context: u32) -> Result<Self> {
        let (ropes, rope_of_layer) = distinct(architecture);
        let bytes = Self::bytes(architecture, rows, context);
        Ok(Self {
            buffer: device.allocate(bytes)?,
            words: Vec::with_capacity(bytes as usize / 4),
            ropes,
            rope_of_layer,
            rows,
            pages: context / PAGE,
            layers: turned_layers(architecture),
        })
    }

    pub(super) fn bytes(architecture: &Architecture, rows: u32, context: u32) -> u64 {
        let angles: u32 = distinct(architecture).0.iter().map(Rope::dims).sum();
        // A step's sequences never hold more pages than there are, but shared ones are listed by each of them.
        let pages = u64::from(context / PAGE) * u64::from(MAX_LOGITS);
        let turned = turned_layers(architecture).unwrap_or(0);
        (u64::from(rows) * u64::from(4 + angles + turned) + 5 * u64::from(MAX_LOGITS) + pages) * 4
    }

    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// Writes down a step.
    pub(super) fn place(&mut self, step: &Step<'_>, pools: &Pools) -> Result<Placed> {
        let count = step.rows.len() as u32;
        let wanted: Vec<u32> = (0..count).filter(|&i| step.rows[i as usize].is_wanted).collect();
        if count == 0 || count > self.rows || wanted.len() as u32 > MAX_LOGITS {
            return Err(Error::InvalidRequest {
                what: "a step",
                asked: format!("{count} rows, {} with logits", wanted.len()),
                allowed: format!("1 to {} rows, at most {MAX_LOGITS} with logits", self.rows),
            });
        }
        let (tables, firsts) = tables(step.sequences, pools);
        let runs = runs(step, pools);
        if tables.len() as u64 > u64::from(self.pages) * u64::from(MAX_LOGITS)
            || runs.len() as u64 > 4 * u64::from(MAX_LOGITS)
        {
            return Err(Error::InvalidRequest {
                what: "a step",
                asked: format!("{} sequences", step.sequences.len()),
                allowed: format!("at most {MAX_LOGITS}"),
            });
        }
        let mut writer = Writer { words: &mut self.words, buffer: &self.buffer };
        writer.words.clear();
        let each = |f: &dyn Fn(&Row) -> u32| step.rows.iter().map(f).collect::<Vec<_>>();
        let ids = writer.put(&each(&|row| row.token), &[count])?;
        let slots =
            writer.put(&each(&|row| step.sequences[row.sequence].slot(row.position, pools)), &[count])?;
        let pairs: Vec<u32> = step.rows.iter().flat_map(|row| [firsts[row.sequence], row.position]).collect();
        let rows = writer.put(&pairs, &[count, 2])?;
        let pages = writer.put(&tables, &[tables.len() as u32])?;
        let runs = writer.put(&runs, &[runs.len() as u32 / 4, 4])?;
        let mut angles = Vec::with_capacity(self.ropes.len());
        let mut floats = Vec::new();
        for rope in &self.ropes {
            floats.clear();
            for row in step.rows {
                rope.angles(row.position, &mut floats);
            }
            let tensor = writer.put(bytemuck::cast_slice(&floats), &[count, rope.dims() / 2, 2])?;
            angles.push(Tensor::new(tensor.buffer(), tensor.offset(), DType::F32, tensor.shape().dims())?);
        }
        let wanted =
            if wanted.is_empty() { None } else { Some(writer.put(&wanted, &[wanted.len() as u32])?) };
        let by_layers = self.layers.map(|layers| {
            let turned: Vec<u32> =
                (0..layers).flat_map(|i| (0..count).map(move |row| row * layers + i)).collect();
            writer.put(&turned, &[layers * count])
        });
        let by_layers = by_layers.transpose()?;
        self.buffer.write(0, bytemuck::cast_slice(&self.words))?;
        let rope_of_layer = self.rope_of_layer.clone();
        Ok(Placed { ids, slots, rows, pages, runs, angles, rope_of_layer, wanted, by_layers })
    }
}

/// The page tables of all sequences one after the other, and where each begins.
fn tables(sequences: &[&Sequence], pools: &Pools) -> (Vec<u32>, Vec<u32>) {
    let mut tables = Vec::new();
    let mut firsts = Vec::with_capacity(sequences.len());
    for sequence in sequences {
        firsts.push(tables.len() as u32);
        tables.extend(sequence.places(pools));
    }
    (tables, firsts)
}

/// The rows of each sequence, which are one after the other.
fn runs(step: &Step<'_>, pools: &Pools) -> Vec<u32> {
    let mut words = Vec::new();
    let mut first = 0;
    for rows in step.rows.chunk_by(|a, b| a.sequence == b.sequence) {
        let [before, after] = step.sequences[rows[0].sequence].states_of_step(pools);
        words.extend([before, after, first, rows.len() as u32]);
        first += rows.len() as u32;
    }
    words
}

struct Writer<'a> {
    words: &'a mut Vec<u32>,
    buffer: &'a Buffer,
}

impl Writer<'_> {
    fn put(&mut self, words: &[u32], dims: &[u32]) -> Result<Tensor> {
        let offset = self.words.len() as u64 * 4;
        self.words.extend_from_slice(words);
        Ok(Tensor::new(self.buffer, offset, DType::U32, dims)?)
    }
}

fn turned_layers(architecture: &Architecture) -> Option<u32> {
    architecture.reminders.map(|_| architecture.layers.len() as u32)
}

fn distinct(architecture: &Architecture) -> (Vec<Rope>, Vec<usize>) {
    let mut ropes: Vec<Rope> = Vec::new();
    let indices = architecture.layers.iter().map(|layer| {
        // A layer that does not attend is never asked for its angles.
        let Some(Attention { rope, .. }) = layer.attention() else { return 0 };
        ropes.iter().position(|known| known == rope).unwrap_or_else(|| {
            ropes.push(rope.clone());
            ropes.len() - 1
        })
    });
    let indices = indices.collect();
    (ropes, indices)
}
