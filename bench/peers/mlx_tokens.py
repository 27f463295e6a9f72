"""mlx-lm on MLX's CPU backend."""

import sys
from importlib.metadata import version
from pathlib import Path

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache, trim_prompt_cache
from mlx_lm.utils import load_model
from tokens import Stepwise, prompt, serve

mx.set_default_device(mx.cpu)
model, _ = load_model(Path(sys.argv[1]))


class Text(Stepwise):
    def empty(self):
        self.cache = make_prompt_cache(model)
        self.prompt = 0

    def after(self, context):
        known = min(self.prompt, context - 1)
        trim_prompt_cache(self.cache, self.cache[0].offset - known)
        self.prompt = context
        return self.add(prompt(known, context))

    def step(self, token):
        return self.add([token])

    def add(self, tokens):
        return mx.argmax(model(mx.array([tokens]), cache=self.cache)[0, -1]).item()


text = Text()
text.empty()
serve(f"{version('mlx-lm')} (mlx {version('mlx')})", text)
