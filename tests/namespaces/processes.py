"""Processes that log JSON lines, and waiting for a line to come."""

import ctypes
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import record
from .lan import NETNS, Host

PR_SET_PDEATHSIG = 1
MOST_PATIENCE = 2.0
# For programs of the test itself. Nobody promised anything about them.
STARTED_WITHIN = 60.0


def die_with_parent() -> None:
    """A killed test run leaves no process behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def patience() -> float:
    """Deadlines are meant for a machine with nothing else to do. How much longer they may take on this one, now."""
    return min(MOST_PATIENCE, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1) / 2))


def eventually(
    what: str,
    check: Callable[[], Any],
    within: float,
    explain: Callable[[], str] = lambda: "",
    since: float | None = None,
) -> Any:
    """The first true answer. Conditions, not sleeps: the deadline is only there for failures.

    It counts from now, or from `since` on the monotonic clock: what is timed may have begun before the question.
    """
    start, allowed = since or time.monotonic(), within * patience()
    while True:
        answer, took = check(), time.monotonic() - start
        if answer:
            on_time(what, took, within)
            return answer
        if took > allowed:
            raise AssertionError(f"not within {within} s ({allowed:.1f} s on this machine): {what}\n{explain()}")
        time.sleep(0.02)


def on_time(what: str, took: float, within: float) -> None:
    if took > within:
        record.late(f"{what} took {took:.1f} s instead of {within:.1f} s")


class Process:
    """`<name>.log` holds its JSON lines, `<name>.err` what it said besides. The second of that name is `<name>-2`."""

    def __init__(self, host: Host, name: str, command: list[str], directory: Path, env: dict[str, str] | None = None):
        self.host, self.name = host, name
        before = len(list(directory.glob(f"{name}.log"))) + len(list(directory.glob(f"{name}-[0-9]*.log")))
        name = f"{name}-{before + 1}" if before else name
        self.log_path, self.err_path = directory / f"{name}.log", directory / f"{name}.err"
        self.lines: list[dict[str, Any]] = []
        self.read_to = 0
        self.started = time.time()
        with self.log_path.open("xb") as out, self.err_path.open("xb") as err:
            self.popen = subprocess.Popen(
                ["nsenter", f"--net={NETNS / host.namespace}", "--", *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=os.environ | (env or {}),
                cwd=Path(__file__).parents[1],
                preexec_fn=die_with_parent,
            )

    def log(self) -> list[dict[str, Any]]:
        """All whole lines so far."""
        with self.log_path.open("rb") as file:
            file.seek(self.read_to)
            fresh = file.read()
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self.read_to += len(whole)
        for line in whole.splitlines():
            self.lines.append(json.loads(line))
        return self.lines

    def said(self, **facts: Any) -> Iterator[dict[str, Any]]:
        return (line for line in self.log() if all(line.get(key) == value for key, value in facts.items()))

    def wait_for_line(self, within: float, **facts: Any) -> dict[str, Any]:
        return eventually(f"{self.name} says {facts}", lambda: next(self.said(**facts), None), within, self.tail)

    def tail(self) -> str:
        def last(path: Path) -> str:
            return "\n".join(path.read_text(errors="replace").splitlines()[-15:])

        return f"-- {self.log_path}\n{last(self.log_path)}\n-- {self.err_path}\n{last(self.err_path)}"

    def is_running(self) -> bool:
        return self.popen.poll() is None

    def interrupt(self, within: float = 5.0) -> int:
        """Ctrl-C; the exit code."""
        self.ask_to_stop()
        return self.wait(within)

    def wait(self, within: float) -> int:
        """The exit code of a process that is about to end."""
        start = time.monotonic()
        code = self.popen.wait(within * patience())
        on_time(f"the end of {self.name}", time.monotonic() - start, within)
        return code

    def ask_to_stop(self) -> None:
        self.popen.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def complaints(self) -> str:
        """What it said besides its lines."""
        return self.err_path.read_text(errors="replace")

    def freeze(self) -> None:
        self.popen.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.popen.send_signal(signal.SIGCONT)
