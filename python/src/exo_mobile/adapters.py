"""The program's own code as the core calls it: converted, and whatever it raises told as an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from .ending import lent
from .errors import told_to_the_core
from .platforms import AppLife, ServiceListener
from .readings import samples_of

if TYPE_CHECKING:
    from . import platforms


class Probed(_core.Probe):
    def __init__(self, probe: platforms.Probe) -> None:
        self._probe = probe

    def identity(self) -> _core.Identity:
        with told_to_the_core():
            return self._probe.identity()

    def read(self, wanted: list[_core.Group]) -> list[_core.Sample]:
        with told_to_the_core():
            return samples_of(self._probe.read(frozenset(wanted)))


class Kept(_core.KeyStore):
    def __init__(self, keys: platforms.KeyStore) -> None:
        self._keys = keys

    def load(self) -> str | None:
        with told_to_the_core():
            return self._keys.load()

    def save(self, identity: str) -> None:
        with told_to_the_core():
            self._keys.save(identity)


class Logged(_core.LogSink):
    def __init__(self, sink: platforms.LogSink) -> None:
        self._sink = sink

    def log(self, level: _core.LogLevel, about: str, line: str) -> None:
        with told_to_the_core():
            self._sink.log(level, about, line)


class Watched(_core.Lifecycle):
    def __init__(self, lifecycle: platforms.Lifecycle) -> None:
        self._lifecycle = lifecycle

    def watch(self, life: _core.AppLife) -> None:
        with told_to_the_core():
            self._lifecycle.watch(AppLife(life))

    def unwatch(self) -> None:
        with told_to_the_core():
            self._lifecycle.unwatch()


class Discovered(_core.DiscoveryProvider):
    def __init__(self, provider: platforms.DiscoveryProvider) -> None:
        self._provider = provider

    def browse(self, service_type: str, listener: _core.ServiceListener) -> None:
        with told_to_the_core():
            self._provider.browse(service_type, ServiceListener(listener))

    def stop_browsing(self) -> None:
        with told_to_the_core():
            self._provider.stop_browsing()

    def advertise(self, advertisement: _core.Advertisement) -> None:
        with told_to_the_core():
            self._provider.advertise(advertisement)

    def withdraw(self) -> None:
        with told_to_the_core():
            self._provider.withdraw()


def platform_of(
    *,
    probe: platforms.Probe | None,
    discovery: platforms.DiscoveryProvider | None,
    keys: platforms.KeyStore | None,
    log: platforms.LogSink | None,
    lifecycle: platforms.Lifecycle | None,
    models: _core.ModelHost | None,
) -> _core.Platform:
    """What the program provides, as the core takes it."""
    return _core.Platform(
        probe=None if probe is None else lent(Probed(probe)),
        discovery=None if discovery is None else lent(Discovered(discovery)),
        keys=None if keys is None else lent(Kept(keys)),
        log=None if log is None else lent(Logged(log)),
        lifecycle=None if lifecycle is None else lent(Watched(lifecycle)),
        models=models,
    )
