//! Which tensors of which files make up the model, checked before anything is allocated.

use std::ops::Range;

use exo_gpu::DType;

use super::{
    AttentionParts, DeltaParts, LayerParts, MixerParts, Parts, ReminderGate, ReminderParts, cut::Cut,
};
use crate::{
    Architecture, Error, Result, Slice,
    config::{Affine, Attention, DeltaNet, Layer, Mixer, Quantisation},
    files::{Directory, FileType, Stored},
};

/// A matrix that was found.
#[derive(Clone, Debug)]
pub(crate) struct MatrixPlan {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) storage: Storage,
    /// Which part of what is stored it is.
    pub(crate) cut: Cut,
    pub(crate) bias: Option<VectorPlan>,
}

/// How it is stored, and where.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    Dense { dtype: DType, weight: Stored },
    Affine { affine: Affine, dtype: DType, words: Stored, scales: Stored, biases: Stored },
}

impl Storage {
    /// Whether two matrices can lie one after the other as one.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dense { dtype: a, .. }, Self::Dense { dtype: b, .. }) => a == b,
            (Self::Affine { affine: a, dtype: b, .. }, Self::Affine { affine: c, dtype: d, .. }) => {
                a == c && b == d
            }
            _ => false,
        }
    }

    fn tensors(&self) -> Vec<&Stored> {
        match self {
            Self::Dense { weight, .. } => vec![weight],
            Self::Affine { words, scales, biases, .. } => vec![words, scales, biases],
        }
    }
}

/// A vector that was found, or that is made. It becomes f32.
#[derive(Clone, Debug)]
pub(crate) struct VectorPlan {
    pub(crate) length: u32,
    pub(crate) content: Content,
}

/// Where a vector's numbers come from.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Stored(Stored),
    /// Some elements of a stored one.
    Part(Stored, Cut),
    /// One stored number for every element.
    Repeated(Stored),
    /// A stored matrix of this many columns, by columns.
    Turned(Stored, u32),
    /// The exponentials of one stored vector, and then another.
    Rates(Stored, Stored),
    /// Ones.
    Ones,
}

/// Matrices over one input.
pub(crate) type StackPlan = Vec<MatrixPlan>;

/// Everything that is needed to run some layers of a model.
#[derive(Clone, Debug)]
pub(crate) struct Blueprint(pub(crate) Parts<StackPlan, VectorPlan>);

impl Blueprint {
    /// Finds the parts of `layers`, or a slice of them; the ends of the model belong to its first and last layer.
    pub(crate) fn draw(
        architecture: &Architecture,
        layers: &Range<usize>,
        directory: &Directory,
        slice: Option<Slice>,
    ) -> Result<Self> {
        let search = Search { directory, slice, quantisation: Quantisation::from_config(&directory.config)? };
        let prefix = &architecture.prefix;
        let (hidden, vocabulary) = (architecture.hidden, architecture.vocabulary);
        let is_last = layers.end == architecture.layers.len();
        let needs_table =
            layers.start == 0 || is_last && architecture.is_tied || architecture.reminders.is_some();
        let matrix = |path: &str, dims| search.matrix(path, dims, false).map(|m| vec![m]);
        let table = [vocabulary, hidden];
        let reminders = architecture.reminders.map(|reminders| -> Result<_> {
            let all = architecture.layers.len() as u32 * reminders.width;
            Ok(ReminderParts {
                table: matrix(&format!("{prefix}embed_tokens_per_layer"), [reminders.vocabulary, all])?,
                projection: matrix(&format!("{prefix}per_layer_model_projection"), [all, hidden])?,
                norm: search.vector(&format!("{prefix}per_layer_projection_norm.weight"), reminders.width)?,
            })
        });
        let width = architecture.reminders.map(|reminders| reminders.width);
        let parts = Parts {
            embedding: needs_table.then(|| matrix(&format!("{prefix}embed_tokens"), table)).transpose()?,
            reminders: reminders.transpose()?,
            layers: layers
                .clone()
                .zip(&architecture.layers[layers.clone()])
                .map(|(i, layer)| search.layer(&format!("{prefix}layers.{i}"), layer, hidden, width))
                .collect::<Result<_>>()?,
            norm: is_last.then(|| search.vector(&format!("{prefix}norm.weight"), hidden)).transpose()?,
            head: (is_last && !architecture.is_tied)
                .then(|| matrix(&architecture.head, table))
                .transpose()?,
        };
        Ok(Self(parts))
    }

