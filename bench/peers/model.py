"""The random model as the benchmark wrote it: MLX's 4 bits in groups of 64, with `bias = -8 * scale`."""

import json
from pathlib import Path

import numpy as np

GROUP = 64
TYPES = {"U32": np.uint32, "BF16": np.uint16}


class Model:
    def __init__(self, folder):
        folder = Path(folder)
        self.config = json.loads((folder / "config.json").read_text())
        file = folder / "model.safetensors"
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            self.header = json.loads(opened.read(length))
        self.data = np.memmap(file, np.uint8, "r", 8 + length)

    def tensor(self, name):
        entry = self.header[name]
        start, end = entry["data_offsets"]
        return self.data[start:end].view(TYPES[entry["dtype"]]).reshape(entry["shape"])

    def vector(self, name):
        """A tensor of bf16, in f32."""
        return (self.tensor(name).astype(np.uint32) << 16).view(np.float32)

    def matrix(self, name):
        """Bytes of two numbers each, the first in the lower half, by rows; and the scale of each 64 numbers."""
        return self.tensor(f"{name}.weight").view(np.uint8), self.vector(f"{name}.scales")
