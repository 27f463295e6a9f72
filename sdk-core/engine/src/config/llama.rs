//! Llama and Mistral: the plain shape that the others are variations of.

use super::{Activation, Architecture, Attention, Fields, Layer, Mixer, Rope, invalid};
use crate::Result;

pub(super) fn read(fields: Fields<'_>, family: &str) -> Result<Architecture> {
    let hidden: u32 = fields.need("hidden_size")?;
    let heads: u32 = fields.need("num_attention_heads")?;
    let head = match fields.get("head_dim")? {
        Some(head) => head,
        None => hidden.checked_div(heads).ok_or_else(|| invalid("num_attention_heads is 0".into()))?,
    };
    let context = fields.or("max_position_embeddings", 2048)?;
    let has_bias = fields.or("attention_bias", false)?;
    let attention = Attention {
        heads,
        kv_heads: fields.or("num_key_value_heads", heads)?,
        head,
        scale: (f64::from(head).powf(-0.5)) as f32,
        window: None,
        rope: Rope::read(fields, head, 10_000.0)?,
        has_qk_norm: false,
        has_value_norm: false,
        has_gate: false,
        reads_keys_of: None,
        has_qkv_bias: has_bias,
        has_output_bias: has_bias,
    };
    let layer = Layer {
        mixer: Mixer::Attention(attention.clone()),
        mlp: fields.need("intermediate_size")?,
        activation: Activation::Silu,
        has_mlp_bias: fields.or("mlp_bias", false)?,
        has_norms_behind: false,
        has_scalar: false,
    };
    let layers = windows(fields)?.into_iter().map(|window| Layer {
        mixer: Mixer::Attention(Attention { window, ..attention.clone() }),
        ..layer.clone()
    });
    Ok(Architecture {
        family: family.into(),
        hidden,
        vocabulary: fields.need("vocab_size")?,
        epsilon: fields.need("rms_norm_eps")?,
        is_tied: fields.or("tie_word_embeddings", true)?,
        context,
        layers: layers.collect(),
        embedding_scale: 1.0,
        logit_cap: None,
        reminders: None,
        prefix: "model.".into(),
        head: "lm_head".into(),
    })
}

/// The window of each layer. As MLX reads it: a window counts only for the layers that are said to slide.
pub(super) fn windows(fields: Fields<'_>) -> Result<Vec<Option<u32>>> {
    let count: usize = fields.need("num_hidden_layers")?;
    super::within("num_hidden_layers", count as u64, 1..=1024)?;
    let Some(types) = fields.get::<Vec<String>>("layer_types")? else { return Ok(vec![None; count]) };
    if types.len() != count {
        return Err(invalid(format!("layer_types names {} layers of {count}", types.len())));
    }
    types
        .iter()
        .map(|kind| match kind.as_str() {
            "full_attention" => Ok(None),
            "sliding_attention" => fields.need("sliding_window").map(Some),
            other => Err(invalid(format!("layer_types has the unknown type {other:?}"))),
        })
        .collect()
}
