"""The programs of the README run."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tiny import SHELF

from exo_mobile import ExoNode

if TYPE_CHECKING:
    import pytest
    from exo_on_loopback import Exo

README = Path(__file__).parents[1] / "README.md"
SNIPPET = re.compile(r"```python\n(.*?)```", re.DOTALL)
SNIPPETS = SNIPPET.findall(README.read_text())


def test_the_quickstart_runs_as_it_is_written(
    exo: Exo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Only where it searches is ours: on this device alone.
    join = ExoNode.join
    monkeypatch.setattr(ExoNode, "join", lambda **options: join(**options, **exo.found_by))
    run(0, monkeypatch)
    assert "Joined(nodes=" in capsys.readouterr().out


def test_the_projects_own_readme_shows_the_same_quickstart() -> None:
    assert SNIPPET.findall((README.parents[1] / "README.md").read_text()) == SNIPPETS[:1]


def test_the_question_to_a_model_runs_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Only what it finds is ours: a tiny model by the name of a real one, and no GPU.
    shutil.copytree(SHELF / "exo-mobile--tiny-random", tmp_path / "models/mlx-community--Qwen3-0.6B-4bit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VK_DRIVER_FILES", "/nonexistent")
    run(1, monkeypatch)
    assert capsys.readouterr().out


def run(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    snippet = SNIPPETS[number]
    assert len([line for line in snippet.splitlines() if line]) <= 10
    running = asyncio.run
    monkeypatch.setattr(asyncio, "run", lambda main: running(asyncio.wait_for(main, 60)))
    exec(compile(snippet, str(README), "exec"), {"__name__": "__main__"})  # noqa: S102
