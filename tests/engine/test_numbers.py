"""Our logits against MLX's, for every family and every type of weights."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .models import FAMILIES, GEMMA_4, LLAMA_3_ROPE, QWEN_3_5, VOCABULARY, WEIGHTS, Made, make

PROGRAM = os.environ["EXO_ENGINE_LOGITS"]
BACKENDS = os.environ.get("EXO_ENGINE_BACKENDS", "cpu").split(",")

#: How far any logit may be off, as a part of the spread of all: sums are made in another order, nothing else.
EXACT = 2e-4
#: The CPU multiplies quantised weights by activations of 16 bits.
SIXTEEN_BITS = 6e-3
#: Tokens of a text that are compared one by one.
STEPS = 64


def tolerance(backend: str, weights: str) -> float:
    return SIXTEEN_BITS if backend == "cpu" and WEIGHTS[weights][1] else EXACT


def ours(made: Made, tokens: list[int], backend: str, *options: str) -> np.ndarray:
    out = made.path / "logits.bin"
    command = [PROGRAM, str(made.path), "--tokens", ",".join(map(str, tokens)), "--out", str(out), "--backend", backend]
    done = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    assert done.stdout == "computed by the CPU instead: 0\n", "the backend that was asked for must do all of it"
    return np.fromfile(out, dtype="<f4").reshape(len(tokens), -1)


def off_by(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max() / theirs.std())


def text(seed: int = 0, count: int = 48) -> list[int]:
    return np.random.default_rng(seed).integers(0, VOCABULARY, count).tolist()


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory):
    made: dict[tuple[str, str], Made] = {}

    def get(family: str, weights: str) -> Made:
        key = family, weights
        if key not in made:
            made[key] = make(tmp_path_factory.mktemp("models") / f"{family}-{weights}", family, weights)
        return made[key]

    return get


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_those_of_mlx(model, family: str, weights: str, backend: str) -> None:
    made = model(family, weights)
    tokens = text()
    assert off_by(ours(made, tokens, backend), made.logits(tokens)) < tolerance(backend, weights)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("weights", ["f32", "bf16", "q4-g64"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_best_token_is_mlx_s_wherever_there_is_a_best(model, family: str, weights: str, backend: str) -> None:
    """Along MLX's own text. Where its two best are nearer to each other than rounding, either may win."""
    made = model(family, weights)
    tokens = made.greedy(text(6, 8), STEPS)
    theirs = made.logits(tokens[:-1])[-STEPS:]
    mine = ours(made, tokens[:-1], backend)[-STEPS:]
    second, best = np.partition(theirs, -2, axis=1)[:, -2:].T
    is_clear = best - second > 2 * tolerance(backend, weights) * theirs.std()
    assert is_clear.mean() >= 0.9, "a model that cannot choose shows nothing"
    assert (mine.argmax(1) == theirs.argmax(1))[is_clear].all()
    assert weights != "f32" or mine.argmax(1).tolist() == tokens[-STEPS:]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_prompt_in_chunks_is_a_prompt(model, family: str, backend: str) -> None:
    made = model(family, "q4-g64")
    tokens = text(1)
    whole = ours(made, tokens, backend, "--chunk", "64")
    for chunk in ("1", "7", "16"):
        assert off_by(ours(made, tokens, backend, "--chunk", chunk), whole) < tolerance(backend, "q4-g64")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("split", ["2", "1,3", "1,2,3,4"])
@pytest.mark.parametrize("family", ["qwen3", "qwen3_5"])
def test_layers_in_parts_are_the_layers(model, family: str, split: str, backend: str) -> None:
    made = model(family, "q4-g64")
    tokens = text(2)
    assert off_by(ours(made, tokens, backend, "--split", split), ours(made, tokens, backend)) == 0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("weights", ["f32", "bf16", "q4-g32", "mixed"])
@pytest.mark.parametrize("family", ["llama", "llama-bias", "qwen2", "qwen3"])
def test_slices_that_are_added_up_are_the_model(model, family: str, weights: str, backend: str) -> None:
    made = model(family, weights)
    tokens = text(7)
    assert off_by(ours(made, tokens, backend, "--slices", "2"), made.logits(tokens)) < tolerance(backend, weights)


