"""OpenVINO GenAI on the CPU, with the model of openvino_model.py.

Its pipeline generates by itself, so times are its own: what it measured for each token.
"""

import sys

import numpy as np
import openvino
import openvino_genai
from tokens import POSITIONS, THREADS, prompt, serve

cache = openvino_genai.SchedulerConfig()
cache.enable_prefix_caching = True
cache.max_num_batched_tokens = POSITIONS
pipeline = openvino_genai.LLMPipeline(
    sys.argv[1], "CPU", scheduler_config=cache, INFERENCE_NUM_THREADS=THREADS, PERFORMANCE_HINT="LATENCY"
)


class Rival:
    prompts = 0

    def decode(self, context, tokens):
        # The first token of the answer is not counted: it comes with the prompt.
        times = self.generate(prompt(0, context), tokens + 1)
        return sum(times[1:])

    def prefill(self, tokens):
        # A first token of its own, so that nothing of it is known.
        self.prompts += 1
        return self.generate([1000 + self.prompts] + prompt(1, tokens), 1)[0]

    def generate(self, tokens, count):
        """Seconds of each token that is generated."""
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens = count
        config.eos_token_id = 1
        config.ignore_eos = True
        config.do_sample = False
        made = pipeline.generate(openvino.Tensor(np.array([tokens], np.int64)), config)
        metrics = made.perf_metrics
        first = metrics.get_ttft().mean / 1e3
        return [first] + [microseconds / 1e6 for microseconds in metrics.raw_metrics.m_durations[1:]]


serve(openvino_genai.get_version(), Rival())
