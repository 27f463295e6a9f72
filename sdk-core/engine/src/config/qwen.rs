//! Qwen 2 (biases on queries, keys and values) and Qwen 3 (norms on queries and keys).

use super::{Architecture, Fields, Layer, llama};
use crate::Result;

pub(super) fn read(fields: Fields<'_>, family: &str) -> Result<Architecture> {
    let plain = llama::read(fields, family)?;
    let is_qwen2 = family == "qwen2";
    let layers = plain.layers.into_iter().map(|layer| {
        let mut attention = layer.attention;
        attention.has_qkv_bias = is_qwen2;
        attention.has_output_bias = false;
        attention.has_qk_norm = !is_qwen2;
        // MLX gives all layers of these families the whole context.
        attention.window = None;
        Layer { attention, has_mlp_bias: false, ..layer }
    });
    Ok(Architecture { layers: layers.collect(), ..plain })
}
