"""How long this process lives: exo's ends at the first exception that nobody catches, wherever it was raised.

Python would only log one that is raised in a callback or task of the loop, or in a thread. Then a judge would go on
with half of an event applied, where a real node is gone.
"""

import asyncio
import os
import sys
import threading
import traceback
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from .log import say

# Besides 86, for what the parser refused: this message was read, and what it said ended the node.
EXIT_CRASHED = 87


def crash(where: str, why: BaseException | None) -> NoReturn:
    told = "".join(traceback.format_exception(why)) if why else where
    say("crashed", where=where, why=repr(why), traceback=told[-4000:])
    sys.stderr.write(f"crashed in {where}\n{told}\n")
    sys.stderr.flush()
    os._exit(EXIT_CRASHED)


def guard() -> None:
    """From now on nothing that fails in this loop or in a thread goes unseen."""
    asyncio.get_running_loop().set_exception_handler(_in_a_callback)
    threading.excepthook = lambda failed: crash(f"thread {failed.thread}", failed.exc_value)


def _in_a_callback(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    crash(context["message"], context.get("exception"))


def mortal(callback: Callable[[Any], None]) -> Callable[[Any], None]:
    """For callbacks of zenoh, which prints what they raise and goes on."""

    def called(given: Any) -> None:
        try:
            callback(given)
        except Exception as why:
            crash(f"callback {callback}", why)

    return called


def spawn(work: Coroutine[Any, Any, Any]) -> asyncio.Task:
    """A task whose end is looked at."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(_ended)
    return task


def _ended(task: asyncio.Task) -> None:
    if not task.cancelled() and (why := task.exception()):
        crash(f"task {task.get_name()} {task.get_coro()}", why)
