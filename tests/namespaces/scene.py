"""A LAN, the processes on it, and the directory of their logs."""

import json
import signal
import sys
from pathlib import Path
from typing import Any, TypeVar

from peer.log import digest

from .exo import Exo
from .lan import Host, Lan
from .phone import Phone
from .processes import STARTED_WITHIN, Process

Watched = TypeVar("Watched", bound=Process)


class Scene:
    def __init__(self, lan: Lan, directory: Path):
        self.lan, self.directory = lan, directory
        self.processes: list[Process] = []
        self.killed: list[Process] = []
        self.doomed: list[Process] = []
        self.foul: set[str] = set()

    def host(self, name: str, ipv4: str | None = "") -> Host:
        return self.lan.hosts.get(name) or self.lan.host(name, ipv4)

    def exo(self, name: str = "mac", *flags: str) -> Exo:
        return self.watch(Exo(self.host(name), self.directory, *flags))

    def phone(self, name: str = "pixel", *flags: str, command: str = "join") -> Phone:
        return self.watch(Phone(self.host(name), self.directory, *flags, command=command))

    def program(self, host: Host, name: str, module: str, *words: str) -> Process:
        """One of our own Python programs, on that host."""
        return self.watch(
            Process(host, name, [sys.executable, "-m", f"namespaces.{module}", *words], self.directory)
        )

    def watch(self, process: Watched) -> Watched:
        """It ends with the scene at the latest."""
        self.processes.append(process)
        return process

    def publish(self, on: str, topic: str, *payloads: bytes) -> None:
        """Puts bytes on a topic through the exo that runs on that host. Whoever does this for real is no member."""
        self.foul |= {digest(payload) for payload in payloads}
        words = ["tcp/127.0.0.1:52414", f"topics/{topic}", *(payload.hex() for payload in payloads)]
        assert self.program(self.host(on), "publisher", "publish", *words).wait(STARTED_WITHIN) == 0

    def local_event(self, master: str, index: int, event: dict[str, Any]) -> bytes:
        session = {"master_node_id": master, "election_clock": 0}
        return json.dumps({"origin_idx": index, "origin": "by hand", "session": session, "event": event}).encode()

    def global_event(self, master: Exo, event: dict[str, Any]) -> bytes:
        """The next event of that master's log, as if from it."""
        session = {"master_node_id": master.node_id, "election_clock": 0}
        index = master.state()["lastEventAppliedIdx"] + 1
        message = {"origin_idx": index, "origin": master.node_id, "session": session, "event": event}
        return json.dumps(message).encode()

    def kill(self, process: Process) -> None:
        """Without a goodbye. What it logged before is judged like that of the living."""
        process.kill()
        self.killed.append(process)

    def expect_death(self, process: Process) -> None:
        self.doomed.append(process)

    def close(self) -> None:
        for process in self.processes:
            if process.is_running():
                process.thaw()
                process.kill()

    def assert_everybody_well(self) -> None:
        """What every scenario promises: no exo was harmed, and no phone failed."""
        phones = [process for process in self.processes if isinstance(process, Phone)]
        exos = [process for process in self.processes if isinstance(process, Exo) and process not in self.doomed]
        foul = self.foul | {line["digest"] for process in self.processes for line in process.said(say="sent")}
        for exo in exos:
            self._assert_ended_as_told(exo)
            exo.assert_log_is_sound()
            exo.assert_forgave_nobody_but(foul, {phone.node_id for phone in phones})
        for phone in phones:
            self._assert_ended_as_told(phone)
            phone.assert_sound()

    def _assert_ended_as_told(self, process: Process) -> None:
        """Killed ones were alive until then; an exo is there to the end; a phone may have left, in peace."""
        code = process.popen.poll()
        if process in self.killed:
            assert code == -signal.SIGKILL, f"{process.name} had ended with {code}\n{process.tail()}"
        else:
            fine = (None, 0) if isinstance(process, Phone) else (None,)
            assert code in fine, f"{process.name} ended with {code}\n{process.tail()}"
