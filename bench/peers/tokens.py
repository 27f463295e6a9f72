"""The loop of a Python rival that runs a whole model: see bench/race/src/peer.rs for the protocol."""

import sys
import time
import traceback

THREADS = 2
# The longest context and what is decoded after it.
POSITIONS = 4096


def prompt(start, end):
    """The common prompt's tokens from `start` to `end`."""
    return [i * 7919 % 1000 for i in range(start, end)]


def serve(version, rival):
    """Answers each line with the seconds of `rival.decode(context, tokens)` or `rival.prefill(tokens)`."""
    print(f"version {version}\nready", flush=True)
    for line in sys.stdin:
        work, *numbers = line.split()
        try:
            print(getattr(rival, work)(*map(int, numbers)), flush=True)
        except Exception as error:
            traceback.print_exc()
            print(f"error {type(error).__name__}: {' '.join(str(error).split())[:400]}", flush=True)


class Stepwise:
    """A rival that is driven token by token. It can `empty()` its text, make it the prompt and give the first token
    `after(context)`, and add a token with `step(token)`, which gives the next."""

    def decode(self, context, tokens):
        token = self.after(context)
        start = time.perf_counter()
        for _ in range(tokens):
            token = self.step(token)
        return time.perf_counter() - start

    def prefill(self, tokens):
        self.empty()
        start = time.perf_counter()
        self.after(tokens)
        return time.perf_counter() - start