    /// Bytes that the weights take on the device.
    pub(crate) fn bytes(&self) -> u64 {
        let total = std::cell::Cell::new(0);
        let matrices = |stack: &StackPlan| {
            total.set(total.get() + stack.iter().map(MatrixPlan::bytes).sum::<u64>());
            Ok::<_, std::convert::Infallible>(())
        };
        let vectors = |vector: &VectorPlan| {
            total.set(total.get() + u64::from(vector.length) * 4);
            Ok(())
        };
        let (ends, norms) = self.0.ends();
        let _ = ends.into_iter().try_for_each(matrices);
        let _ = norms.into_iter().try_for_each(vectors);
        for layer in &self.0.layers {
            let _ = layer.try_map(&mut |m| matrices(m), &mut |v| vectors(v));
        }
        total.get()
    }
}

impl MatrixPlan {
    pub(crate) fn bytes(&self) -> u64 {
        let bias = self.bias.as_ref().map_or(0, |b| u64::from(b.length) * 4);
        let stored = |t: &&Stored| {
            let rows = t.entry.shape.first().copied().unwrap_or(1);
            self.cut.bytes(t.entry.bytes.end - t.entry.bytes.start, rows)
        };
        self.storage.tensors().iter().map(stored).sum::<u64>() + bias
    }
}

impl MatrixPlan {
    /// A part of its rows, and their biases.
    fn with(self, change: impl Fn(Cut) -> Cut) -> Self {
        let bias = self.bias.map(|bias| match bias.content {
            Content::Stored(stored) => {
                let cut = change(Cut::whole(bias.length, 1));
                VectorPlan { length: cut.rows(), content: Content::Part(stored, cut) }
            }
            _ => bias,
        });
        let cut = change(self.cut);
        Self { rows: cut.rows(), columns: cut.columns(), cut, bias, ..self }
    }
}

/// What mixes the tokens of a layer, before it is loaded.
type Mixing = MixerParts<StackPlan, VectorPlan>;

struct Search<'a> {
    directory: &'a Directory,
    slice: Option<Slice>,
    quantisation: Quantisation,
}

