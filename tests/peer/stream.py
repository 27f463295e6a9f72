"""One session's events at one node: ours go out until they are acked, the master's come in without a gap."""

import asyncio
import random
import time
from collections.abc import Callable
from typing import Any

from .life import spawn
from .log import die, say
from .models.base import SessionId, fresh_id
from .models.commands import ForwarderCommand, RequestEventLog
from .models.events import GlobalForwarderEvent, LocalForwarderEvent
from .ordering import Contradiction, Ordered

RESEND_AFTER = 5.0


class Stream:
    def __init__(self, session: SessionId, publish: Callable[[str, Any], None], applied: Callable[[int, Any], None]):
        self.session, self.publish, self.applied = session, publish, applied
        self.system_id = fresh_id()
        self.incoming = Ordered()
        self.unacked: dict[str, tuple[float, LocalForwarderEvent]] = {}
        self.nack: asyncio.Task | None = None
        self.attempts = 0
        self.retry = spawn(self._retry())

    def close(self) -> None:
        self.retry.cancel()
        if self.nack:
            self.nack.cancel()

    def outlet(self) -> Callable[[Any], None]:
        """A sending stream with an origin and indices of its own."""
        origin, indices = fresh_id(), iter(range(1 << 62))

        def emit(event: Any) -> None:
            local = LocalForwarderEvent(origin_idx=next(indices), origin=origin, session=self.session, event=event)
            self.unacked[event.event_id] = (time.monotonic(), local)
            self.publish("local_events", local)

        return emit

    async def _retry(self) -> None:
        while True:
            await asyncio.sleep(1 + random.random())
            now = time.monotonic()
            for event_id, (sent, local) in list(self.unacked.items()):
                if now > sent + RESEND_AFTER:
                    self.unacked[event_id] = (now, local)
                    self.publish("local_events", local)

    def heard(self, message: GlobalForwarderEvent) -> None:
        if message.session != self.session or message.origin != self.session.master_node_id:
            return
        self.unacked.pop(message.event.event_id, None)
        try:
            released = list(self.incoming.take(message.origin_idx, message.event))
        except Contradiction as why:
            die("contradiction", "global_events", message.model_dump_json().encode(), str(why))
        if released:
            self.attempts = 0
            if self.nack:
                self.nack.cancel()
                self.nack = None
        elif self.nack is None:
            self.nack = spawn(self._request())
        for index, event in released:
            self.applied(index, event)

    async def _request(self) -> None:
        await asyncio.sleep(min(10.0, 0.5 * 2**self.attempts))
        self.attempts += 1
        self.nack = None
        say("nack", since=self.incoming.next)
        request = RequestEventLog(since_idx=self.incoming.next)
        self.publish("commands", ForwarderCommand(origin=self.system_id, command=request))
