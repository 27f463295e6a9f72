"""Prints one of the placement problems that everybody solves, as JSON. Needs nothing but Python itself.

python3 bench/telemetry/problem.py p14 OBJECTIVE
python3 bench/telemetry/problem.py p14b OBJECTIVE SEED
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from placement.samples import p14, p14b  # noqa: E402

MAKERS = {"p14": p14, "p14b": lambda objective, seed: p14b(objective, int(seed))}

print(json.dumps(MAKERS[sys.argv[1]](*sys.argv[2:])))
