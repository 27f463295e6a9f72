"""A model of less than a megabyte, whose weights are random: it talks nonsense, and always the same."""

import os
import shutil
from pathlib import Path

MODEL = "exo-mobile/tiny-random"
LAYERS = 3
SHELF = Path(os.environ.get("EXO_TINY_MODELS", ""))
assert (SHELF / "exo-mobile--tiny-random").is_dir(), "EXO_TINY_MODELS names no tiny model: ./scripts/test python"
# What every exo has a card of. It asks Hugging Face for any other, so the tiny one goes by this name in a cluster.
KNOWN = "mlx-community/Model-000-8bit"


def known_to_exo(shelf: Path) -> Path:
    """The tiny model in that shelf, by a name that exo knows; its folder."""
    return Path(shutil.copytree(SHELF / MODEL.replace("/", "--"), shelf / KNOWN.replace("/", "--")))
