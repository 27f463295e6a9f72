"""Where the membership stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from . import _core


@dataclass(frozen=True)
class Searching:
    """No cluster yet. The search says why."""


@dataclass(frozen=True)
class Connecting:
    """A cluster was found and is being dialled."""

    to: str


@dataclass(frozen=True)
class Joining:
    """Linked; waiting for the first acknowledgement."""


@dataclass(frozen=True)
class Joined:
    """The cluster knows us."""

    nodes: int
    """How many nodes it has, us included."""


@dataclass(frozen=True)
class ListeningOnly:
    """Linked, but nothing is sent: the cluster's build is not one that we know."""

    why: str


@dataclass(frozen=True)
class Degraded:
    """We were joined and something is wrong. Being repaired."""

    why: str


@dataclass(frozen=True)
class Draining:
    """Saying goodbye."""


@dataclass(frozen=True)
class Left:
    """Over."""


@dataclass(frozen=True)
class Failed:
    """Over through a fault of our own. Join again, and report it."""

    why: str


NodeState: TypeAlias = Searching | Connecting | Joining | Joined | ListeningOnly | Degraded | Draining | Left | Failed

_BY_NAME: dict[str, type[NodeState]] = {
    "SEARCHING": Searching,
    "CONNECTING": Connecting,
    "JOINING": Joining,
    "JOINED": Joined,
    "LISTENING_ONLY": ListeningOnly,
    "DEGRADED": Degraded,
    "DRAINING": Draining,
    "LEFT": Left,
    "FAILED": Failed,
}


def state_of(state: _core.NodeState) -> NodeState:
    """Ours for the generated one, whose classes share names and fields with these."""
    return _BY_NAME[type(state).__name__.rpartition(".")[2]](**vars(state))
