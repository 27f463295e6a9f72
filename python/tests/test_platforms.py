"""Code of the program that the core calls."""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually, first

from exo_mobile import (
    Advertisement,
    AppLife,
    DeviceType,
    ErrorKind,
    ExoError,
    ExoNode,
    Group,
    Identity,
    LogLevel,
    NetworkKind,
    Provider,
    Quantity,
    Reading,
    Service,
    ServiceListener,
    Source,
    ThermalStatus,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from exo_on_loopback import Exo

NOBODY: dict[str, Any] = {"only": [Provider.LOOPBACK], "discovery_port": 9}
IDENTITY = Identity(
    name="Ada's board",
    model="Board 5",
    chip="BCM2712",
    os_version="Linux 6",
    os_build="1",
    vendor="Broadcom",
    device_type=DeviceType.CPU,
)


class Told:
    """A probe that tells what a test wants it to."""

    def __init__(self, read: Callable[[], Mapping[Quantity, Reading[Any]]]) -> None:
        self._read = read
        self.threads: set[int] = set()

    def identity(self) -> Identity:
        return IDENTITY

    def read(self, wanted: Collection[Group]) -> Mapping[Quantity, Reading[Any]]:
        assert wanted
        self.threads.add(threading.get_ident())
        return self._read()


async def test_a_probe_tells_and_the_cluster_sees_it(exo: Exo) -> None:
    told: dict[Quantity, Reading[Any]] = {
        Quantity.TEMPERATURE: Reading.measured(41),
        Quantity.BATTERY_LEVEL: Reading.estimated(0.5, "from its voltage"),
        Quantity.BATTERY_CHARGING: Reading.measured(value=True),
        Quantity.NETWORK_KIND: Reading.measured(NetworkKind.ETHERNET),
        Quantity.THERMAL_STATUS: Reading.measured(ThermalStatus.LIGHT),
        Quantity.MEMORY_TOTAL: Reading.measured(8 << 30),
        Quantity.MEMORY_AVAILABLE: Reading.measured(4 << 30),
        Quantity.POWER: Reading.unavailable("no sensor"),
    }
    probe = Told(lambda: told)
    async with ExoNode.join(probe=probe, **exo.found_by) as node:
        seen = (await first(node.conditions(), lambda it: it.readings.battery_level.value is not None)).readings
        assert (seen.temperature.value, seen.temperature.source) == (41.0, Source.MEASURED)
        assert (seen.battery_level.value, seen.battery_level.note) == (0.5, "from its voltage")
        assert seen.battery_charging.value is True
        assert seen.network_kind.value is NetworkKind.ETHERNET
        assert seen.thermal_status.value is ThermalStatus.LIGHT
        assert seen.memory_total.value == 8 << 30
        assert (seen.power.value, seen.power.note) == (None, "no sensor")
        assert seen[Quantity.CPU_LOAD].note == "the app's probe does not tell"
        assert Quantity.TEMPERATURE in seen.available()

        cluster = await first(node.clusters(), lambda it: any(node.is_this_device and node.chip for node in it.nodes))
        (ours,) = (it for it in cluster.nodes if it.is_this_device)
        assert (ours.name, ours.chip) == ("Ada's board", "BCM2712")
    assert threading.get_ident() not in probe.threads


def ends_the_program() -> Any:
    raise SystemExit(3)


def divides_by_zero() -> Any:
    return 1 // 0


def returns_nothing() -> Any:
    return None


def refuses() -> Any:
    raise ExoError(ErrorKind.NOT_PERMITTED, "the owner said no")


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (divides_by_zero, "ZeroDivisionError"),
        (ends_the_program, "SystemExit"),
        (returns_nothing, "AttributeError"),
        (refuses, "the owner said no"),
        (lambda: {Quantity.TEMPERATURE: Reading.measured("hot")}, "temperature is a Reading"),
        (lambda: {Quantity.BATTERY_CHARGING: Reading.measured(0.5)}, "battery_charging is a Reading"),
        (lambda: {Quantity.MEMORY_TOTAL: Reading.measured(-1)}, ""),
    ],
)
async def test_a_probe_that_fails_makes_readings_unavailable_and_harms_nothing(
    read: Callable[[], Any], words: str
) -> None:
    async with ExoNode.join(probe=Told(read), **NOBODY) as node:
        condition = await first(node.conditions(), lambda it: "failed" in (it.readings.temperature.note or ""))
        assert condition.readings.temperature.value is None
        assert words in (condition.readings.temperature.note or "")


@pytest.mark.parametrize("absurd", [65_535.0, -500.0, math.nan, math.inf])
async def test_what_no_device_can_have_is_refused(absurd: float) -> None:
    told = {Quantity.TEMPERATURE: Reading.measured(absurd), Quantity.BATTERY_LEVEL: Reading.measured(0.25)}
    async with ExoNode.join(probe=Told(lambda: told), **NOBODY) as node:
        condition = await first(node.conditions(), lambda it: it.readings.battery_level.value == 0.25)
        assert condition.readings.temperature.value is None
        assert condition.readings.temperature.note


