//! Qwen 2 (biases on queries, keys and values) and Qwen 3 (norms on queries and keys).

use super::{Architecture, Attention, Fields, Layer, Mixer, llama};
use crate::Result;

pub(super) fn read(fields: Fields<'_>, family: &str) -> Result<Architecture> {
    let plain = llama::read(fields, family)?;
    let is_qwen2 = family == "qwen2";
    let layers = plain.layers.iter().map(|layer| {
        let mixer = layer.attention().map_or_else(
            || layer.mixer.clone(),
            |attention| {
                Mixer::Attention(Attention {
                    has_qkv_bias: is_qwen2,
                    has_output_bias: false,
                    has_qk_norm: !is_qwen2,
                    // MLX gives all layers of these families the whole context.
                    window: None,
                    ..attention.clone()
                })
            },
        );
        Layer { mixer, has_mlp_bias: false, ..layer.clone() }
    });
    Ok(Architecture { layers: layers.collect(), ..plain })
}
