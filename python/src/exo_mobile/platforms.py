"""What a program does for the core. All of it may be left out; `ExoNode.join` says what the core does then.

The core calls this code on threads that nothing else waits for. It may be slow and it may raise: that is an answer too.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Protocol

from ._core import LogLevel
from .errors import translated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from . import _core
    from ._core import Advertisement, Group, Identity, Quantity, Service
    from .readings import Reading


class Probe(Protocol):
    """How the device is looked at. Only true values: what cannot be had is `Reading.unavailable`, with the reason.

    Never called twice at once. One that hangs is not waited for.
    """

    def identity(self) -> Identity:
        """Who the device is. Asked once."""
        ...

    def read(self, wanted: Collection[Group]) -> Mapping[Quantity, Reading[Any]]:
        """One look at the groups that are wanted. More may be told, less is unavailable."""
        ...


class KeyStore(Protocol):
    """Keeps the node's identity: exo remembers each one until its session ends, so a device shall keep its own."""

    def load(self) -> str | None:
        """The identity that was kept, if there is one."""
        ...

    def save(self, identity: str) -> None:
        """Keeps this one from now on."""
        ...


class LogSink(Protocol):
    """Where the core's log goes. One that is too slow loses lines."""

    def log(self, level: LogLevel, about: str, line: str) -> None:
        """One line about a part of the core: `node`, `discovery`."""
        ...


class Lifecycle(Protocol):
    """Tells the core what becomes of the app."""

    def watch(self, life: AppLife) -> None:
        """From now on, tell `life` what happens. What holds now is told too."""
        ...

    def unwatch(self) -> None:
        """Nothing needs to be told any more."""
        ...


class DiscoveryProvider(Protocol):
    """Somebody who does DNS-SD for the core, such as the system's own daemon."""

    def browse(self, service_type: str, listener: ServiceListener) -> None:
        """Begins to browse; tells `listener` what it sees, from any thread."""
        ...

    def stop_browsing(self) -> None: ...

    def advertise(self, advertisement: Advertisement) -> None:
        """Advertises this, and nothing that was advertised before."""
        ...

    def withdraw(self) -> None:
        """Takes back what is advertised."""
        ...


class AppLife:
    """Hears what becomes of the app. What is told after the node has ended does nothing."""

    def __init__(self, life: _core.AppLife) -> None:
        self._life = life

    def shown(self, *, shown: bool) -> None:
        """The app is on the screen, or is not any more."""
        with translated():
            self._life.shown(shown)

    def noticed(self, groups: Iterable[Group]) -> None:
        """These readings changed: look at them now, not when it is their turn."""
        with translated():
            self._life.noticed(list(groups))


class ServiceListener:
    """Hears what browsing sees. May be told from any thread, also after browsing was stopped."""

    def __init__(self, listener: _core.ServiceListener) -> None:
        self._listener = listener

    def resolved(self, service: Service) -> None:
        """A service was resolved, or has changed."""
        with translated():
            self._listener.resolved(service)

    def failed(self, why: str, *, is_permission: bool = False) -> None:
        """Browsing broke and is over; `is_permission`: because the system or its user does not allow it."""
        with translated():
            self._listener.failed(is_permission, why)


_LEVELS = {
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}


class LoggingSink:
    """The log of Python: `exo_mobile.node`, `exo_mobile.discovery` and so on."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger("exo_mobile")

    def log(self, level: LogLevel, about: str, line: str) -> None:
        self._logger.getChild(about).log(_LEVELS[level], line)


# A library is silent until its program sets up a log.
logging.getLogger("exo_mobile").addHandler(logging.NullHandler())
