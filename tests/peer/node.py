"""One exo node: what an election changes, and who hears which topic."""

from collections.abc import Callable
from typing import Any

from .bus import Bus
from .election import Election
from .log import say
from .master import Master
from .models.base import SessionId
from .models.events import LocalForwarderEvent
from .state import State
from .stream import Stream
from .worker import Worker


class Node:
    def __init__(self, node_id: str, name: str, bus: Bus, *, api_port: int, downloads: int, seniority: int):
        self.node_id, self.name, self.bus = node_id, name, bus
        self.api_port, self.downloads = api_port, downloads
        self.master: Master | None = None
        self.followers: list[Callable[[Any], None]] = []
        self.used: dict[tuple[str, int, SessionId], LocalForwarderEvent] = {}
        self.election = Election(node_id, lambda m: bus.publish("election_messages", m), self._follow, seniority)
        self._open(self.election.session)
        bus.listen("election_messages", self.election.heard)
        bus.listen("commands", self.election.command_seen)
        bus.listen("commands", self._command)
        bus.listen("local_events", self._local)
        bus.listen("global_events", lambda message: self.stream.heard(message))
        bus.listen("download_commands", lambda message: say("download command", command=message.command.tag()))
        bus.start(self.election.token_changed)
        self.election.start()

    def _follow(self, session: SessionId) -> None:
        """A new session: everything of the old one is thrown away, state included."""
        self.stream.close()
        self.worker.close()
        if self.master:
            self.master.close()
        self._open(session)

    def _open(self, session: SessionId) -> None:
        say("session", master=session.master_node_id, clock=session.election_clock)
        self.state, self.applied = State(), []
        self.stream = Stream(session, self.bus.publish, self._apply)
        self.master = None
        if session.master_node_id == self.node_id:
            publish = lambda message: self.bus.publish("global_events", message)  # noqa: E731
            self.master = Master(self.node_id, session, publish, self.stream.outlet())
        self.worker = Worker(self.node_id, self.name, self.api_port, self.downloads, self.stream.outlet(), self.state)

    def _apply(self, index: int, event: Any) -> None:
        self.state.apply(index, event)
        self.applied.append(event)
        for follower in self.followers:
            follower(event)

    def _local(self, local: LocalForwarderEvent) -> None:
        event = local.event
        say(
            "local",
            origin=local.origin,
            idx=local.origin_idx,
            event_id=event.event_id,
            tag=event.tag(),
            info=type(event.info).__name__ if hasattr(event, "info") else None,
            node=getattr(event, "node_id", None),
            master=local.session.master_node_id,
            clock=local.session.election_clock,
        )
        self._look_for_reuse(local)
        if self.master:
            self.master.heard(local)

    def _look_for_reuse(self, local: LocalForwarderEvent) -> None:
        """A master notices two contents of one index only while the first waits for its turn. A judge always does."""
        place = (local.origin, local.origin_idx, local.session)
        if self.used.setdefault(place, local) != local:
            say("reused", origin=local.origin, idx=local.origin_idx)

    def _command(self, forwarded: Any) -> None:
        say("command", origin=forwarded.origin, command=forwarded.command.model_dump(mode="json"))
        if self.master:
            self.master.command(forwarded)
