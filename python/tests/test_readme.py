"""The quickstart is a program that runs."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

from exo_mobile import ExoNode

if TYPE_CHECKING:
    import pytest
    from exo_on_loopback import Exo

README = Path(__file__).parents[1] / "README.md"


def test_the_quickstart_runs_as_it_is_written(
    exo: Exo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len([line for line in snippet.splitlines() if line]) <= 10
    # Only where it searches is ours: on this device alone.
    join = ExoNode.join
    monkeypatch.setattr(ExoNode, "join", lambda **options: join(**options, **exo.found_by))
    running = asyncio.run
    monkeypatch.setattr(asyncio, "run", lambda main: running(asyncio.wait_for(main, 60)))
    exec(compile(snippet, str(README), "exec"), {"__name__": "__main__"})  # noqa: S102
    assert "Joined(nodes=" in capsys.readouterr().out
