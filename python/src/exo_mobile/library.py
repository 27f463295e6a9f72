"""What the library is, and what it does without a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from .errors import translated

if TYPE_CHECKING:
    from ._core import About, LinkPreview


def about() -> About:
    """What this library is: its version, its backends, the builds of exo that it knows."""
    with translated():
        return _core.about()


def read_link(text: str) -> LinkPreview:
    """What a link or an address would do, to be shown to a person. Nothing is resolved or sent."""
    with translated():
        return _core.read_link(text)


def place(problem: str) -> str:
    """Solves a placement problem that is given as JSON and answers in JSON; docs/placement.md describes both."""
    with translated():
        return _core.place(problem)


def provoke_fault() -> None:
    """Panics inside the library: `ExoError` of the kind `FAULT`. For tests of what a program does then."""
    with translated():
        _core.provoke_fault()