@pytest.mark.parametrize(
    ("family", "weights", "slices", "says"),
    [
        ("llama", "f32", "3", "3 slices of 8 heads"),
        ("llama", "f32", "4", "4 slices of 2 heads of keys"),
        # The MLP's columns are three groups.
        ("llama", "q8-g128", "2", "2 slices of 384 columns in groups of 128"),
        ("qwen3_5", "f32", "2", "slices of llama, mistral, qwen2 and qwen3"),
        ("gemma4", "f32", "2", "slices of llama, mistral, qwen2 and qwen3"),
    ],
)
def test_what_does_not_divide_is_refused(model, family: str, weights: str, slices: str, says: str) -> None:
    made = model(family, weights)
    with pytest.raises(subprocess.CalledProcessError) as refused:
        ours(made, text(7), "cpu", "--slices", slices)
    assert says in refused.value.stderr


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("cache", "bound"), [("f16", 5e-3), ("q8", 8e-2)])
@pytest.mark.parametrize("family", ["llama", "qwen3", "gemma4"])
def test_a_smaller_cache_is_a_little_less_exact(model, family: str, cache: str, bound: float, backend: str) -> None:
    """Random models multiply errors more than trained ones. On the average of all logits, not for the worst."""
    made = model(family, "f32")
    tokens = text(3)
    theirs = made.logits(tokens)
    off = ours(made, tokens, backend, "--cache", cache) - theirs
    assert 1e-5 < np.sqrt((off**2).mean()) / theirs.std() < bound


#: What makes a family special, and MLX without it: our numbers must not be those.
WITHOUT: dict[str, tuple[str, dict[str, Any]]] = {
    "rope scaling": ("llama", {"rope_scaling": None}),
    "other rope scaling": ("llama", {"rope_scaling": LLAMA_3_ROPE | {"factor": 4.0}}),
    "window": ("llama-window", {"sliding_window": 1000}),
    "theta": ("mistral", {"rope_theta": 10000.0}),
    "qwen's part of a head that turns": (
        "qwen3_5",
        {
            "text_config": QWEN_3_5
            | {"tie_word_embeddings": True, "rope_parameters": QWEN_3_5["rope_parameters"] | {"partial_rotary_factor": 0.5}}
        },
    ),
    "gemma's window": ("gemma4", {"text_config": GEMMA_4 | {"sliding_window": 1000}}),
    "gemma's cap": ("gemma4", {"text_config": GEMMA_4 | {"final_logit_softcapping": 30.0}}),
    "gemma's slow pairs": ("gemma4", {"text_config": GEMMA_4 | {"rope_parameters": {}}}),
}


@pytest.mark.parametrize("part", WITHOUT)
def test_every_special_part_matters(model, part: str) -> None:
    family, changes = WITHOUT[part]
    made = model(family, "f32")
    tokens = text(4)
    assert off_by(ours(made, tokens, "cpu"), made.logits(tokens, changes)) > 0.01


@pytest.mark.parametrize(
    ("family", "forgotten"),
    [
        ("qwen3", "q_norm"),
        ("qwen3", "k_norm"),
        ("qwen2", "q_proj.bias"),
        ("llama-bias", ".bias"),
        ("qwen3_5", "conv1d"),
        ("qwen3_5", "A_log"),
        ("qwen3_5", "dt_bias"),
        ("qwen3_5", "in_proj_a"),
        ("qwen3_5", "in_proj_b"),
        ("qwen3_5", "in_proj_z"),
        ("qwen3_5", "linear_attn.norm"),
        ("qwen3_5", "q_norm"),
        ("qwen3_5-bias", "q_proj.bias"),
        ("gemma4", "layer_scalar"),
        ("gemma4", "post_attention_layernorm"),
        ("gemma4", "post_feedforward_layernorm"),
        ("gemma4", "per_layer_projection_norm"),
        ("gemma4", "embed_tokens_per_layer"),
    ],
)
def test_every_special_weight_matters(model, tmp_path: Path, family: str, forgotten: str) -> None:
    """The same file with those weights neutral gives other logits: so they are used."""
    import mlx.core as mx

    made = model(family, "f32")
    weights = mx.load(str(made.path / "model.safetensors"))
    neutral = {k: (v * 0 if ".bias" in k else v * 0 + 1) if forgotten in k else v for k, v in weights.items()}
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_bytes((made.path / "config.json").read_bytes())
    mx.save_safetensors(str(other / "model.safetensors"), neutral)
    tokens = text(5)
    assert off_by(ours(Made(other), tokens, "cpu"), ours(made, tokens, "cpu")) > 0.01
