//! What a model is, as data: one description for all architectures, made from `config.json`.
//!
//! Families differ in a handful of choices (which norms, which biases, which rope, which layers attend how). Each
//! family's file makes these choices; the forward pass knows only the description. What a config asks for beyond that
//! is refused by name, before anything is allocated.

mod fields;
mod gemma;
mod llama;
mod quantisation;
mod qwen;
mod qwen3_5;
mod rope;
mod slice;

#[cfg(feature = "gpu")]
pub(crate) use quantisation::Affine;
pub(crate) use quantisation::Quantisation;
pub use rope::Rope;
use serde_json::Value;
pub use slice::Slice;

use self::fields::Fields;
use crate::{Error, Result};

/// The families that we run, by `model_type`.
const FAMILIES: &str = "llama, mistral, qwen2, qwen3, qwen3_5 (dense), gemma4 (E2B, E4B)";

/// A model without its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// `model_type` of the config.
    pub family: String,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Rows of the embedding table.
    pub vocabulary: u32,
    /// The epsilon of every norm.
    pub epsilon: f32,
    /// Whether the embedding table is the output matrix too.
    pub is_tied: bool,
    /// The longest context that the model was made for.
    pub context: u32,
    /// Its layers, first to last.
    pub layers: Vec<Layer>,
    /// Embeddings are multiplied by it.
    pub embedding_scale: f32,
    /// Logits are bent so that none exceeds it.
    pub logit_cap: Option<f32>,
    /// What every layer is told of each token anew.
    pub reminders: Option<Reminders>,
    /// Before the names of all tensors but the head: `model.`.
    pub(crate) prefix: String,
    /// The name of the head.
    pub(crate) head: String,
}

/// Gemma's per-layer embeddings: a second, narrow embedding of each token for each layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reminders {
    /// Elements that a layer gets.
    pub width: u32,
    /// Tokens that have one.
    pub vocabulary: u32,
}

/// One layer: tokens are mixed, then the MLP; each with a norm before it and added to the stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// How tokens learn of each other.
    pub mixer: Mixer,
    /// Width of the MLP.
    pub mlp: u32,
    /// What bends the MLP's gate.
    pub activation: Activation,
    /// Whether the matrices of the MLP have biases.
    pub has_mlp_bias: bool,
    /// Whether what attention and the MLP give is normed before it is added to the stream.
    pub has_norms_behind: bool,
    /// Whether the stream is multiplied by a learnt number in the end.
    pub has_scalar: bool,
}

/// How the tokens of a layer learn of each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Mixer {
    /// Each looks at those before it.
    Attention(Attention),
    /// A state takes each in and is asked by it.
    Delta(DeltaNet),
}

/// A layer that remembers in a state of a fixed size: a short convolution, then the gated delta rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeltaNet {
    /// Heads of values, each with a state.
    pub heads: u32,
    /// Heads of queries and keys.
    pub key_heads: u32,
    /// Elements of a key, and of a query.
    pub key: u32,
    /// Elements of a value.
    pub value: u32,
    /// Tokens that the convolution sees, the last one included.
    pub taps: u32,
}

impl DeltaNet {
    /// Elements of a token's queries, keys and values together.
    pub(crate) fn channels(&self) -> u32 {
        2 * self.key_heads * self.key + self.values()
    }

    /// Elements of the values of all heads.
    pub(crate) fn values(&self) -> u32 {
        self.heads * self.value
    }
}

/// What bends a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x · sigmoid(x)`.
    Silu,
    /// Gauss's, by its tanh approximation.
    Gelu,
}

/// Attention of one layer.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "families differ in just these, each for itself")]
pub struct Attention {
    /// Heads of queries.
    pub heads: u32,
    /// Heads of keys and values.
    pub kv_heads: u32,
    /// Elements of a head.
    pub head: u32,
    /// Scores are multiplied by it.
    pub scale: f32,
    /// How many positions a token sees, itself included; all if there is no number.
    pub window: Option<u32>,
    /// How positions turn queries and keys.
    pub rope: Rope,
    /// Whether queries and keys are normed by heads before they are turned.
    pub has_qk_norm: bool,
    /// Whether values are normed by heads, without a weight.
    pub has_value_norm: bool,
    /// Whether a gate of the token's own lets through what it found.
    pub has_gate: bool,
    /// The earlier layer whose keys and values it reads, where it has none of its own.
    pub reads_keys_of: Option<usize>,
    /// Whether the projections to queries, keys and values have biases.
    pub has_qkv_bias: bool,
    /// Whether the output projection has a bias.
    pub has_output_bias: bool,
}

