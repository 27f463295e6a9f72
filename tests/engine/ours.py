"""Asks our side: the example `text` of exo-engine."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def ask(questions: list[Json], folder: Path | None = None) -> list[Json]:
    """The answers to all questions, in order."""
    program = os.environ.get("EXO_TEXT")
    if not program:
        raise RuntimeError("EXO_TEXT names no program: run ./scripts/test engine")
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    command = [program] + ([str(folder)] if folder else [])
    done = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(line) for line in done.stdout.decode().removesuffix("\n").split("\n")]
    assert len(answers) == len(questions)
    return answers
