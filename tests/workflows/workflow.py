"""A workflow as its own text says it, with each matrix written out."""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from project import ROOT

FOLDER = ROOT / ".github/workflows"


@dataclass(frozen=True)
class Workflow:
    path: Path
    text: str
    tree: dict[Any, Any]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def jobs(self) -> dict[str, dict[str, Any]]:
        return self.tree["jobs"]

    def steps(self) -> list[tuple[str, dict[str, Any]]]:
        """Each step, named so that a person finds it."""
        return [(f"{self.name}/{job}", step) for job, body in self.jobs.items() for step in body["steps"]]

    def commands(self) -> list[tuple[str, str]]:
        """Every command line that is ever typed, once for each cell of its job's matrix."""
        typed: list[tuple[str, str]] = []
        for job, body in self.jobs.items():
            for cell in cells(body.get("strategy", {}).get("matrix", {})):
                for step in body["steps"]:
                    # The emulator's action types its script as a shell would.
                    command = step.get("run") or step.get("with", {}).get("script")
                    if command:
                        environment = body.get("env", {}) | step.get("env", {})
                        typed.append((f"{self.name}/{job}", written_out(command, environment, cell)))
        return typed


def cells(matrix: dict[str, Any]) -> list[dict[str, Any]]:
    if "include" in matrix:
        return matrix["include"]
    return [dict(zip(matrix, values, strict=True)) for values in itertools.product(*matrix.values())]


def written_out(command: str, environment: dict[str, Any], cell: dict[str, Any]) -> str:
    """With each variable that the workflow itself sets. Values come in by the environment, so that no name is ever code."""
    for name, value in environment.items():
        filled = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda match: str(cell[match[1]]), str(value))
        command = command.replace(f'"${name}"', filled)
    return command


def read(path: Path) -> Workflow:
    text = path.read_text()
    return Workflow(path, text, yaml.safe_load(text))


WORKFLOWS = [read(path) for path in sorted(FOLDER.glob("*.yml"))]