impl Search<'_> {
    fn layer(
        &self,
        path: &str,
        layer: &Layer,
        hidden: u32,
        reminder: Option<u32>,
    ) -> Result<LayerParts<StackPlan, VectorPlan>> {
        let matrix = |name: &str, dims, bias| self.matrix(&format!("{path}.{name}"), dims, bias);
        let vector = |name: &str, length| self.vector(&format!("{path}.{name}.weight"), length);
        let norm = |wanted: bool, name, length| wanted.then(|| vector(name, length)).transpose();
        let (mixer, output) = match &layer.mixer {
            Mixer::Attention(attention) => self.attention(&format!("{path}.self_attn"), attention, hidden)?,
            Mixer::Delta(delta) => self.delta(&format!("{path}.linear_attn"), *delta, hidden)?,
        };
        let is_between = layer.has_norms_behind;
        let reminder = reminder.map(|width| -> Result<_> {
            Ok(ReminderGate {
                gate: vec![matrix("per_layer_input_gate", [width, hidden], false)?],
                projection: vec![matrix("per_layer_projection", [hidden, width], false)?],
                norm: vector("post_per_layer_input_norm", hidden)?,
            })
        });
        let scalar = layer.has_scalar.then(|| self.repeated(&format!("{path}.layer_scalar"), hidden));
        Ok(LayerParts {
            mixer_norm: vector("input_layernorm", hidden)?,
            mixer,
            output: vec![output],
            norm_behind_attention: norm(is_between, "post_attention_layernorm", hidden)?,
            // The same name is the norm before the MLP where there is none behind attention.
            mlp_norm: vector(
                if is_between { "pre_feedforward_layernorm" } else { "post_attention_layernorm" },
                hidden,
            )?,
            gate_up: vec![
                self.some_rows(matrix("mlp.gate_proj", [layer.mlp, hidden], layer.has_mlp_bias)?),
                self.some_rows(matrix("mlp.up_proj", [layer.mlp, hidden], layer.has_mlp_bias)?),
            ],
            down: vec![self.some_columns(matrix(
                "mlp.down_proj",
                [hidden, layer.mlp],
                layer.has_mlp_bias,
            )?)?],
            norm_behind_mlp: norm(is_between, "post_feedforward_layernorm", hidden)?,
            reminder: reminder.transpose()?,
            scalar: scalar.transpose()?,
        })
    }

    fn attention(&self, path: &str, a: &Attention, hidden: u32) -> Result<(Mixing, MatrixPlan)> {
        let (queries, keys) = (a.heads * a.head, a.kv_heads * a.head);
        let matrix = |name: &str, dims, bias| self.matrix(&format!("{path}.{name}"), dims, bias);
        let norm = |name: &str| self.vector(&format!("{path}.{name}.weight"), a.head);
        let has_keys = a.reads_keys_of.is_none();
        // With a gate, a head's rows are its query's and then its gate's.
        let of_each = if a.has_gate { 2 } else { 1 };
        let both = matrix("q_proj", [of_each * queries, hidden], a.has_qkv_bias)?;
        let mut inputs = Vec::with_capacity(4);
        if a.has_gate {
            inputs.push(both.clone().with(|cut| cut.every(2 * a.head, 0..a.head)));
        } else {
            inputs.push(self.some_rows(both.clone()));
        }
        if has_keys {
            inputs.push(self.some_rows(matrix("k_proj", [keys, hidden], a.has_qkv_bias)?));
            inputs.push(self.some_rows(matrix("v_proj", [keys, hidden], a.has_qkv_bias)?));
        }
        if a.has_gate {
            inputs.push(both.with(|cut| cut.every(2 * a.head, a.head..2 * a.head)));
        }
        let parts = AttentionParts {
            inputs,
            query_norm: a.has_qk_norm.then(|| norm("q_norm")).transpose()?,
            key_norm: (a.has_qk_norm && has_keys).then(|| norm("k_norm")).transpose()?,
            value_norm: (a.has_value_norm && has_keys)
                .then_some(VectorPlan { length: a.head, content: Content::Ones }),
        };
        let output = self.some_columns(matrix("o_proj", [hidden, queries], a.has_output_bias)?)?;
        Ok((MixerParts::Attention(parts), output))
    }

    /// The rows of a slice: its heads, or its columns of the MLP.
    fn some_rows(&self, plan: MatrixPlan) -> MatrixPlan {
        let Some(slice) = self.slice else { return plan };
        let wanted = slice.range(plan.rows);
        plan.with(|cut| cut.rows_in(&wanted))
    }

    /// The columns of a slice. The bias is added once, by the first.
    fn some_columns(&self, plan: MatrixPlan) -> Result<MatrixPlan> {
        let Some(slice) = self.slice else { return Ok(plan) };
        let wanted = slice.range(plan.columns);
        if let Storage::Affine { affine, .. } = &plan.storage
            && !(wanted.end - wanted.start).is_multiple_of(affine.group)
        {
            return Err(Error::InvalidRequest {
                what: "LoadOptions::slice",
                asked: format!(
                    "{} slices of {} columns in groups of {}",
                    slice.of, plan.columns, affine.group
                ),
                allowed: "slices of whole groups; choose fewer, or weights with smaller groups".into(),
            });
        }
        let cut = plan.cut.columns_in(&wanted);
        let bias = plan.bias.filter(|_| slice.rank == 0);
        Ok(MatrixPlan { columns: cut.columns(), cut, bias, ..plan })
    }

    fn delta(&self, path: &str, d: DeltaNet, hidden: u32) -> Result<(Mixing, MatrixPlan)> {
        let matrix = |name: &str, dims| self.matrix(&format!("{path}.{name}"), dims, false);
        let stored = |name: &str, shape: &[u64]| {
            let name = format!("{path}.{name}");
            let stored = self.tensor(&name, shape)?;
            self.float(&name, &stored).map(|_| stored)
        };
        let (channels, heads) = (d.channels(), d.heads);
        let taps = stored("conv1d.weight", &[channels.into(), d.taps.into(), 1])?;
        let (rates, biases) = (stored("A_log", &[heads.into()])?, stored("dt_bias", &[heads.into()])?);
        let parts = DeltaParts {
            inputs: vec![
                matrix("in_proj_qkv", [channels, hidden])?,
                matrix("in_proj_z", [d.values(), hidden])?,
                matrix("in_proj_b", [heads, hidden])?,
                matrix("in_proj_a", [heads, hidden])?,
            ],
            taps: VectorPlan { length: d.taps * channels, content: Content::Turned(taps, d.taps) },
            constants: VectorPlan { length: 2 * heads, content: Content::Rates(rates, biases) },
            norm: self.vector(&format!("{path}.norm.weight"), d.value)?,
        };
        Ok((MixerParts::Delta(parts), matrix("out_proj", [hidden, d.values()])?))
    }

    fn matrix(&self, path: &str, [rows, columns]: [u32; 2], has_bias: bool) -> Result<MatrixPlan> {
        let bias = has_bias.then(|| self.vector(&format!("{path}.bias"), rows)).transpose()?;
        let name = format!("{path}.weight");
        let scales_name = format!("{path}.scales");
        let storage = if self.directory.tensors.contains_key(&scales_name) {
            let affine = self.quantisation.of(path).ok_or_else(|| Error::InvalidModel {
                file: "config.json".into(),
                what: format!("{path} has scales, but `quantization` does not say how it is packed"),
            })?;
            let (bits, group) = (u64::from(affine.bits), u64::from(affine.group));
            let (rows, columns) = (u64::from(rows), u64::from(columns));
            if !columns.is_multiple_of(group) || !(columns * bits).is_multiple_of(32) {
                return Err(Error::InvalidModel {
                    file: "config.json".into(),
                    what: format!("{path} has rows of {columns}, which groups of {group} do not divide"),
                });
            }
            let words = self.tensor(&name, &[rows, columns * bits / 32])?;
            if words.entry.dtype != FileType::U32 {
                return Err(self.wrong_type(&name, &words, "U32"));
            }
            let scales = self.tensor(&scales_name, &[rows, columns / group])?;
            let biases = self.tensor(&format!("{path}.biases"), &[rows, columns / group])?;
            let dtype = self.float(&scales_name, &scales)?;
            if biases.entry.dtype != scales.entry.dtype {
                return Err(self.wrong_type(&format!("{path}.biases"), &biases, "the type of the scales"));
            }
            Storage::Affine { affine, dtype, words, scales, biases }
        } else {
            let weight = self.tensor(&name, &[rows.into(), columns.into()])?;
            Storage::Dense { dtype: self.float(&name, &weight)?, weight }
        };
        Ok(MatrixPlan { rows, columns, storage, cut: Cut::whole(rows, columns), bias })
    }

    fn vector(&self, name: &str, length: u32) -> Result<VectorPlan> {
        let stored = self.tensor(name, &[length.into()])?;
        self.float(name, &stored)?;
        Ok(VectorPlan { length, content: Content::Stored(stored) })
    }

    fn repeated(&self, name: &str, length: u32) -> Result<VectorPlan> {
        let stored = self.tensor(name, &[1])?;
        self.float(name, &stored)?;
        Ok(VectorPlan { length, content: Content::Repeated(stored) })
    }

    fn tensor(&self, name: &str, shape: &[u64]) -> Result<Stored> {
        let stored = self.directory.tensors.get(name).ok_or_else(|| Error::InvalidModel {
            file: "model.safetensors".into(),
            what: format!("{name} is missing"),
        })?;
        if stored.entry.shape != shape {
            return Err(Error::InvalidModel {
                file: "model.safetensors".into(),
                what: format!(
                    "{name} has the shape {:?}, config.json makes it {shape:?}",
                    stored.entry.shape
                ),
            });
        }
        Ok(stored.clone())
    }

    fn float(&self, name: &str, stored: &Stored) -> Result<DType> {
        match stored.entry.dtype {
            FileType::F32 => Ok(DType::F32),
            FileType::F16 => Ok(DType::F16),
            FileType::Bf16 => Ok(DType::Bf16),
            FileType::U32 | FileType::Other { .. } => Err(self.wrong_type(name, stored, "F32, F16 or BF16")),
        }
    }

    #[allow(clippy::unused_self, reason = "it reads as the others do")]
    fn wrong_type(&self, name: &str, stored: &Stored, supported: &str) -> Error {
        Error::Unsupported {
            what: format!("{name} of type {}", stored.entry.dtype_name),
            supported: supported.into(),
        }
    }
}
