"""Who is master: exo's election, started by liveliness tokens and by higher clocks."""

import asyncio
from collections.abc import Callable

from .life import spawn
from .log import say
from .models.base import SessionId
from .models.topics import ElectionMessage

SETTLE = 0.2
CAMPAIGN = 3.0


class Election:
    def __init__(
        self,
        node_id: str,
        send: Callable[[ElectionMessage], None],
        elected: Callable[[SessionId], None],
        seniority: int = 0,
    ):
        """`elected` is called when the session changed, and only then."""
        self.node_id, self.send, self.elected, self.seniority = node_id, send, elected, seniority
        self.clock = 0
        self.commands_seen = 0
        self.session = SessionId(master_node_id=node_id, election_clock=0)
        self.candidates: list[ElectionMessage] = []
        self.campaign: asyncio.Task | None = None
        self.settling: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._begin([], 0.0)

    def is_campaigning(self) -> bool:
        return self.campaign is not None and not self.campaign.done()

    def token_changed(self) -> None:
        """Further changes within the pause belong to the same round."""
        if self.settling is None:
            self.settling = asyncio.get_running_loop().call_later(SETTLE, self._settled)

    def _settled(self) -> None:
        self.settling = None
        self.clock += 1
        self._begin([], CAMPAIGN)

    def command_seen(self, _: object) -> None:
        self.commands_seen += 1

    def heard(self, message: ElectionMessage) -> None:
        if message.proposed_session.master_node_id == self.node_id:
            return
        say("election message", **message.model_dump())
        if message.clock > self.clock:
            self.clock = message.clock
            self._begin([message], CAMPAIGN)
        elif message.clock == self.clock:
            self.candidates.append(message)

    def _begin(self, candidates: list[ElectionMessage], pause: float) -> None:
        if self.campaign:
            self.campaign.cancel()
        self.candidates = candidates
        self.campaign = spawn(self._run(candidates, pause))

    async def _run(self, candidates: list[ElectionMessage], pause: float) -> None:
        say("campaign", clock=self.clock)
        status = self._status()
        candidates.append(status)
        self.send(status)
        await asyncio.sleep(pause)
        self.send(status)
        winner = max(candidates, key=ElectionMessage.rank)
        if winner.proposed_session.master_node_id == self.node_id and self.seniority >= 0:
            self.seniority = max(self.seniority, len(candidates))
        is_new = winner.proposed_session != self.session
        self.session = winner.proposed_session
        say("elected", master=self.session.master_node_id, clock=self.session.election_clock, new=is_new)
        if is_new:
            self.elected(self.session)

    def _status(self) -> ElectionMessage:
        own = self.session.master_node_id == self.node_id
        proposed = self.session if own else SessionId(master_node_id=self.node_id, election_clock=self.clock)
        return ElectionMessage(
            clock=self.clock, seniority=self.seniority, proposed_session=proposed, commands_seen=self.commands_seen
        )
