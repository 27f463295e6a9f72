"""The end of the program: the core may not call code of a Python that is going away.

A thread of the core that waits for the interpreter while that ends is ended by it, and the program with it. So nodes
and hosts of models that nobody closed are closed before, and what was lent to them comes back first.
"""

from __future__ import annotations

import atexit
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakSet

if TYPE_CHECKING:
    from . import _core

T = TypeVar("T")
# What hangs in code of the program is not waited for.
PATIENCE = 1.0

_open: WeakSet[_core.ExoNode | _core.ModelHost] = WeakSet()
_lent: WeakSet[object] = WeakSet()


def closed_at_the_end(what: _core.ExoNode | _core.ModelHost) -> None:
    """Closes it when the program ends, if nobody did."""
    _open.add(what)


def lent(code: T) -> T:
    """Code of the program that the core holds until it lets go of it."""
    _lent.add(code)
    return code


@atexit.register
def _end() -> None:
    for what in list(_open):
        with suppress(Exception):
            what.shut()
    deadline = time.monotonic() + PATIENCE
    while len(_lent) and time.monotonic() < deadline:
        time.sleep(0.005)
