"""The peer that plays exo, and the questions that a scenario asks about it."""

import http.client
import json
import socket
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from .lan import Host
from .processes import STARTED_WITHIN, Process, eventually

API = 52415


class Exo(Process):
    def __init__(self, host: Host, directory: Path, *flags: str):
        name = f"exo-{host.name}"
        super().__init__(host, name, [sys.executable, "-m", "peer", "--name", host.name, *flags], directory)
        self.forgives = "--forgiving" in flags
        self.node_id = self.wait_for_line(STARTED_WITHIN, say="ready")["node"]

    # Its view of the cluster.

    def connect(self, timeout: float = 5) -> http.client.HTTPConnection:
        """To its HTTP interface, from its own host."""
        connection = http.client.HTTPConnection("127.0.0.1", API, timeout=timeout)
        connection.sock = self.host.within(lambda: socket.create_connection(("127.0.0.1", API), timeout=timeout))
        return connection

    def get(self, path: str) -> Any:
        return self.ask("GET", path)[1]

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the JSON of the answer."""
        connection = self.connect()
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def state(self) -> dict[str, Any]:
        return self.get("/state")

    def nodes(self) -> set[str]:
        """Nobody, while its API is not up yet."""
        try:
            return set(self.state()["topology"]["nodes"])
        except OSError:
            return set()

    def knows(self, node_id: str) -> bool:
        return node_id in self.nodes()

    def wait_until_it_knows(self, node_id: str, within: float) -> None:
        eventually(f"{self.name} has {node_id} in /state", lambda: self.knows(node_id), within, self.tail)

    def wait_until_it_forgot(self, node_id: str, within: float) -> None:
        eventually(f"{self.name} has no {node_id} in /state", lambda: not self.knows(node_id), within, self.tail)

    # Its log.

    def indexed(self, node_id: str | None = None) -> list[dict[str, Any]]:
        """What it put into its log as master, in order; of one node, if named."""
        return [line for line in self.said(say="indexed") if node_id in (None, line["node"])]

    def heard(self, node_id: str) -> list[dict[str, Any]]:
        return list(self.said(say="local", node=node_id))

    def origins_of(self, node_id: str) -> set[str]:
        """The streams in which that node spoke. A master may speak about it, but not measure in its place."""
        return {line["origin"] for line in self.heard(node_id) if line["tag"] == "NodeGatheredInfo"}

    def commands(self, name: str) -> list[dict[str, Any]]:
        return [line["command"][name] for line in self.said(say="command") if name in line["command"]]

    def master(self) -> str:
        return list(self.said(say="session"))[-1]["master"]

    def links(self) -> int:
        """How many times a client came."""
        return len(list(self.said(say="link", kind="client", up=True)))

    def clients(self) -> int:
        """How many clients are linked to it now."""
        links = list(self.said(say="link", kind="client"))
        return sum(1 if line["up"] else -1 for line in links)

    # Its verdict.

    def assert_unharmed(self) -> None:
        """Alive, and its log is sound."""
        assert self.is_running(), f"{self.name} died with {self.popen.returncode}\n{self.tail()}"
        self.assert_log_is_sound()

    def assert_log_is_sound(self) -> None:
        """Each stream kept the rules: nothing invalid, no gap, no index or event twice. The dead are asked too."""
        for evil in ("invalid", "contradiction", "crashed"):
            assert list(self.said(say=evil)) == []
        assert "Traceback" not in self.complaints(), self.tail()
        if not self.forgives:
            assert list(self.said(say="dropped")) == [], "what was dropped was not judged"
        reused = [(line["origin"], line["idx"]) for line in self.said(say="reused")]
        assert not reused, f"one index for two events: {reused}"
        streams: dict[tuple[str, int], set[int]] = defaultdict(set)
        for line in self.said(say="local", master=self.node_id):
            streams[line["origin"], line["clock"]].add(line["idx"])
        for (origin, _), stream in streams.items():
            gap = set(range(max(stream) + 1)) - stream
            assert not gap, f"{origin} never sent {sorted(gap)}: its stream stands still"
        indexed = Counter(line["event_id"] for line in self.indexed())
        assert [event for event, times in indexed.items() if times > 1] == []
        places = [line["idx"] for line in self.indexed()]
        assert all(place in (0, before + 1) for before, place in pairwise(places)), "its own log has a gap"

    def assert_forgave_nobody_but(self, foul: set[str], phones: set[str]) -> None:
        """What it overlooked came from those who were told to send it, by digest, and bears no mark of a phone."""
        marks = phones.union(*map(self.origins_of, phones))
        for line in self.said(say="forgiven"):
            assert line["digest"] in foul, f"nobody was told to send this: {line}"
            assert not [mark for mark in marks if mark in line["payload"]], f"a phone sent this: {line}"