async def test_nobody_waits_for_a_probe_that_hangs(exo: Exo) -> None:
    goes_on = threading.Event()

    def hangs() -> dict[Quantity, Reading[Any]]:
        goes_on.wait(120)
        return {}

    try:
        async with ExoNode.join(probe=Told(hangs), **exo.found_by) as node:
            await first(node.clusters(), lambda cluster: len(cluster.nodes) == 2)
            began = time.monotonic()
            await node.close()
            assert time.monotonic() - began < 60
    finally:
        goes_on.set()


class Kept:
    def __init__(self, identity: str | None = None) -> None:
        self.identity = identity

    def load(self) -> str | None:
        return self.identity

    def save(self, identity: str) -> None:
        self.identity = identity


async def test_a_key_store_keeps_the_identity_from_run_to_run() -> None:
    keys = Kept()
    async with ExoNode.join(keys=keys, **NOBODY) as one:
        assert keys.identity == one.id
        assert one.notes == ()
    async with ExoNode.join(keys=keys, **NOBODY) as another:
        assert another.id == one.id


async def test_an_identity_that_cannot_be_read_is_replaced_and_told() -> None:
    keys = Kept("not an id")
    async with ExoNode.join(keys=keys, **NOBODY) as node:
        assert keys.identity == node.id
        assert any("was replaced" in note for note in node.notes)


async def test_an_identity_that_cannot_be_kept_serves_for_this_run() -> None:
    class Full(Kept):
        def save(self, identity: str) -> None:
            raise OSError(f"no room for {len(identity)} letters")

    async with ExoNode.join(keys=Full(), **NOBODY) as node:
        assert any("no room" in note for note in node.notes)


async def test_a_key_store_that_fails_to_load_keeps_us_from_joining() -> None:
    class Locked(Kept):
        def load(self) -> str | None:
            raise PermissionError("locked")

    with pytest.raises(ExoError, match="PermissionError: locked") as caught:
        await ExoNode.join(keys=Locked(), **NOBODY)
    assert caught.value.kind is ErrorKind.FOREIGN
    assert "in load" in caught.value.detail


async def test_a_directory_keeps_the_identity_too(tmp_path: Any) -> None:
    async with ExoNode.join(data_dir=tmp_path, **NOBODY) as one:
        pass
    async with ExoNode.join(data_dir=tmp_path, **NOBODY) as another:
        assert another.id == one.id


async def test_a_log_sink_hears_what_happens(exo: Exo) -> None:
    lines: list[tuple[LogLevel, str, str]] = []

    class Heard:
        def log(self, level: LogLevel, about: str, line: str) -> None:
            lines.append((level, about, line))
            raise RuntimeError("which nobody hears")

    async with ExoNode.join(log=Heard(), **exo.found_by):
        await eventually(lambda: (LogLevel.INFO, "node", "joined a cluster of 2") in lines)
        assert any(about == "discovery" for _, about, _ in lines)


async def test_without_a_sink_the_log_is_pythons(exo: Exo, caplog: pytest.LogCaptureFixture) -> None:
    line = ("exo_mobile.node", logging.INFO, "joined a cluster of 2")
    with caplog.at_level(logging.DEBUG, "exo_mobile"):
        async with ExoNode.join(**exo.found_by):
            await eventually(lambda: line in caplog.record_tuples)


async def test_a_lifecycle_is_watched_while_the_node_lives() -> None:
    class Life:
        def __init__(self) -> None:
            self.life: AppLife | None = None
            self.is_over = False

        def watch(self, life: AppLife) -> None:
            self.life = life
            life.shown(shown=False)
            life.noticed([Group.BATTERY])

        def unwatch(self) -> None:
            self.is_over = True

    lifecycle = Life()
    async with ExoNode.join(lifecycle=lifecycle, **NOBODY):
        await eventually(lambda: lifecycle.life)
    await eventually(lambda: lifecycle.is_over)
    assert lifecycle.life
    lifecycle.life.shown(shown=True)


class Daemon:
    """DNS-SD that browses, and breaks when it is told to."""

    def __init__(self) -> None:
        self.listener: ServiceListener | None = None
        self.is_stopped = False

    def browse(self, service_type: str, listener: ServiceListener) -> None:
        assert service_type.startswith("_exo._tcp")
        self.listener = listener

    def stop_browsing(self) -> None:
        self.is_stopped = True

    def advertise(self, advertisement: Advertisement) -> None:
        raise AssertionError(f"nothing is advertised on loopback: {advertisement}")

    def withdraw(self) -> None:
        pass


@pytest.mark.usefixtures("alone")
async def test_a_discovery_provider_browses_and_says_what_is_missing() -> None:
    daemon = Daemon()
    async with ExoNode.join(only=[Provider.DNS_SD], discovery=daemon, measure_links=False) as node:
        await eventually(lambda: daemon.listener)
        assert daemon.listener
        service = Service(name="x", addresses=["no address"], interface=None, port=1, txt=[])
        with pytest.raises(ExoError) as caught:
            daemon.listener.resolved(service)
        assert caught.value.kind is ErrorKind.INVALID_ARGUMENT
        daemon.listener.failed("switch on the local network", is_permission=True)
        await first(node.searches(), lambda it: any("switch on the local network" in status.note for status in it))
    await eventually(lambda: daemon.is_stopped)