impl Architecture {
    /// Reads `config.json`.
    pub fn from_config(config: &Value) -> Result<Self> {
        let fields = Fields::of(config)?;
        let family: String = fields.need("model_type")?;
        let architecture = match family.as_str() {
            "llama" | "mistral" => llama::read(fields, &family),
            "qwen2" | "qwen3" => qwen::read(fields, &family),
            "qwen3_5" => qwen3_5::read(fields, &family),
            "gemma4" | "gemma4_text" => gemma::read(fields, &family),
            _ => Err(Error::Unsupported {
                what: format!("a model of type {family:?}"),
                supported: FAMILIES.into(),
            }),
        }?;
        architecture.check()?;
        // How its matrices are packed is read again with them; what we cannot unpack is refused here.
        Quantisation::from_config(config)?;
        Ok(architecture)
    }

    /// What every family must keep to; also what keeps hostile configs from asking for the absurd.
    fn check(&self) -> Result<()> {
        within("num_hidden_layers", self.layers.len() as u64, 1..=1024)?;
        within("hidden_size", self.hidden, 1..=65_536)?;
        within("vocab_size", self.vocabulary, 1..=4_194_304)?;
        within("max_position_embeddings", self.context, 1..=16_777_216)?;
        if !(self.epsilon > 0.0 && self.epsilon < 1.0) {
            return Err(invalid(format!("rms_norm_eps is {}", self.epsilon)));
        }
        if let Some(reminders) = self.reminders {
            within("hidden_size_per_layer_input", reminders.width, 1..=65_536)?;
            within(
                "vocab_size_per_layer_input",
                reminders.vocabulary,
                u64::from(self.vocabulary)..=4_194_304,
            )?;
        }
        for (i, layer) in self.layers.iter().enumerate() {
            layer.check()?;
            let Some(attention) = layer.attention() else { continue };
            if let Some(of) = attention.reads_keys_of {
                let owner = self.layers.get(of).and_then(Layer::attention);
                let fits = owner.is_some_and(|owner| {
                    of < i
                        && owner.reads_keys_of.is_none()
                        && (owner.kv_heads, owner.head) == (attention.kv_heads, attention.head)
                });
                if !fits {
                    return Err(invalid(format!("layer {i} cannot read the keys of layer {of}")));
                }
            }
        }
        Ok(())
    }
}

impl Layer {
    /// Its attention, where it has one.
    pub fn attention(&self) -> Option<&Attention> {
        match &self.mixer {
            Mixer::Attention(attention) => Some(attention),
            Mixer::Delta(_) => None,
        }
    }

    /// Its state's shape, where it has one.
    pub fn delta(&self) -> Option<&DeltaNet> {
        match &self.mixer {
            Mixer::Attention(_) => None,
            Mixer::Delta(delta) => Some(delta),
        }
    }

    fn check(&self) -> Result<()> {
        within("intermediate_size", self.mlp, 1..=1_048_576)?;
        let attention = match &self.mixer {
            Mixer::Attention(attention) => attention,
            Mixer::Delta(delta) => return delta.check(),
        };
        within("num_attention_heads", attention.heads, 1..=1024)?;
        within("num_key_value_heads", attention.kv_heads, 1..=attention.heads.into())?;
        within("head_dim", attention.head, 4..=512)?;
        if !attention.heads.is_multiple_of(attention.kv_heads) || !attention.head.is_multiple_of(4) {
            return Err(invalid(format!(
                "{} heads of {} elements with {} heads of keys",
                attention.heads, attention.head, attention.kv_heads
            )));
        }
        attention.rope.check(attention.head)
    }
}

impl DeltaNet {
    fn check(&self) -> Result<()> {
        within("linear_num_value_heads", self.heads, 1..=1024)?;
        within("linear_num_key_heads", self.key_heads, 1..=self.heads.into())?;
        within("linear_key_head_dim", self.key, 4..=256)?;
        within("linear_value_head_dim", self.value, 1..=1024)?;
        within("linear_conv_kernel_dim", self.taps, 2..=8)?;
        if !self.heads.is_multiple_of(self.key_heads) || !self.key.is_multiple_of(4) {
            return Err(invalid(format!(
                "{} heads of states with {} heads of keys of {} elements",
                self.heads, self.key_heads, self.key
            )));
        }
        Ok(())
    }
}

fn within(name: &str, value: impl Into<u64>, allowed: std::ops::RangeInclusive<u64>) -> Result<()> {
    let value = value.into();
    if allowed.contains(&value) {
        return Ok(());
    }
    Err(invalid(format!("{name} is {value}, expected {} to {}", allowed.start(), allowed.end())))
}

pub(crate) fn invalid(what: String) -> Error {
    Error::InvalidModel { file: "config.json".into(), what }
}

#[cfg(test)]
mod tests;
