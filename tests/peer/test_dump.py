"""What the simulated phones publish, before a judge that shares no code with them.

The sample is made by the simulation: `--dump FILE` writes it, EXO_SIM_DUMP names it.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from peer.models.topics import parse

MAKE_IT = (
    "EXO_SIM_DUMP names no file with what the simulated phones published. Make one, and name it:\n"
    "  ./scripts/test sim --seeds 4 --phones 24 --minutes 4 --dump target/sim-dump.jsonl\n"
    "  EXO_SIM_DUMP=target/sim-dump.jsonl pytest tests/peer/test_dump.py"
)


@pytest.fixture(scope="module")
def sample() -> list[dict]:
    named = os.environ.get("EXO_SIM_DUMP", "")
    path = Path(named)
    if not named or not path.is_file():
        pytest.fail(MAKE_IT, pytrace=False)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) > 500, f"{path} holds {len(lines)} payloads, which proves little"
    return lines


def refusal(line: dict) -> str | None:
    try:
        parse(line["topic"], line["json"].encode())
    except Exception as why:  # whatever exo's parser raises ends its process
        return f"{line['name']} on {line['topic']}: {why}\n  {line['json']}"
    return None


def kinds(sample: list[dict]) -> Counter:
    """How often phones said each kind of thing."""
    said = Counter()
    for line in sample:
        message = json.loads(line["json"])
        if "phone" in line["name"] and "event" in message:
            (news,) = message["event"].values()
            said.update(news.get("info", {}).keys())
        elif "phone" in line["name"]:
            said.update(message["command"].keys())
    return said


def test_exo_would_live_through_all_that_was_published(sample: list[dict]) -> None:
    refused = [why for line in sample if (why := refusal(line))]
    assert not refused, f"{len(refused)} of {len(sample)} refused, the first: {refused[0]}"


def test_the_sample_holds_everything_that_phones_say(sample: list[dict]) -> None:
    said = kinds(sample)
    steady = ["NodeBackends", "MiscData", "StaticNodeInformation", "NodeDiskUsage", "NodeNetworkInterfaces"]
    for kind in [*steady, "NodeConfig", "ram_total", "MacmonMetrics", "RequestEventLog"]:
        assert said[kind] > 0, f"no phone said {kind}; all that was said: {dict(said)}"


def broken(line: dict) -> dict:
    """The same payload with one thing wrong that exo's parser does not forgive."""
    message = json.loads(line["json"])
    if line["topic"] == "commands":
        message["command"]["RequestEventLog"]["since_idx"] = "7"
    elif line["topic"] == "election_messages":
        message["clock"] = 1.5
    else:
        message["origin_idx"] = str(message["origin_idx"])
    return {**line, "json": json.dumps(message)}


def test_the_judge_refuses_the_same_payloads_with_one_thing_wrong(sample: list[dict]) -> None:
    topics = {line["topic"] for line in sample}
    assert topics == {"local_events", "commands", "global_events", "election_messages"}
    assert [line["name"] for line in sample if refusal(broken(line)) is None] == []
