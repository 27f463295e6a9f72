"""docs/guide/python.md is one program, and it runs."""

from __future__ import annotations

import asyncio
import builtins
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exo_mobile import ExoNode

if TYPE_CHECKING:
    import pytest
    from exo_on_loopback import Exo

GUIDE = Path(__file__).parents[2] / "docs/guide/python.md"


def test_the_guide_runs_as_it_is_written(
    exo: Exo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL))
    # Only where it searches is ours, on this device alone, and how long it may take.
    join = ExoNode.join
    monkeypatch.setattr(ExoNode, "join", lambda **options: join(**(options | exo.found_by)))
    running = asyncio.run
    monkeypatch.setattr(asyncio, "run", lambda main: running(asyncio.wait_for(main, 60)))
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(program, str(GUIDE), "exec"), names)  # noqa: S102
    said = capsys.readouterr().out
    assert "joined, one of 2" in said
    assert "LOOPBACK" in said
    assert "mac" in said
    assert "(this one)" in said
    assert "may work: True" in said

    asked: list[str] = []
    monkeypatch.setattr(builtins, "input", lambda question: asked.append(question) or "yes")
    asyncio.run(names["join_by"](exo.found_by["confirmed_link"]))
    assert asked == [f"Join 127.0.0.1, port {exo.zenoh_port}? "]
    assert "LOOPBACK" in capsys.readouterr().out
    asyncio.run(names["join_by"]("exo://"))
    assert "LOOPBACK" not in capsys.readouterr().out
