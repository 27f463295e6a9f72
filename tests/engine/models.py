"""Tiny random models in MLX's own layout, and what MLX makes of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten, tree_map
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model

VOCABULARY = 300

#: What every family has in common. An odd number of layers; an MLP that is no power of two.
COMMON: dict[str, Any] = {
    "hidden_size": 128,
    "num_hidden_layers": 5,
    "intermediate_size": 384,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "rms_norm_eps": 1e-5,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 1024,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}

LLAMA_3_ROPE = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}

#: Gemma's text model is a part of a larger one. The last three layers read the keys of the second and the third.
GEMMA_4: dict[str, Any] = COMMON | {
    "num_hidden_layers": 6,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention"] * 2,
    "num_kv_shared_layers": 3,
    "sliding_window": 7,
    "global_head_dim": 64,
    "hidden_size_per_layer_input": 128,
    "vocab_size_per_layer_input": VOCABULARY,
    "final_logit_softcapping": 3.0,
    "tie_word_embeddings": True,
}

#: Qwen 3.5's text model: two layers of three remember in a state. Four heads of values share two of keys.
QWEN_3_5: dict[str, Any] = COMMON | {
    "full_attention_interval": 3,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 64,
    "linear_conv_kernel_dim": 4,
    "rope_parameters": {"type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25},
    "rms_norm_eps": 1e-5,
}

#: Families and their special parts, by the name of a test.
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", "rope_scaling": LLAMA_3_ROPE},
    "llama-tied": {"model_type": "llama", "tie_word_embeddings": True},
    "llama-bias": {"model_type": "llama", "attention_bias": True, "mlp_bias": True},
    "llama-window": {
        "model_type": "llama",
        "layer_types": ["sliding_attention", "full_attention"] * 2 + ["sliding_attention"],
        "sliding_window": 7,
    },
    "mistral": {"model_type": "mistral", "rope_theta": 1000000.0},
    "qwen2": {"model_type": "qwen2", "hidden_size": 256, "tie_word_embeddings": True},
    "qwen3": {"model_type": "qwen3", "tie_word_embeddings": True},
    "qwen3_5": {"model_type": "qwen3_5", "text_config": QWEN_3_5 | {"tie_word_embeddings": True}},
    "qwen3_5-bias": QWEN_3_5 | {"model_type": "qwen3_5", "attention_bias": True, "linear_conv_kernel_dim": 3},
    "gemma4": {"model_type": "gemma4", "text_config": GEMMA_4},
    "gemma4-text": GEMMA_4
    | {"model_type": "gemma4_text", "use_double_wide_mlp": False, "final_logit_softcapping": 30.0},
}

#: Weight types: element type, then bits and group where they are quantised.
WEIGHTS: dict[str, tuple[str, int | None, int | None]] = {
    "f32": ("float32", None, None),
    "f16": ("float16", None, None),
    "bf16": ("bfloat16", None, None),
    "q4-g32": ("float16", 4, 32),
    "q4-g64": ("bfloat16", 4, 64),
    "q6-g64": ("float16", 6, 64),
    "q8-g128": ("bfloat16", 8, 128),
    "mixed": ("bfloat16", 4, 64),
}


@dataclass
class Made:
    """A model on disk."""

    path: Path

    def logits(self, tokens: list[int], changes: dict[str, Any] | None = None) -> np.ndarray:
        """What MLX computes in f32, with the config changed where asked: [tokens, vocabulary]."""
        model, _ = load_model(self.path, model_config=changes or {})
        model.update(tree_map(in_f32, model.parameters()))
        return np.array(model(mx.array([tokens]))[0].astype(mx.float32))

    def greedy(self, prompt: list[int], count: int) -> list[int]:
        """The prompt and what MLX adds to it, the most likely token each time."""
        model, _ = load_model(self.path)
        model.update(tree_map(in_f32, model.parameters()))
        tokens, cache = list(prompt), make_prompt_cache(model)
        new = prompt
        for _ in range(count):
            new = [int(mx.argmax(model(mx.array([new]), cache=cache)[0, -1]))]
            tokens += new
        return tokens


def in_f32(array: mx.array) -> mx.array:
    """The same numbers, so that MLX rounds no activation: we do not either."""
    return array.astype(mx.float32) if array.dtype in (mx.float16, mx.bfloat16) else array


def make(path: Path, family: str, weights: str, seed: int = 1) -> Made:
    """Writes a model with random weights."""
    mx.random.seed(seed)
    dtype_name, bits, group = WEIGHTS[weights]
    dtype = getattr(mx, dtype_name)
    config = COMMON | FAMILIES[family]
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(config))
    model, _ = load_model(path, lazy=True, strict=False)
    # Norms that are not 1 and biases that are not 0: what is forgotten must show.
    model.update(tree_map(lambda a: random_like(a).astype(dtype), model.parameters()))
    if bits is not None:
        config["quantization"] = {"group_size": group, "bits": bits, "mode": "affine"}
        quantise(model, config, weights == "mixed")
    (path / "config.json").write_text(json.dumps(config))
    mx.save_safetensors(
        str(path / "model.safetensors"), dict(tree_flatten(model.parameters())), metadata={"format": "mlx"}
    )
    return Made(path)


def random_like(array: mx.array) -> mx.array:
    """Matrices keep the size of what they multiply; vectors (norms and biases) are about one half to one and a half."""
    if array.ndim == 1:
        return mx.random.uniform(0.5, 1.5, array.shape)
    return mx.random.normal(array.shape) * (2.0 / array.shape[-1] ** 0.5)


def quantise(model: nn.Module, config: dict[str, Any], is_mixed: bool) -> None:
    rule = config["quantization"]

    def how(name: str, module: nn.Module) -> bool | dict[str, int]:
        if not hasattr(module, "to_quantized"):
            return False
        if is_mixed and name.endswith(("v_proj", "down_proj", "lm_head")):
            rule[name] = {"group_size": 32, "bits": 8}
            return rule[name]
        if is_mixed and name.endswith("k_proj"):
            rule[name] = False
            return False
        return True

    nn.quantize(model, group_size=rule["group_size"], bits=rule["bits"], class_predicate=how)
