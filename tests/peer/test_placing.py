"""What the judge takes as an instance is what exo takes: no more, and no less."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from peer.placing import parse
from peer.state import camel

VECTORS = Path(__file__).parents[1] / "vectors" / "exo"


def golden() -> dict[str, Any]:
    for line in map(json.loads, (VECTORS / "golden_commands.jsonl").read_text().splitlines()):
        if line["variant"] == "CreateInstance":
            return json.loads(line["json"])["command"]["CreateInstance"]["instance"]
    raise AssertionError("there is no CreateInstance among exo's commands")


def takes(instance: Any) -> bool:
    try:
        parse(json.dumps({"instance": instance}).encode())
    except Exception:
        return False
    return True


def changed(**fields: Any) -> dict[str, Any]:
    instance = copy.deepcopy(golden())
    instance["MlxRingInstance"] |= fields
    return instance


def shard(instance: dict[str, Any]) -> dict[str, Any]:
    (tagged,) = instance["MlxRingInstance"]["shard_assignments"]["runner_to_shard"].values()
    return tagged["PipelineShardMetadata"]


def test_what_exo_writes_is_taken_in_either_spelling_and_without_its_tag() -> None:
    assert takes(golden())
    instance = parse(json.dumps({"instance": golden()}).encode()).instance
    assert takes(camel(instance)), "a preview of exo's own goes back as it came"
    assert takes(golden()["MlxRingInstance"])


def test_a_key_beside_the_instance_is_passed_over() -> None:
    assert parse(json.dumps({"instance": golden(), "min_nodes": 1}).encode())


@pytest.mark.parametrize(
    "instance",
    [
        {"MlxStarInstance": golden()["MlxRingInstance"]},
        changed(colour="red"),
        changed(ephemeral_port="50123"),
        changed(hosts_by_node={"a": [{"ip": "0.0.0.0", "port": 65536}]}),
        changed(shard_assignments={"model_id": "m", "runner_to_shard": {}, "node_to_runner": {"a": "r"}}),
        {},
        None,
    ],
)
def test_what_exo_refuses_is_refused(instance: Any) -> None:
    assert not takes(instance)


def test_a_card_inside_is_judged_as_strictly() -> None:
    for wrong in ({"n_layers": 0}, {"backends": ["MlxVulkan"]}, {"storage_size": 5}, {"battery": 1}):
        instance = copy.deepcopy(golden())
        shard(instance)["model_card"] |= wrong
        assert not takes(instance), wrong
