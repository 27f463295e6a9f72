"""How this device is, and how all members of this SDK are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from .readings import Readings, readings_of

if TYPE_CHECKING:
    from . import _core
    from ._core import Allowance, DeviceType, Heat, Presence, WorkState


@dataclass(frozen=True)
class Condition:
    """How this device is."""

    readings: Readings
    """What the probe saw last."""
    allowance: Allowance
    """What the owner's policy allows, and why not more."""
    work: WorkState
    """Whether work is taken, drained or stopped."""
    heat: Heat
    """Where the heat stands, and where it is going."""
    share: float
    """The part of the device that work may use now, by the policy and by the heat."""
    offers: bool
    """Whether exo is offered a backend."""


@dataclass(frozen=True)
class DeviceTelemetry:
    """One device that tells how it is."""

    device_id: str
    """Its id, which is its node's."""
    name: str | None
    """What its owner calls it, once it said so."""
    device_type: DeviceType | None
    """What computes in it, once it said so."""
    presence: Presence
    """Whether it is there."""
    peak_flops_per_s: float | None
    """Floating-point operations a second, if it was measured."""
    memory_bytes_per_s: float | None
    """Bytes a second between memory and what computes, if it was measured."""
    readings: Readings
    """What it told."""
    silent: timedelta
    """How long ago it was heard."""


@dataclass(frozen=True)
class ClusterTelemetry:
    """All devices that tell how they are."""

    at: datetime
    devices: tuple[DeviceTelemetry, ...]
    """By their ids."""


def condition_of(condition: _core.Condition) -> Condition:
    """Ours for the generated one."""
    return Condition(
        readings=readings_of(condition.readings),
        allowance=condition.allowance,
        work=condition.work,
        heat=condition.heat,
        share=condition.share,
        offers=condition.offers,
    )


def telemetry_of(telemetry: _core.ClusterTelemetry) -> ClusterTelemetry:
    """Ours for the generated one."""
    at = datetime.fromtimestamp(telemetry.at_ms / 1000, UTC)
    return ClusterTelemetry(at, tuple(map(_device_of, telemetry.devices)))


def _device_of(device: _core.DeviceTelemetry) -> DeviceTelemetry:
    return DeviceTelemetry(
        device_id=device.device_id,
        name=device.name,
        device_type=device.device_type,
        presence=device.presence,
        peak_flops_per_s=device.peak_flops_per_s,
        memory_bytes_per_s=device.memory_bytes_per_s,
        readings=readings_of(device.readings),
        silent=timedelta(milliseconds=device.silent_ms),
    )
