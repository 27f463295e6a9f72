"""numpy's matmul, which is OpenBLAS in the wheels of PyPI; threads are set by the environment."""

import numpy as np
from peer import inputs, serve

PRODUCTS = 4

x, w = inputs()
y = np.empty_like(x)


def compute():
    for _ in range(PRODUCTS):
        np.matmul(x, w.T, out=y)


blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
serve("numpy", f"{np.__version__} ({blas['name']} {blas['version']})", x @ w.T, compute, PRODUCTS)
