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

    def indexed_by(self, *masters: Exo) -> int:
        """How many events of its own streams stand in these logs. What a master says about it is not among them."""
        origins = set().union(*(master.origins_of(self.node_id) for master in masters))
        return sum(line["origin"] in origins for master in masters for line in master.indexed())

    def assert_acks_are_in_the_log_of(self, *masters: Exo) -> None:
        """What it takes for acked stands in the logs, and what stands there it sent.

        With one master all the while the three numbers become the same as soon as nothing is on its way. A master
        that goes may take events along, or the last acknowledgements. The phone tells numbers, not ids.
        """

        def numbers() -> tuple[int, int, int]:
            stats = self.latest("stats")
            return stats.get("acked", 0), self.indexed_by(*masters), stats.get("sent", 0)

        def agree() -> bool:
            acked, indexed, sent = numbers()
            return acked == indexed == sent if len(masters) == 1 else acked <= indexed <= sent

        eventually(
            "acked, indexed and sent agree", agree, 5, lambda: f"{numbers()}\n{masters[-1].tail()}\n{self.tail()}"
        )

    def assert_sound(self) -> None:
        """It did not panic, complain or fail, and its gate had nothing to keep back."""
        assert not self.complaints(), self.tail()
        assert list(self.said(kind="state", state="failed")) == []
        refused = max((line["refused"] for line in self.said(kind="stats")), default=0)
        assert refused == 0, f"its gate refused {refused} payloads of its own\n{self.tail()}"

    def udp_ports(self) -> set[int]:
        """Where datagrams reach it."""
        mine = f"pid={self.popen.pid},"
        lines = [line.split() for line in self.host.listening().splitlines() if mine in line]
        return {int(words[4].rpartition(":")[2]) for words in lines if words[0] == "udp"}

    def cpu_seconds(self) -> float:
        """Of one core, since its start, in the program and in the kernel for it."""
        fields = Path(f"/proc/{self.popen.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def own_bytes(self) -> int:
        """What it allocated and wrote. Pages of the program's file are not counted: they tell how it was built."""
        return self._bytes_of("RssAnon")

    def resident_bytes(self) -> int:
        return self._bytes_of("VmRSS")

    def _bytes_of(self, field: str) -> int:
        lines = Path(f"/proc/{self.popen.pid}/status").read_text().splitlines()
        return next((int(line.split()[1]) << 10 for line in lines if line.startswith(field)), 0)
