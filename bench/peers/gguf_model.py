"""Writes the model as a GGUF file: `gguf_model.py MODEL FILE`.

ggml's Q4_0 is `scale * (q - 8)` in blocks of 32, so it holds the very numbers of the model: a group of 64 becomes two
blocks with the same scale.
"""

import sys

import gguf
import numpy as np
from model import Model

BLOCK = 32

model, file = Model(sys.argv[1]), sys.argv[2]
config = model.config
family = config["model_type"]
heads, kv_heads, head = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]


def blocks(name):
    """Rows of Q4_0: a scale in f16, then 16 bytes that hold number i beside number i + 16."""
    packed, scales = model.matrix(name)
    rows = packed.shape[0]
    numbers = np.stack([packed & 15, packed >> 4], -1).reshape(rows, -1, 2, BLOCK // 2)
    made = np.empty((rows, numbers.shape[1], 2 + BLOCK // 2), np.uint8)
    made[..., :2] = np.repeat(scales, 2, 1).astype(np.float16)[..., None].view(np.uint8)
    made[..., 2:] = numbers[:, :, 0] | numbers[:, :, 1] << 4
    return made.reshape(rows, -1)


def paired(rows, count):
    """ggml's llama turns neighbours together where the model's turns halves of a head: rows change places."""
    if family != "llama":
        return rows
    return np.ascontiguousarray(rows.reshape(count, 2, head // 2, -1).swapaxes(1, 2)).reshape(rows.shape)


writer = gguf.GGUFWriter(file, family)
writer.add_block_count(config["num_hidden_layers"])
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(config["hidden_size"])
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_head_count(heads)
writer.add_head_count_kv(kv_heads)
writer.add_key_length(head)
writer.add_value_length(head)
writer.add_rope_dimension_count(head)
writer.add_rope_freq_base(config["rope_theta"])
writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
writer.add_vocab_size(config["vocab_size"])
writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
# Words that nobody says: llama.cpp and candle need none, OpenVINO GenAI reads no file without.
writer.add_tokenizer_model("gpt2")
writer.add_tokenizer_pre("llama-bpe" if family == "llama" else "qwen2")
writer.add_token_list([f"word{i}" for i in range(config["vocab_size"])])
writer.add_token_types([gguf.TokenType.NORMAL] * config["vocab_size"])
writer.add_token_merges(["w o"])
writer.add_bos_token_id(0)
writer.add_eos_token_id(1)
writer.add_pad_token_id(1)


def add_matrix(name, rows):
    writer.add_tensor(name, rows, raw_dtype=gguf.GGMLQuantizationType.Q4_0)


add_matrix("token_embd.weight", blocks("model.embed_tokens"))
writer.add_tensor("output_norm.weight", model.vector("model.norm.weight"))
for layer in range(config["num_hidden_layers"]):
    ours, theirs = f"model.layers.{layer}", f"blk.{layer}"
    add_matrix(f"{theirs}.attn_q.weight", paired(blocks(f"{ours}.self_attn.q_proj"), heads))
    add_matrix(f"{theirs}.attn_k.weight", paired(blocks(f"{ours}.self_attn.k_proj"), kv_heads))
    add_matrix(f"{theirs}.attn_v.weight", blocks(f"{ours}.self_attn.v_proj"))
    add_matrix(f"{theirs}.attn_output.weight", blocks(f"{ours}.self_attn.o_proj"))
    for part in ("gate", "up", "down"):
        add_matrix(f"{theirs}.ffn_{part}.weight", blocks(f"{ours}.mlp.{part}_proj"))
    norms = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
    if family == "qwen3":
        norms |= {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
    for name, norm in norms.items():
        writer.add_tensor(f"{theirs}.{name}.weight", model.vector(f"{ours}.{norm}.weight"))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
