"""onnxruntime on its CPU provider, with the model of onnx_model.py. Keys and values stay in f32 in place: its CPU has
no other way that is as fast."""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
from model import GROUP, Model
from tokens import POSITIONS, THREADS, Stepwise, prompt, serve

file = Path(sys.argv[1])
model = Model(file.parent)
config = model.config
packed, scales = model.matrix("model.embed_tokens")

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = THREADS
# Threads that spin between calls would take the next contestant's time.
options.add_session_config_entry("session.intra_op.allow_spinning", "1")
options.add_session_config_entry("session.force_spinning_stop", "1")
session = onnxruntime.InferenceSession(str(file), options, ["CPUExecutionProvider"])


def embedded(tokens):
    rows = packed[tokens]
    numbers = np.stack([rows & 15, rows >> 4], -1).reshape(len(tokens), -1, GROUP).astype(np.float32) - 8
    return (numbers * scales[tokens][..., None]).reshape(1, len(tokens), -1)


class Text(Stepwise):
    def __init__(self):
        shape = (1, config["num_key_value_heads"], POSITIONS, config["head_dim"])
        self.binding = session.io_binding()
        for layer in range(config["num_hidden_layers"]):
            for part in "kv":
                # The same memory in and out: the cache grows in place.
                cache = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(shape, np.float32))
                self.binding.bind_ortvalue_input(f"past.{layer}.{part}", cache)
                self.binding.bind_ortvalue_output(f"present.{layer}.{part}", cache)
        self.binding.bind_output("logits")
        self.empty()

    def empty(self):
        self.prompt = 0

    def after(self, context):
        # What is there already is kept, or all is computed at once: its attention begins with a whole prompt.
        self.length = context - 1 if self.prompt >= context else 0
        self.prompt = context
        return self.add(prompt(self.length, context))

    def step(self, token):
        return self.add([token])

    def add(self, tokens):
        self.length += len(tokens)
        self.binding.bind_cpu_input("x", embedded(tokens))
        self.binding.bind_cpu_input("last", np.array([self.length - 1], np.int32))
        self.binding.bind_cpu_input("total", np.array([self.length], np.int32))
        session.run_with_iobinding(self.binding)
        return int(self.binding.get_outputs()[-1].numpy().argmax())


serve(onnxruntime.__version__, Text())
