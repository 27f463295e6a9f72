//! Qwen 3.5, its dense models of text: three layers of four remember in a state, the fourth attends and gates what it
//! finds.
//!
//! Experts are refused by name. What the files have of pictures is not read.

use super::{Activation, Architecture, Attention, DeltaNet, Fields, Layer, Mixer, Rope, invalid, within};
use crate::{Error, Result};

pub(super) fn read(fields: Fields<'_>, family: &str) -> Result<Architecture> {
    let text = fields.object("text_config")?.unwrap_or(fields);
    if text.or("num_experts", 0_u32)? > 0 {
        return Err(Error::Unsupported {
            what: "a qwen 3.5 with experts".into(),
            supported: "dense ones".into(),
        });
    }
    Ok(Architecture {
        family: family.into(),
        hidden: text.or("hidden_size", 4096)?,
        vocabulary: text.or("vocab_size", 151_936)?,
        epsilon: text.or("rms_norm_eps", 1e-6)?,
        is_tied: text.or("tie_word_embeddings", false)?,
        context: text.or("max_position_embeddings", 131_072)?,
        layers: layers(text)?,
        embedding_scale: 1.0,
        logit_cap: None,
        reminders: None,
        prefix: "language_model.model.".into(),
        head: "language_model.lm_head".into(),
    })
}

fn layers(text: Fields<'_>) -> Result<Vec<Layer>> {
    let count: usize = text.or("num_hidden_layers", 32)?;
    within("num_hidden_layers", count as u64, 1..=1024)?;
    let interval: usize = text.or("full_attention_interval", 4)?;
    within("full_attention_interval", interval as u64, 1..=1024)?;
    let (attention, delta) = (attention(text)?, delta(text)?);
    let mlp = text.or("intermediate_size", 14_336)?;
    let layer = |i: usize| Layer {
        mixer: if (i + 1).is_multiple_of(interval) {
            Mixer::Attention(attention.clone())
        } else {
            Mixer::Delta(delta)
        },
        mlp,
        activation: Activation::Silu,
        has_mlp_bias: false,
        has_norms_behind: false,
        has_scalar: false,
    };
    Ok((0..count).map(layer).collect())
}

fn attention(text: Fields<'_>) -> Result<Attention> {
    let heads: u32 = text.or("num_attention_heads", 32)?;
    let head = match text.get("head_dim")? {
        Some(head) => head,
        None => text
            .or("hidden_size", 4096_u32)?
            .checked_div(heads)
            .ok_or_else(|| invalid("num_attention_heads is 0".into()))?,
    };
    let has_bias = text.or("attention_bias", false)?;
    let rope = text.object("rope_parameters")?.unwrap_or(text);
    Ok(Attention {
        heads,
        kv_heads: text.or("num_key_value_heads", 8)?,
        head,
        scale: (f64::from(head).powf(-0.5)) as f32,
        window: None,
        rope: Rope::partial(rope, head, 100_000.0, 0.25)?,
        has_qk_norm: true,
        has_value_norm: false,
        has_gate: true,
        reads_keys_of: None,
        has_qkv_bias: has_bias,
        has_output_bias: has_bias,
    })
}

fn delta(text: Fields<'_>) -> Result<DeltaNet> {
    Ok(DeltaNet {
        heads: text.or("linear_num_value_heads", 64)?,
        key_heads: text.or("linear_num_key_heads", 16)?,
        key: text.or("linear_key_head_dim", 192)?,
        value: text.or("linear_value_head_dim", 128)?,
        taps: text.or("linear_conv_kernel_dim", 4)?,
    })
}
