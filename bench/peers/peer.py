"""The loop that every Python rival runs: see bench/race/src/peer.rs for the protocol."""

import sys
import time
from pathlib import Path

import numpy as np

SIZE = 1024


def inputs():
    """x and w of y = x @ w.T, as the benchmark wrote them."""
    folder = Path(sys.argv[1])
    return [np.fromfile(folder / name, np.float32).reshape(SIZE, SIZE) for name in ("x.f32", "w.f32")]


def serve(name, version, answer, compute, products):
    """Writes `answer`, says that it is ready, and times `compute` (so many `products`) for each line it is sent."""
    np.asarray(answer, np.float32).tofile(Path(sys.argv[1]) / f"y.{name}.f32")
    print(f"version {version}\nready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        compute()
        print((time.perf_counter() - start) / products, flush=True)
