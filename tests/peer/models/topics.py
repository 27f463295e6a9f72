"""Which model each topic carries, and the one way in for bytes from the network."""

from .base import SessionId, Strict
from .commands import ForwarderCommand, ForwarderDownloadCommand
from .events import GlobalForwarderEvent, LocalForwarderEvent


class ElectionMessage(Strict):
    clock: int
    seniority: int
    proposed_session: SessionId
    commands_seen: int

    def rank(self) -> tuple[int, int, int, str]:
        """The greatest wins. Node ids are compared as strings here, unlike in discovery."""
        return (self.clock, self.seniority, self.commands_seen, self.proposed_session.master_node_id)


class ConnectionMessage(Strict):
    """Never sent, but subscribed to: a bad payload on its topic ends an exo too."""

    connected: bool


TOPICS: dict[str, type[Strict]] = {
    "global_events": GlobalForwarderEvent,
    "local_events": LocalForwarderEvent,
    "commands": ForwarderCommand,
    "election_messages": ElectionMessage,
    "connection_messages": ConnectionMessage,
    "download_commands": ForwarderDownloadCommand,
}


def parse(topic: str, payload: bytes) -> Strict:
    """The message, or an exception of whatever kind: exo makes no difference between them."""
    return TOPICS[topic].model_validate_json(payload.decode("utf-8"))
