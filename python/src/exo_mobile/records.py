"""The plain values of the core: what is read and given, and nothing that acts.

They are generated, with their documentation. Only what they say of themselves is put right: a generated record shows
none of its fields, and cannot be compared with anything else.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _core
from ._core import (
    About,
    Activity,
    Advertisement,
    Allowance,
    AnswerEnd,
    Assumption,
    BackendKind,
    Binding,
    Calibration,
    ChatMessage,
    Cluster,
    ClusterInstance,
    ClusterLink,
    ClusterNode,
    DeviceType,
    ErrorKind,
    FarthestPair,
    Finish,
    Formula,
    Founding,
    GpuDevice,
    GpuMemory,
    Group,
    Heat,
    HeatUnit,
    Identity,
    Level,
    Link,
    LinkFigure,
    LinkKind,
    LinkPreview,
    LoadProgress,
    LogLevel,
    NetworkKind,
    NodeStats,
    Objective,
    Outlook,
    Part,
    Plan,
    PlanDevice,
    PlanStage,
    Policy,
    Presence,
    Pressure,
    Provider,
    Quantity,
    QuietHours,
    Reason,
    Refusal,
    Role,
    Rule,
    RuleVerdict,
    Score,
    ScoreFactor,
    SearchStatus,
    SelfTestProgress,
    Service,
    ShelvedModel,
    SlowLink,
    Source,
    Speed,
    Status,
    ThermalStatus,
    TopologyReport,
    TxtEntry,
    WorkState,
)

__all__ = [
    "About",
    "Activity",
    "Advertisement",
    "Allowance",
    "AnswerEnd",
    "Assumption",
    "BackendKind",
    "Binding",
    "Calibration",
    "ChatMessage",
    "Cluster",
    "ClusterInstance",
    "ClusterLink",
    "ClusterNode",
    "DeviceType",
    "ErrorKind",
    "FarthestPair",
    "Finish",
    "Formula",
    "Founding",
    "GpuDevice",
    "GpuMemory",
    "Group",
    "Heat",
    "HeatUnit",
    "Identity",
    "Level",
    "Link",
    "LinkFigure",
    "LinkKind",
    "LinkPreview",
    "LoadProgress",
    "LogLevel",
    "NetworkKind",
    "NodeStats",
    "Objective",
    "Outlook",
    "Part",
    "Plan",
    "PlanDevice",
    "PlanStage",
    "Policy",
    "Presence",
    "Pressure",
    "Provider",
    "Quantity",
    "QuietHours",
    "Reason",
    "Refusal",
    "Role",
    "Rule",
    "RuleVerdict",
    "Score",
    "ScoreFactor",
    "SearchStatus",
    "SelfTestProgress",
    "Service",
    "ShelvedModel",
    "SlowLink",
    "Source",
    "Speed",
    "Status",
    "ThermalStatus",
    "TopologyReport",
    "TxtEntry",
    "WorkState",
]


def _shown(record: object) -> str:
    fields = ", ".join(f"{name}={value!r}" for name, value in vars(record).items())
    return f"{type(record).__name__}({fields})"


def _equal(record: object, other: object) -> bool:
    return type(record) is type(other) and vars(record) == vars(other)


def _put_right(kind: Any) -> None:
    kind.__repr__ = kind.__str__ = _shown
    kind.__eq__ = _equal


for _kind in vars(_core).values():
    if isinstance(_kind, type) and dataclasses.is_dataclass(_kind):
        _put_right(_kind)
