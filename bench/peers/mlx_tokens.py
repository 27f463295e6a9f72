"""mlx-lm on MLX's CPU backend, which takes seconds for a token of these models: a few tokens stand for all."""

import sys
import time
from importlib.metadata import version
from pathlib import Path

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model
from tokens import Stepwise, prompt, serve

# Tokens that are really computed, of a prompt or of an answer.
PART = 2

mx.set_default_device(mx.cpu)
model, _ = load_model(Path(sys.argv[1]))


class Text(Stepwise):
    def empty(self):
        self.cache = make_prompt_cache(model)

    def after(self, context):
        """Keys and values are drawn, not computed: its CPU backend would take minutes, and their values cost no time."""
        self.empty()
        for layer in self.cache:
            keys, values = (mx.random.normal(self.shape(context - 1), dtype=mx.bfloat16) for _ in range(2))
            layer.update_and_fetch(keys, values)
        return self.add(prompt(context - 1, context))

    def shape(self, length):
        return 1, model.args.num_key_value_heads, length, model.args.head_dim

    def decode(self, context, tokens):
        return super().decode(context, PART) * tokens / PART

    def prefill(self, tokens):
        # It takes every row by itself, so that time grows with the rows at least.
        self.empty()
        start = time.perf_counter()
        self.add(prompt(0, PART))
        return (time.perf_counter() - start) * tokens / PART

    def step(self, token):
        return self.add([token])

    def add(self, tokens):
        return mx.argmax(model(mx.array([tokens]), cache=self.cache)[0, -1]).item()


serve(f"{version('mlx-lm')} (mlx {version('mlx')}; from {PART} tokens)", Text())
