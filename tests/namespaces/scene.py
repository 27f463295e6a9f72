"""A LAN, the processes on it, and the directory of their logs."""

import json
import sys
from pathlib import Path
from typing import Any

from .exo import Exo
from .lan import Host, Lan
from .phone import Phone
from .processes import Process

EXIT_INVALID = 86


class Scene:
    def __init__(self, lan: Lan, directory: Path):
        self.lan, self.directory = lan, directory
        self.processes: list[Process] = []
        self.killed: list[Process] = []
        self.doomed: list[Process] = []

    def host(self, name: str, ipv4: str | None = "") -> Host:
        return self.lan.hosts.get(name) or self.lan.host(name, ipv4)

    def exo(self, name: str = "mac", *flags: str) -> Exo:
        exo = Exo(self.host(name), self.directory, *flags)
        self.processes.append(exo)
        return exo

    def phone(self, name: str = "pixel", *flags: str, command: str = "join") -> Phone:
        phone = Phone(self.host(name), self.directory, *flags, command=command)
        self.processes.append(phone)
        return phone

    def program(self, host: Host, name: str, module: str, *words: str) -> Process:
        """One of our own Python programs, on that host."""
        process = Process(host, name, [sys.executable, "-m", f"namespaces.{module}", *words], self.directory)
        self.processes.append(process)
        return process

    def publish(self, on: str, topic: str, *payloads: bytes) -> None:
        """Puts bytes on a topic through the exo that runs on that host. Whoever does this for real is no member."""
        words = ["tcp/127.0.0.1:52414", f"topics/{topic}", *(payload.hex() for payload in payloads)]
        assert self.program(self.host(on), "publisher", "publish", *words).wait(10) == 0

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
        """Without a goodbye. Afterwards it is only asked whether it heard something invalid before."""
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
        """What every scenario promises: no exo was harmed."""
        for process in self.processes:
            if process in self.killed:
                assert process.popen.returncode != EXIT_INVALID, process.tail()
            elif isinstance(process, Exo) and process not in self.doomed:
                process.assert_unharmed()
