//! A tiny model with random weights: a real architecture, a real tokenizer, a real template, and no sense at all.
//!
//! It shows the whole way from a request to a reply where no model is at hand, and tests compute with it.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

use crate::{Error, Result, sampling::Draws};

/// What it can say.
const WORDS: &str = "a and as at be but by can do for from go good have how if in is it just know like make me more my \
    no not now of old on one only or other our out own phone quiet rain river road round say see small so song some \
    stone than that the then there they this time to tree two under up warm water way we well what when where white \
    who wind with word world you";
const END: &str = "<end>";
const HIDDEN: usize = 64;
const LAYERS: usize = 3;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD: usize = 16;
const MLP: usize = 128;
const TAPS: usize = 4;
const CHANNELS: usize = (2 * KV_HEADS + HEADS) * HEAD;
const CONTEXT: usize = 4096;
const WINDOW: usize = 40;

const TEMPLATE: &str =
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:";

/// How the tokens of its layers learn of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// All attend.
    Llama,
    /// Two layers remember in a state, the third attends: a Qwen 3.5.
    Remembering,
    /// All attend, two of them to the last positions only.
    Sliding,
}

/// Writes the llama of this seed into a directory, in the Hugging Face layout.
pub fn write(directory: &Path, seed: u64) -> Result<()> {
    write_family(directory, Family::Llama, seed)
}

/// Writes a model of a family.
pub fn write_family(directory: &Path, family: Family, seed: u64) -> Result<()> {
    let (vocab, tokens) = vocabulary();
    let file = |name: &str, content: &[u8]| {
        fs::write(directory.join(name), content)
            .map_err(|error| Error::Io { path: directory.join(name), reason: error.to_string() })
    };
    fs::create_dir_all(directory)
        .map_err(|error| Error::Io { path: directory.into(), reason: error.to_string() })?;
    file("config.json", config(tokens, family).to_string().as_bytes())?;
    file("tokenizer.json", tokenizer(&vocab, tokens).to_string().as_bytes())?;
    file("tokenizer_config.json", json!({"eos_token": END}).to_string().as_bytes())?;
    file("chat_template.jinja", TEMPLATE.as_bytes())?;
    file("model.safetensors", &weights(tokens, family, seed))
}

fn config(tokens: usize, family: Family) -> Value {
    let model_type = if family == Family::Remembering { "qwen3_5" } else { "llama" };
    let mut config = json!({
        "model_type": model_type, "full_attention_interval": LAYERS,
        "linear_num_value_heads": HEADS, "linear_num_key_heads": KV_HEADS, "linear_key_head_dim": HEAD,
        "linear_value_head_dim": HEAD, "linear_conv_kernel_dim": TAPS,
        "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "intermediate_size": MLP,
        "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD, "rms_norm_eps": 1e-5,
        "vocab_size": tokens, "max_position_embeddings": CONTEXT, "rope_theta": 10_000.0,
        "tie_word_embeddings": false,
    });
    if family == Family::Sliding {
        config["layer_types"] = json!(["sliding_attention", "full_attention", "sliding_attention"]);
        config["sliding_window"] = json!(WINDOW);
    }
    config
}

/// Every byte, so that it reads everything; then its words, with the space before them. The end comes last.
fn vocabulary() -> (Map<String, Value>, usize) {
    let bytes = (0..=255u32).map(|byte| format!("<0x{byte:02X}>"));
    let words = WORDS.split_whitespace().map(|word| format!(" {word}"));
    let vocab: Map<_, _> = bytes.chain(words).zip(0..).map(|(token, id)| (token, Value::from(id))).collect();
    let tokens = vocab.len() + 1;
    (vocab, tokens)
}

fn tokenizer(vocab: &Map<String, Value>, tokens: usize) -> Value {
    json!({
        "added_tokens": [{"id": tokens - 1, "content": END, "special": true}],
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": {"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": []},
    })
}

