"""`exo-phone` in a namespace, and the questions that a scenario asks about it."""

import os
from pathlib import Path
from typing import Any

from .exo import Exo
from .lan import Host
from .processes import Process, eventually


def program() -> str:
    named = os.environ.get("EXO_PHONE", "")
    what_to_do = "run `cargo build -p exo-phone`, then set EXO_PHONE=target/debug/exo-phone"
    assert Path(named).is_file(), f"EXO_PHONE is {named!r}, which is no program: {what_to_do}"
    return str(Path(named).resolve())


class Phone(Process):
    def __init__(self, host: Host, directory: Path, *flags: str, command: str = "join", name: str | None = None):
        self.name = name or host.name
        env = {"XDG_DATA_HOME": str(directory / f"data-{self.name}")}
        words = [program(), command, "--json", "--name", self.name, *flags]
        super().__init__(host, f"phone-{self.name}", words, directory, env)

    @property
    def node_id(self) -> str:
        return self.wait_for_line(5, kind="started")["node_id"]

    def state(self) -> str | None:
        return next((line["state"] for line in reversed(self.log()) if line["kind"] == "state"), None)

    def wait_until(self, state: str, within: float) -> None:
        eventually(f"{self.name} is {state}", lambda: self.state() == state, within, self.tail)

    def latest(self, kind: str) -> dict[str, Any]:
        """The last line of that kind; none is an empty one."""
        return next((line for line in reversed(self.log()) if line["kind"] == kind), {})

    def wait_until_seen_by(self, exo: Exo, within: float = 5.0) -> None:
        """The judge decides: the phone is in the state of that exo."""
        exo.wait_until_it_knows(self.node_id, within)

    def wait_until_heard_again_by(self, exo: Exo, within: float = 5.0) -> None:
        """A new event of this phone is put into the log of that master."""
        before = len(exo.indexed(self.node_id))
        eventually(
            f"{exo.name} indexes another event of {self.name}",
            lambda: len(exo.indexed(self.node_id)) > before,
            within,
            lambda: exo.tail() + "\n" + self.tail(),
        )

    def assert_acks_are_in_the_log_of(self, *masters: Exo) -> None:
        """As many events stand in the logs as this phone takes for acked, or more: the last may be on its way."""
        acked = self.latest("stats").get("acked", 0)
        indexed = sum(len(master.indexed(self.node_id)) for master in masters)
        assert indexed >= acked, f"{acked} acked, {indexed} in the logs\n{self.tail()}"

    def resident_bytes(self) -> int:
        fields = Path(f"/proc/{self.popen.pid}/status").read_text().splitlines()
        return next((int(line.split()[1]) << 10 for line in fields if line.startswith("VmRSS")), 0)
