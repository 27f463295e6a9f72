//! Makes a model of a shape, with random weights from a seed: how fast a model is does not depend on them.
//!
//! Weights are MLX's affine 4 bits in groups of 64, `scale * q + bias`, with `bias = -8 * scale` and scales that f16
//! holds as well. So ONNX's and ggml's 4-bit blocks hold the very same numbers, and every rival runs the same model.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use exo_engine::sampling::Draws;
use half::bf16;
use serde_json::{Map, Value, json};

use crate::shape::{GROUP, Shape};

/// Part of every model's folder: another seed or another rule makes another folder.
const SEED: u64 = 1;
/// The spread of a 4-bit number that takes all its values alike.
const SPREAD: f64 = 4.61;

/// The folder of the model, which is made if it is not there.
pub fn model(shape: &Shape, models: &Path) -> Result<PathBuf> {
    let folder = models.join(format!("{}-seed{SEED}", shape.key));
    if !folder.exists() {
        eprintln!("     making a random model of the shape of {} ...", shape.name);
        let unfinished = models.join(format!("{}.unfinished", shape.key));
        write(shape, &unfinished).with_context(|| format!("making a model for {}", shape.name))?;
        fs::rename(&unfinished, &folder)?;
    }
    Ok(folder)
}

fn write(shape: &Shape, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("config.json"), config(shape).to_string())?;
    let header = header(shape);
    let mut file = BufWriter::with_capacity(1 << 20, File::create(folder.join("model.safetensors"))?);
    file.write_all(&(header.len() as u64).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    let mut draws = Draws::seeded(SEED);
    for (_, rows, columns) in shape.matrices() {
        for _ in 0..rows * columns / 16 {
            file.write_all(&draws.bits().to_le_bytes())?;
        }
        let scales: Vec<bf16> = (0..rows * columns / GROUP).map(|_| scale(&mut draws, columns)).collect();
        for scale in &scales {
            file.write_all(&scale.to_le_bytes())?;
        }
        for scale in &scales {
            file.write_all(&bf16::from_f32(-8.0 * scale.to_f32()).to_le_bytes())?;
        }
    }
    for (_, length) in shape.norms() {
        file.write_all(&bf16::ONE.to_le_bytes().repeat(length))?;
    }
    Ok(file.into_inner()?.sync_all()?)
}

fn config(shape: &Shape) -> Value {
    json!({
        "model_type": shape.family, "hidden_size": shape.hidden, "num_hidden_layers": shape.layers,
        "intermediate_size": shape.mlp, "num_attention_heads": shape.heads, "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head, "rms_norm_eps": shape.epsilon, "vocab_size": shape.vocabulary,
        "max_position_embeddings": shape.context, "rope_theta": shape.rope, "tie_word_embeddings": true,
        "quantization": {"group_size": GROUP, "bits": 4, "mode": "affine"},
    })
}

/// What lies where, in the order in which it is written.
fn header(shape: &Shape) -> String {
    let (mut tensors, mut at) = (Map::new(), 0);
    let mut add = |name: String, kind: &str, dims: &[usize], bytes: usize| {
        tensors.insert(name, json!({"dtype": kind, "shape": dims, "data_offsets": [at, at + bytes]}));
        at += bytes;
    };
    for (name, rows, columns) in shape.matrices() {
        let groups = columns / GROUP;
        add(format!("{name}.weight"), "U32", &[rows, columns / 8], rows * columns / 2);
        add(format!("{name}.scales"), "BF16", &[rows, groups], rows * groups * 2);
        add(format!("{name}.biases"), "BF16", &[rows, groups], rows * groups * 2);
    }
    for (name, length) in shape.norms() {
        add(name, "BF16", &[length], length * 2);
    }
    let mut header = Value::Object(tensors).to_string();
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    header
}

/// About as large as keeps a product as large as its input.
fn scale(draws: &mut Draws, columns: usize) -> bf16 {
    bf16::from_f64((0.75 + draws.fraction() / 2.0) / (SPREAD * (columns as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;
    use crate::shape::QWEN;

    #[test]
    fn f16_holds_every_scale_and_bf16_every_bias_exactly() {
        let mut draws = Draws::seeded(7);
        for _ in 0..10_000 {
            let scale = scale(&mut draws, 8192).to_f32();
            assert_eq!(f16::from_f32(scale).to_f32(), scale);
            assert_eq!(bf16::from_f32(-8.0 * scale).to_f32(), -8.0 * scale);
        }
    }

    #[test]
    fn the_file_is_as_long_as_its_header_says() {
        let folder = std::env::temp_dir().join(format!("bench-maker-{}", std::process::id()));
        let small = Shape { hidden: 128, layers: 1, mlp: 128, heads: 1, kv_heads: 1, vocabulary: 64, ..QWEN };
        write(&small, &folder).unwrap();
        let header = header(&small);
        let tensors: Value = serde_json::from_str(&header).unwrap();
        let ends =
            tensors.as_object().unwrap().values().filter_map(|tensor| tensor["data_offsets"][1].as_u64());
        let length = fs::metadata(folder.join("model.safetensors")).unwrap().len();
        assert_eq!(length, 8 + header.len() as u64 + ends.max().unwrap());
        fs::remove_dir_all(folder).unwrap();
    }
}
