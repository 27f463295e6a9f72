//! Gemma 4 for phones (E2B, E4B): windows on most layers, keys that later layers share, and per-layer embeddings.
//!
//! The larger ones (experts, keys that are values) are refused by name: no phone holds them.

use super::{Activation, Architecture, Attention, Fields, Layer, Mixer, Reminders, Rope, invalid, within};
use crate::{Error, Result};

pub(super) fn read(fields: Fields<'_>, family: &str) -> Result<Architecture> {
    // With pictures and sound the model of text is a part, and the vocabulary is the whole's.
    let is_part = family == "gemma4";
    let text = if is_part { fields.object("text_config")?.ok_or_else(no_text)? } else { fields };
    let vocabulary =
        if is_part { fields.or("vocab_size", 262_144)? } else { text.or("vocab_size", 262_144)? };
    for (name, why) in [("enable_moe_block", "experts"), ("attention_k_eq_v", "keys that are values")] {
        if text.or(name, false)? {
            return Err(Error::Unsupported {
                what: format!("a gemma 4 with {why}"),
                supported: "E2B and E4B".into(),
            });
        }
    }
    let hidden: u32 = text.or("hidden_size", 1536)?;
    let context = text.or("max_position_embeddings", 131_072)?;
    let width: u32 = text.or("hidden_size_per_layer_input", 256)?;
    let reminders = Reminders { width, vocabulary: text.or("vocab_size_per_layer_input", 262_144)? };
    let prefix = if is_part { "language_model." } else { "" };
    Ok(Architecture {
        family: family.into(),
        hidden,
        vocabulary,
        epsilon: text.or("rms_norm_eps", 1e-6)?,
        is_tied: text.or("tie_word_embeddings", true)?,
        context,
        layers: layers(text)?,
        embedding_scale: f64::from(hidden).sqrt() as f32,
        logit_cap: if text.names("final_logit_softcapping") {
            text.get("final_logit_softcapping")?
        } else {
            Some(30.0)
        },
        reminders: (width > 0).then_some(reminders),
        prefix: format!("{prefix}model."),
        head: format!("{prefix}lm_head"),
    })
}

fn no_text() -> Error {
    invalid("text_config is missing".into())
}

fn layers(text: Fields<'_>) -> Result<Vec<Layer>> {
    let count: usize = text.or("num_hidden_layers", 35)?;
    within("num_hidden_layers", count as u64, 1..=1024)?;
    let sharing: usize = text.or("num_kv_shared_layers", 20)?;
    let own = count.checked_sub(sharing).filter(|own| *own > 0).ok_or_else(|| {
        invalid(format!("num_kv_shared_layers is {sharing}, expected less than the {count} layers"))
    })?;
    let kinds = kinds(text, count)?;
    let (near, far) = (Kind::Sliding.attention(text)?, Kind::Full.attention(text)?);
    let mlp: u32 = text.or("intermediate_size", 6144)?;
    let is_doubled = text.or("use_double_wide_mlp", true)?;
    let layer = |i: usize| {
        let kind = kinds[i];
        let mut attention = if kind == Kind::Sliding { near.clone() } else { far.clone() };
        if i >= own {
            // The last layer of the same kind that has keys of its own.
            let of = kinds[..own].iter().rposition(|other| *other == kind);
            let of = of
                .ok_or_else(|| invalid(format!("layer {i} finds no layer of its kind to share keys with")))?;
            attention.reads_keys_of = Some(of);
        }
        let mlp = if is_doubled && i >= own { mlp.saturating_mul(2) } else { mlp };
        Ok(Layer {
            mixer: Mixer::Attention(attention),
            mlp,
            activation: Activation::Gelu,
            has_mlp_bias: false,
            has_norms_behind: true,
            has_scalar: true,
        })
    };
    (0..count).map(layer).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sliding,
    Full,
}

/// As the config lists them, or every so many that one sees everything.
fn kinds(text: Fields<'_>, count: usize) -> Result<Vec<Kind>> {
    let Some(types) = text.get::<Vec<String>>("layer_types")? else {
        let pattern: usize = text.or("sliding_window_pattern", 5)?;
        within("sliding_window_pattern", pattern as u64, 1..=1024)?;
        let kind = |i: usize| if (i + 1).is_multiple_of(pattern) { Kind::Full } else { Kind::Sliding };
        return Ok((0..count).map(kind).collect());
    };
    if types.len() != count {
        return Err(invalid(format!("layer_types names {} layers of {count}", types.len())));
    }
    let kind = |name: &String| match name.as_str() {
        "sliding_attention" => Ok(Kind::Sliding),
        "full_attention" => Ok(Kind::Full),
        other => Err(invalid(format!("layer_types has the unknown type {other:?}"))),
    };
    types.iter().map(kind).collect()
}

impl Kind {
    fn attention(self, text: Fields<'_>) -> Result<Attention> {
        let head: u32 = text.or("head_dim", 256)?;
        let global: u32 = text.or("global_head_dim", 512)?;
        let (name, head) = match self {
            Self::Sliding => ("sliding_attention", head),
            Self::Full => ("full_attention", if global == 0 { head } else { global }),
        };
        Ok(Attention {
            heads: text.or("num_attention_heads", 8)?,
            kv_heads: text.or("num_key_value_heads", 1)?,
            head,
            scale: 1.0,
            window: if self == Self::Sliding { Some(text.or("sliding_window", 512)?) } else { None },
            rope: self.rope(text, name, head)?,
            has_qk_norm: true,
            has_value_norm: true,
            has_gate: false,
            reads_keys_of: None,
            has_qkv_bias: false,
            has_output_bias: false,
        })
    }

    fn rope(self, text: Fields<'_>, name: &str, head: u32) -> Result<Rope> {
        if let Some(all) = text.object("rope_parameters")? {
            let own = all.object(name)?;
            return own.map_or_else(|| Rope::plain(head, 10_000.0), |own| Rope::read_own(own, head));
        }
        match self {
            Self::Sliding => Rope::plain(head, 10_000.0),
            Self::Full => Rope::proportional(head, 1_000_000.0, 0.25, 1.0),
        }
    }
}
