"""The zenoh session of an exo node: a router with six topics and a liveliness token.

Every payload from outside passes the strict parser before anybody sees it. What the node itself publishes is also
delivered to itself, as exo's router does. What it does not play: the memory storage, which exo does not use either.
"""

import asyncio
import json
import queue
import threading
from collections.abc import Callable
from typing import Any

import zenoh

from .life import mortal
from .log import die, forgive, say
from .models.base import Strict
from .models.topics import TOPICS, parse
from .room import Room

# exo's receive path drops when this many messages wait.
INBOX = 1024

Consumer = Callable[[Any], None]


class Bus:
    def __init__(
        self,
        node_id: str,
        port: int,
        locators: list[str],
        *,
        forgiving: bool,
        dialect: Callable[[str, str], str],
        local: bool = False,
    ):
        self.node_id, self.forgiving, self.dialect = node_id, forgiving, dialect
        self.loop = asyncio.get_running_loop()
        self.consumers: dict[str, list[Consumer]] = {topic: [] for topic in TOPICS}
        self.room = Room(INBOX, self._dropped)
        self.outbox: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
        self.session = zenoh.open(_config(node_id, f"tcp/127.0.0.1:{port}" if local else f"tcp/[::]:{port}", locators))
        self.publishers = {topic: self._publisher(topic) for topic in TOPICS}
        threading.Thread(target=self._publish_for_ever, daemon=True).start()

    def _publisher(self, topic: str) -> zenoh.Publisher:
        return self.session.declare_publisher(
            f"topics/{topic}", congestion_control=zenoh.CongestionControl.BLOCK, priority=zenoh.Priority.DATA
        )

    def listen(self, topic: str, consumer: Consumer) -> None:
        self.consumers[topic].append(consumer)

    def start(self, token_changed: Callable[[], None]) -> None:
        """Subscribes and shows the token, when all consumers are there."""
        session, remote = self.session, zenoh.Locality.REMOTE
        self.kept = [
            session.declare_subscriber(f"topics/{topic}", mortal(self._hearing(topic)), allowed_origin=remote)
            for topic in TOPICS
        ]

        def on_token(sample: zenoh.Sample) -> None:
            self._in_loop(self._token, str(sample.key_expr), sample.kind == zenoh.SampleKind.PUT, token_changed)

        # A dead router's token stays alive at its neighbours in stock zenoh 1.9.0 (zenoh #2602). exo's fork withdraws
        # it at once; the end of the transport tells the same.
        def on_transport(event: zenoh.TransportEvent) -> None:
            zid, kind = str(event.transport.zid), str(event.transport.whatami)
            is_up = event.kind == zenoh.SampleKind.PUT
            self._in_loop(lambda: say("link", zid=zid, kind=kind, up=is_up))
            if not is_up and event.transport.whatami == zenoh.WhatAmI.ROUTER:
                self._in_loop(self._token, f"live/{zid}", False, token_changed)

        self.kept.append(session.info.declare_transport_events_listener(mortal(on_transport)))
        self.kept.append(session.liveliness().declare_token(f"live/{self.node_id}"))
        self.kept.append(session.liveliness().declare_subscriber("live/*", mortal(on_token), history=True))

    def _token(self, key: str, is_alive: bool, token_changed: Callable[[], None]) -> None:
        say("token", key=key, alive=is_alive)
        token_changed()

    def _in_loop(self, function: Callable[..., None], *arguments: Any) -> None:
        try:
            self.loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            pass  # the loop is closed: we are leaving

    def _hearing(self, topic: str) -> Callable[[zenoh.Sample], None]:
        def heard(sample: zenoh.Sample) -> None:
            if self.room.enter():
                self._in_loop(self._heard, topic, sample.payload.to_bytes())

        return heard

    def _heard(self, topic: str, payload: bytes) -> None:
        self.room.leave()
        try:
            message = parse(topic, payload)
        except Exception as why:
            if not self.forgiving:
                die("invalid", topic, payload, str(why))
            forgive(topic, payload, str(why))
            return
        self._deliver(topic, message)

    def _dropped(self, number: int) -> None:
        self._in_loop(lambda: say("dropped", number=number))

    def _deliver(self, topic: str, message: Strict) -> None:
        for consumer in self.consumers[topic]:
            consumer(message)

    def publish(self, topic: str, message: Strict) -> None:
        self.outbox.put((topic, message.model_dump_json()))
        self.loop.call_soon(self._deliver, topic, message)

    def _publish_for_ever(self) -> None:
        """In a thread of its own: BLOCK means that a slow link makes the sender wait."""
        while True:
            topic, text = self.outbox.get()
            try:
                self.publishers[topic].put(self.dialect(topic, text).encode())
            except zenoh.ZError:
                return


def _config(node_id: str, endpoint: str, locators: list[str]) -> zenoh.Config:
    config = zenoh.Config()
    for key, value in {
        "mode": "router",
        "id": node_id,
        "listen/endpoints": [endpoint],
        "connect/endpoints": locators,
        "connect/timeout_ms": -1,
        "connect/exit_on_failure": False,
        "connect/retry": {"period_init_ms": 100, "period_max_ms": 300, "period_increase_factor": 2},
        "scouting/multicast/enabled": False,
        "scouting/gossip/multihop": True,
        "adminspace": {"enabled": True, "permissions": {"read": True, "write": False}},
        "transport/link/rx/buffer_size": 16 << 20,
    }.items():
        config.insert_json5(key, json.dumps(value))
    return config
