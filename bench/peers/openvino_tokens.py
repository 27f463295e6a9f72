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
        # The first token of the answer comes with the prompt; what it lists are the times of those after it.
        microseconds = self.generate(prompt(0, context), tokens + 1).raw_metrics.m_durations
        if len(microseconds) != tokens:
            raise RuntimeError(f"{len(microseconds)} tokens were timed, not {tokens}")
        return sum(microseconds) / 1e6

    def prefill(self, tokens):
        # A first token of its own, so that nothing of it is known.
        self.prompts += 1
        return self.generate([1000 + self.prompts] + prompt(1, tokens), 1).get_ttft().mean / 1e3

    def generate(self, tokens, count):
        """Generates so many tokens. What was measured of it."""
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens = count
        config.eos_token_id = 1
        config.ignore_eos = True
        config.do_sample = False
        return pipeline.generate(openvino.Tensor(np.array([tokens], np.int64)), config).perf_metrics


serve(openvino_genai.get_version(), Rival())
