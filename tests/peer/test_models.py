"""The judge is judged first: its verdicts are those of a real exo."""

import json
from pathlib import Path

import pytest

from peer.models.topics import parse

VECTORS = Path(__file__).parents[1] / "vectors" / "exo"


def lines(pattern: str) -> list:
    return [
        pytest.param(json.loads(line), id=f"{file.stem}:{number}")
        for file in sorted(VECTORS.glob(pattern))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if line.strip()
    ]


def accepts(topic: str, payload: str) -> bool:
    try:
        parse(topic, payload.encode())
    except Exception:  # whatever exo's parser raises ends its process
        return False
    return True


@pytest.mark.parametrize("line", lines("golden_*.jsonl"))
def test_every_message_of_exo_is_read_and_written_back_the_same(line: dict) -> None:
    message = parse(line["topic"], line["json"].encode())
    assert json.loads(message.model_dump_json()) == json.loads(line["json"])


@pytest.mark.parametrize("line", lines("strictness*.jsonl"))
def test_the_verdict_is_that_of_exo(line: dict) -> None:
    assert accepts(line["topic"], line["json"]) == line["accept"], line["name"]


def test_captured_conversations_hold_no_message_that_is_refused() -> None:
    heard = [
        (message["key_expr"].removeprefix("topics/"), message["json"])
        for file in VECTORS.glob("captured_*.jsonl")
        for message in map(json.loads, file.read_text().splitlines())
        if message.get("key_expr", "").startswith("topics/") and "json" in message
    ]
    assert heard, "the captured files hold messages"
    assert [payload for topic, payload in heard if not accepts(topic, payload)] == []
