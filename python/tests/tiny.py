"""A model of less than a megabyte, whose weights are random: it talks nonsense, and always the same."""

import os
from pathlib import Path

MODEL = "exo-mobile/tiny-random"
LAYERS = 3
SHELF = Path(os.environ.get("EXO_TINY_MODELS", ""))
assert (SHELF / "exo-mobile--tiny-random").is_dir(), "EXO_TINY_MODELS names no tiny model: ./scripts/test python"
