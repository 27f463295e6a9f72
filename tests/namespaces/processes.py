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

from .lan import NETNS, Host

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """A killed test run leaves no process behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def patience() -> float:
    """Deadlines are meant for a machine with nothing else to do. How much longer they take on this one, now."""
    return min(4.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1) / 2))


def eventually(what: str, check: Callable[[], Any], within: float, explain: Callable[[], str] = lambda: "") -> Any:
    """The first true answer. Conditions, not sleeps: the deadline is only there for failures."""
    allowed = within * patience()
    end = time.monotonic() + allowed
    while True:
        if answer := check():
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"not within {within} s ({allowed:.0f} s on this machine): {what}\n{explain()}")
        time.sleep(0.02)


class Process:
    """`<name>.log` holds its JSON lines, `<name>.err` what it said besides."""

    def __init__(self, host: Host, name: str, command: list[str], directory: Path, env: dict[str, str] | None = None):
        self.host, self.name = host, name
        self.log_path, self.err_path = directory / f"{name}.log", directory / f"{name}.err"
        self.lines: list[dict[str, Any]] = []
        self.read_to = 0
        self.started = time.time()
        with self.log_path.open("ab") as out, self.err_path.open("ab") as err:
            self.read_to = out.tell()
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
        return self.popen.wait(within * patience())

    def ask_to_stop(self) -> None:
        self.popen.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def freeze(self) -> None:
        self.popen.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.popen.send_signal(signal.SIGCONT)
