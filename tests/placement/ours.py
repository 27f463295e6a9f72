"""Runs our planner as users do: a file in, JSON out."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from .formulas import Json


def binary() -> str:
    path = os.environ.get("EXO_PLACE")
    if not path:
        raise SystemExit(
            "EXO_PLACE is not set: cargo build --release -p exo-telemetry --example place, "
            "then EXO_PLACE=target/release/examples/place"
        )
    return path


def place(problem: Json) -> Json:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.json"
        file.write_text(json.dumps(problem))
        done = run(str(file))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60, check=False)
