"""Tokens are drawn with the probabilities that mlx-lm's own functions give, after the penalties that it gives."""

import math
import random

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p, make_logits_processors

from .ours import ask

DRAWS = 20_000
VOCABULARY = 60


def logits(seed: int, spread: float) -> list[float]:
    draws = random.Random(seed)
    return [round(draws.gauss(0, spread), 3) for _ in range(VOCABULARY)]


def expected(values: list[float], params: dict[str, float]) -> np.ndarray:
    """What exo draws from: mlx-lm's filters in its order, then the temperature."""
    logprobs = mx.array(values)[None]
    logprobs = logprobs - mx.logsumexp(logprobs, axis=-1, keepdims=True)
    if 0 < params["top_p"] < 1:
        logprobs = apply_top_p(logprobs, params["top_p"])
    if params["min_p"]:
        logprobs = apply_min_p(logprobs, params["min_p"])
    if params["top_k"]:
        logprobs = apply_top_k(logprobs, int(params["top_k"]))
    scaled = np.array(logprobs[0], dtype=np.float64) / params["temperature"]
    weights = np.exp(scaled - scaled.max())
    return weights / weights.sum()


CASES = [
    {"temperature": temperature, "top_p": top_p, "min_p": min_p, "top_k": top_k}
    for temperature in (0.3, 1.0, 1.7)
    for top_p in (1.0, 0.9, 0.4)
    for min_p in (0.0, 0.05)
    for top_k in (0, 12)
]


@pytest.mark.parametrize("spread", [0.5, 2.0, 5.0])
def test_draws_have_the_distribution_of_mlx_lm(spread: float) -> None:
    cases = [(logits(number, spread), {**case, "seed": number}) for number, case in enumerate(CASES)]
    answers = ask([{"ask": "sample", "logits": values, "params": params, "times": DRAWS} for values, params in cases])
    for (values, params), answer in zip(cases, answers, strict=True):
        probabilities = expected(values, params)
        seen = np.bincount(answer["tokens"], minlength=VOCABULARY)
        assert not seen[probabilities == 0].any(), params
        assert chi_square_is_plausible(seen, probabilities * DRAWS), params


def chi_square_is_plausible(seen: np.ndarray, expected: np.ndarray) -> bool:
    """Rare tokens are counted together. Five standard deviations: with these seeds a right sampler never fails."""
    common = expected >= 10
    pairs = list(zip(seen[common], expected[common], strict=True))
    if expected[~common].sum() >= 1:
        pairs.append((seen[~common].sum(), expected[~common].sum()))
    if len(pairs) < 2:
        return True
    statistic = sum((s - e) ** 2 / e for s, e in pairs)
    freedom = len(pairs) - 1
    return statistic < freedom + 5 * math.sqrt(2 * freedom)


PENALTIES = [
    {"repetition_penalty": 1.3},
    {"repetition_penalty": 0.7, "repetition_context_size": 3},
    {"presence_penalty": 0.8},
    {"frequency_penalty": 0.5},
    {"repetition_penalty": 1.2, "repetition_context_size": 5, "presence_penalty": 0.3, "frequency_penalty": -0.4},
    {"presence_penalty": 1.0, "presence_context_size": 2, "frequency_penalty": 0.2, "frequency_context_size": 4},
]


@pytest.mark.parametrize("penalties", PENALTIES, ids=str)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_penalties_and_logprobs_are_those_of_mlx_lm(penalties: dict[str, float], temperature: float) -> None:
    values, prompt, times = logits(11, 2.0), [7, 3, 50, 12], 40
    params = {**penalties, "temperature": temperature, "min_p": 0.0, "logprobs": VOCABULARY}
    answer = ask([{"ask": "sample", "logits": values, "prompt": prompt, "params": params, "times": times}])[0]
    processors = make_logits_processors(**penalties)
    # exo shows the processors the last two tokens of a prompt, and then the answer.
    said = prompt[-2:]
    for token, top in zip(answer["tokens"], answer["logprobs"], strict=True):
        processed = mx.array(values)[None]
        for processor in processors:
            processed = processor(mx.array(said), processed)
        logprobs = np.array((processed - mx.logsumexp(processed, axis=-1, keepdims=True))[0])
        ours = np.full(VOCABULARY, -np.inf)
        for other, logprob in top:
            ours[other] = logprob
        np.testing.assert_allclose(ours, logprobs, atol=2e-5)
        assert [logprob for _, logprob in top] == sorted((logprob for _, logprob in top), reverse=True)
        if temperature == 0:
            assert logprobs[token] == logprobs.max()
        said.append(token)


def test_the_same_seed_is_the_same_answer() -> None:
    question = {"ask": "sample", "logits": logits(1, 1.0), "params": {"seed": 9, "temperature": 1.0}, "times": 50}
    first, second, other = ask([question, question, {**question, "params": {"seed": 10, "temperature": 1.0}}])
    assert first == second
    assert first != other


def test_a_large_vocabulary_is_filtered_as_mlx_lm_filters_it() -> None:
    draws = np.random.default_rng(5)
    values = [round(float(value), 2) for value in draws.normal(0, 3, 50_000)]
    for params in ({"top_p": 0.7}, {"top_p": 0.95, "top_k": 40}, {"min_p": 0.1}, {"top_k": 5}):
        whole = {"temperature": 1.0, "top_p": 1.0, "min_p": 0.0, "top_k": 0, "seed": 3, **params}
        tokens = set(ask([{"ask": "sample", "logits": values, "params": whole, "times": 300}])[0]["tokens"])
        probabilities = expected(values, whole)
        # Of tokens that are exactly as likely as the last of top-k, mlx-lm keeps any and we the first.
        if not params.get("top_k"):
            assert not [token for token in tokens if probabilities[token] == 0], params
        else:
            least = np.array(values)[probabilities > 0].min()
            assert all(values[token] >= least for token in tokens), params
