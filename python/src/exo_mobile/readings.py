"""Readings: a value, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import _core
from ._core import NetworkKind, Pressure, Quantity, Source, ThermalStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Reading(Generic[T_co]):
    """A value, and where it comes from. What cannot be had has no value, and a note that says why."""

    value: T_co | None
    source: Source
    note: str | None = None
    """How it was estimated, or why it cannot be had."""
    at: datetime | None = None
    """When; none in what a probe tells means now."""

    @staticmethod
    def measured(value: T, at: datetime | None = None) -> Reading[T]:
        """A sensor or the system said so."""
        return Reading(value, Source.MEASURED, None, at)

    @staticmethod
    def estimated(value: T, how: str, at: datetime | None = None) -> Reading[T]:
        """It was computed from something else."""
        return Reading(value, Source.ESTIMATED, how, at)

    @staticmethod
    def unavailable(why: str, at: datetime | None = None) -> Reading[Any]:
        """It cannot be had."""
        return Reading(None, Source.UNAVAILABLE, why, at)


T = TypeVar("T")


@dataclass(frozen=True)
class Readings:
    """All readings of a device. Bytes, degrees Celsius, watts, parts of 1."""

    memory_total: Reading[int]
    memory_available: Reading[int]
    memory_limit: Reading[int]
    memory_pressure: Reading[Pressure]
    gpu_memory_total: Reading[int]
    gpu_memory_used: Reading[int]
    gpu_memory_budget: Reading[int]
    compute_utilisation: Reading[float]
    cpu_utilisation: Reading[float]
    cpu_load: Reading[float]
    power: Reading[float]
    temperature: Reading[float]
    thermal_status: Reading[ThermalStatus]
    thermal_headroom: Reading[float]
    battery_level: Reading[float]
    battery_charging: Reading[bool]
    power_save: Reading[bool]
    network_kind: Reading[NetworkKind]
    network_metered: Reading[bool]
    disk_total: Reading[int]
    disk_available: Reading[int]

    def __getitem__(self, quantity: Quantity) -> Reading[Any]:
        reading: Reading[Any] = getattr(self, quantity.name.lower())
        return reading

    def available(self) -> dict[Quantity, Reading[Any]]:
        """Those that have a value."""
        return {quantity: self[quantity] for quantity in Quantity if self[quantity].value is not None}


def readings_of(samples: Iterable[_core.Sample]) -> Readings:
    """The flat list of the core, each with its type again."""
    told = {sample.quantity.name.lower(): _reading(sample) for sample in samples}
    untold = Reading.unavailable("it was not told")
    return Readings(**{field.name: told.get(field.name, untold) for field in fields(Readings)})


def samples_of(readings: Mapping[Quantity, Reading[Any]]) -> list[_core.Sample]:
    """What a probe told, as the core takes it."""
    return [
        _core.Sample(
            quantity=quantity,
            figure=None if reading.value is None else _figure(quantity, reading.value),
            source=reading.source,
            note=reading.note,
            at_ms=None if reading.at is None else int(reading.at.timestamp() * 1000),
        )
        for quantity, reading in readings.items()
    ]


def _reading(sample: _core.Sample) -> Reading[Any]:
    # Each kind of figure has one field, whose name differs.
    (value,) = (None,) if sample.figure is None else vars(sample.figure).values()
    at = None if sample.at_ms is None else datetime.fromtimestamp(sample.at_ms / 1000, UTC)
    return Reading(value, sample.source, sample.note, at)


_BYTES = {field.name for field in fields(Readings) if field.type == "Reading[int]"}
_FLAGS = {field.name for field in fields(Readings) if field.type == "Reading[bool]"}


def _figure(quantity: Quantity, value: object) -> _core.Figure:
    """The figure that this quantity has, and no other: a wrong type is the probe's mistake."""
    name = quantity.name.lower()
    figure: Any = _core.Figure
    match value:
        case bool() if name in _FLAGS:
            return figure.FLAG(value)
        case int() if name in _BYTES and not isinstance(value, bool):
            return figure.BYTES(value)
        case Pressure() if quantity is Quantity.MEMORY_PRESSURE:
            return figure.MEMORY(value)
        case ThermalStatus() if quantity is Quantity.THERMAL_STATUS:
            return figure.THERMAL(value)
        case NetworkKind() if quantity is Quantity.NETWORK_KIND:
            return figure.NETWORK(value)
        case int() | float() if not isinstance(value, bool) and name not in _BYTES | _FLAGS:
            return figure.NUMBER(float(value))
        case _:
            wanted = next(field.type for field in fields(Readings) if field.name == name)
            raise TypeError(f"{name} is a {wanted}, and its value cannot be {value!r}")
