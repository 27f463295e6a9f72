"""`exo-phone` in a namespace, and the questions that a scenario asks about it."""

import os
from pathlib import Path
from typing import Any

from .exo import Exo
from .lan import Host
from .processes import Process, eventually


class Phone(Process):
    def __init__(self, host: Host, directory: Path, *flags: str, command: str = "join", name: str | None = None):
        self.name = name or host.name
        env = {"XDG_DATA_HOME": str(directory / f"data-{self.name}")}
        words = [os.environ["EXO_PHONE"], command, "--json", "--name", self.name, *flags]
        super().__init__(host, f"phone-{self.name}", words, directory, env)

    @property
    def node_id(self) -> str:
        def told() -> str | None:
            return next((line["node_id"] for line in self.log() if "node_id" in line), None)

        return eventually(f"{self.name} tells its id", told, 5, self.tail)

    def states(self) -> list[str]:
        return [line["state"] for line in self.log() if "state" in line]

    def state(self) -> str | None:
        return next(reversed(self.states()), None)

    def wait_until(self, state: str, within: float) -> None:
        eventually(f"{self.name} is {state}", lambda: self.state() == state, within, self.tail)

    def last(self, key: str) -> Any:
        return next((line[key] for line in reversed(self.log()) if key in line), None)

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
        """What this phone takes for acknowledged stands in a log, once (twice is checked at the end of each scene)."""
        acked = {line["acked"] for line in self.log() if "acked" in line}
        indexed = {line["event_id"] for master in masters for line in master.indexed()}
        assert acked <= indexed, f"acked but in no log: {acked - indexed}"

    def resident_bytes(self) -> int:
        fields = Path(f"/proc/{self.popen.pid}/status").read_text().splitlines()
        return next((int(line.split()[1]) << 10 for line in fields if line.startswith("VmRSS")), 0)