fn weights(tokens: usize, family: Family, seed: u64) -> Vec<u8> {
    let prefix = if family == Family::Remembering { "language_model." } else { "" };
    let remembers = |i: usize| family == Family::Remembering && i + 1 < LAYERS;
    let mut draws = Draws::seeded(seed);
    let mut tensors: Vec<(String, Vec<usize>, Vec<f32>)> = Vec::new();
    let mut matrix = |name: String, rows: usize, columns: usize, size: f64| {
        let size = size / (columns as f64).sqrt();
        let numbers = (0..rows * columns).map(|_| ((draws.fraction() * 2.0 - 1.0) * 1.73 * size) as f32);
        tensors.push((name, vec![rows, columns], numbers.collect()));
    };
    matrix(format!("{prefix}model.embed_tokens.weight"), tokens, HIDDEN, 8.0);
    for i in 0..LAYERS {
        let name = |part: &str| format!("{prefix}model.layers.{i}.{part}.weight");
        if remembers(i) {
            matrix(name("linear_attn.in_proj_qkv"), CHANNELS, HIDDEN, 1.0);
            matrix(name("linear_attn.in_proj_z"), HEADS * HEAD, HIDDEN, 1.0);
            matrix(name("linear_attn.in_proj_b"), HEADS, HIDDEN, 1.0);
            matrix(name("linear_attn.in_proj_a"), HEADS, HIDDEN, 1.0);
            matrix(name("linear_attn.conv1d"), CHANNELS, TAPS, 1.0);
            matrix(name("linear_attn.out_proj"), HIDDEN, HEADS * HEAD, 1.0);
        } else {
            let with_gate = if family == Family::Remembering { 2 } else { 1 };
            matrix(name("self_attn.q_proj"), with_gate * HEADS * HEAD, HIDDEN, 1.0);
            matrix(name("self_attn.k_proj"), KV_HEADS * HEAD, HIDDEN, 1.0);
            matrix(name("self_attn.v_proj"), KV_HEADS * HEAD, HIDDEN, 1.0);
            matrix(name("self_attn.o_proj"), HIDDEN, HEADS * HEAD, 1.0);
        }
        matrix(name("mlp.gate_proj"), MLP, HIDDEN, 1.0);
        matrix(name("mlp.up_proj"), MLP, HIDDEN, 1.0);
        matrix(name("mlp.down_proj"), HIDDEN, MLP, 1.0);
    }
    matrix(format!("{prefix}lm_head.weight"), tokens, HIDDEN, 5.0);
    // It speaks in words: single bytes stay unlikely.
    if let Some((_, _, head)) = tensors.last_mut() {
        head[..256 * HIDDEN].fill(0.0);
    }
    // A convolution has a dimension more than a matrix.
    for (_, shape, _) in tensors.iter_mut().filter(|(name, ..)| name.contains("conv1d")) {
        shape.push(1);
    }
    let mut ones = |name: &str, count: usize| {
        tensors.push((format!("{prefix}model.{name}"), vec![count], vec![1.0; count]));
    };
    for i in 0..LAYERS {
        ones(&format!("layers.{i}.input_layernorm.weight"), HIDDEN);
        ones(&format!("layers.{i}.post_attention_layernorm.weight"), HIDDEN);
        if remembers(i) {
            ones(&format!("layers.{i}.linear_attn.A_log"), HEADS);
            ones(&format!("layers.{i}.linear_attn.dt_bias"), HEADS);
            ones(&format!("layers.{i}.linear_attn.norm.weight"), HEAD);
        } else if family == Family::Remembering {
            ones(&format!("layers.{i}.self_attn.q_norm.weight"), HEAD);
            ones(&format!("layers.{i}.self_attn.k_norm.weight"), HEAD);
        }
    }
    ones("norm.weight", HIDDEN);
    safetensors(&tensors)
}

fn safetensors(tensors: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let mut header = Map::new();
    let mut at = 0;
    for (name, shape, numbers) in tensors {
        let end = at + numbers.len() * 4;
        header.insert(name.clone(), json!({"dtype": "F32", "shape": shape, "data_offsets": [at, end]}));
        at = end;
    }
    let mut header = Value::Object(header).to_string();
    // The numbers begin at a multiple of eight.
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(tensors.iter().flat_map(|(_, _, numbers)| numbers).flat_map(|x| x.to_le_bytes()));
    file
}
