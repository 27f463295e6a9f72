"""Builds that nobody knows: the same node, with one thing more than the build that the SDK was made for.

A member must not publish to such a cluster. Only what leaves this process is changed, so that the node itself stays
whole.
"""

import json
from collections.abc import Callable

KINDS = ("none", "event", "field", "state")


def of(kind: str) -> Callable[[str, str], str]:
    return {"event": _unknown_event, "field": _unknown_field}.get(kind, lambda _, text: text)


def _unknown_event(topic: str, text: str) -> str:
    if topic.endswith("_events") and '"ram_total"' in text:
        message = json.loads(text)
        event_id = message["event"]["NodeGatheredInfo"]["event_id"]
        message["event"] = {"NodeThermalChanged": {"event_id": event_id, "pressure": "nominal"}}
        return json.dumps(message)
    return text


def _unknown_field(topic: str, text: str) -> str:
    if topic.endswith("_events") and '"NodeGatheredInfo"' in text:
        message = json.loads(text)
        message["event"]["NodeGatheredInfo"]["region"] = "desk"
        return json.dumps(message)
    return text


def extra_state(kind: str) -> dict[str, object]:
    return {"nodeThermal": {}} if kind == "state" else {}
