"""The judge's interface makes of chunks what a real exo made of them, and places models as exo does."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from peer import placement
from peer.chat import Chats
from peer.models.base import Memory
from peer.models.commands import TextGeneration
from peer.models.events import ChunkGenerated, InstanceDeleted, TaskCreated
from peer.models.topics import parse
from peer.worker import model_card

VECTORS = Path(__file__).parents[1] / "vectors" / "exo"
QUESTION = "5c908699-73d2-4a66-b9b4-8aacb735d9f7"


def captured() -> list[Any]:
    """The task and the chunks of the first question that a real exo gave to another program."""
    lines = map(json.loads, (VECTORS / "captured_phone_inference.jsonl").read_text().splitlines())
    heard = [parse("global_events", it["json"].encode()).event for it in lines if it.get("topic") == "global_events"]
    chunks = [it for it in heard if isinstance(it, ChunkGenerated) and it.command_id == QUESTION]
    tasks = [it for it in heard if isinstance(it, TaskCreated) and getattr(it.task, "command_id", None) == QUESTION]
    assert len(tasks) == 1 and len(chunks) == 10
    return tasks + chunks


class Interface:
    """Chats over a node that is nothing but a list of what was sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        bus = SimpleNamespace(publish=lambda _, message: self.sent.append(message.command))
        self.node = SimpleNamespace(bus=bus, followers=[], state=SimpleNamespace(view={"instances": {}}))
        self.chats = Chats(self.node, "us")

    def happens(self, event: Any) -> None:
        for follower in self.node.followers:
            follower(event)

    async def stream(self, events: list[Any]) -> str:
        task = next(event.task for event in events if isinstance(event, TaskCreated))
        command = TextGeneration(command_id=task.command_id, task_params=task.task_params)
        pieces = self.chats._events(command, self.chats._answer(command))
        body = [await anext(pieces)]
        rest = asyncio.ensure_future(_all(pieces))
        await asyncio.sleep(0)
        for event in events:
            self.happens(event)
        return "".join(body + await asyncio.wait_for(rest, 5))

    def names(self) -> list[str]:
        return [command.tag() for command in self.sent]


async def _all(pieces: Any) -> list[str]:
    return [piece async for piece in pieces]


def comparable(body: str) -> list[Any]:
    """Lines without what differs between two runs."""
    shown = []
    for line in body.splitlines():
        if line.startswith("data: {"):
            line = json.loads(line[6:])
            assert line.pop("id") and line.pop("created")
        shown.append(line)
    return shown


def test_the_captured_chunks_become_the_captured_stream() -> None:
    interface = Interface()
    body = asyncio.run(interface.stream(captured()))
    assert comparable(body) == comparable((VECTORS / "chat_completion_stream.txt").read_text())
    assert interface.names() == ["TaskFinished"]


def test_a_stream_ends_with_its_instance() -> None:
    task, first, *_ = captured()
    interface = Interface()
    gone = InstanceDeleted(instance_id=task.task.instance_id)
    assert asyncio.run(interface.stream([task, first, gone])).endswith("data: [DONE]\n\n")


def test_who_hangs_up_cancels() -> None:
    async def hang_up(interface: Interface) -> None:
        task, *_ = captured()
        command = TextGeneration(command_id=task.task.command_id, task_params=task.task.task_params)
        pieces = interface.chats._answer(command)
        waiting = asyncio.ensure_future(anext(pieces))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        await pieces.aclose()

    interface = Interface()
    asyncio.run(hang_up(interface))
    assert interface.names() == ["TaskCancelled"]


def test_words_for_an_image_end_the_interface() -> None:
    interface = Interface()
    interface.chats.painting.add(QUESTION)
    with pytest.raises(AssertionError):
        interface.happens(captured()[1])


def view(**nodes: tuple[int, list[str]]) -> dict[str, Any]:
    return {
        "topology": {"nodes": list(nodes), "connections": {}},
        "nodeMemory": {node: {"ramAvailable": {"inBytes": ram}} for node, (ram, _) in nodes.items()},
        "nodeBackends": {node: backends for node, (_, backends) in nodes.items()},
        "downloads": {},
    }


def test_a_model_goes_to_who_has_room_and_a_backend_and_leaves_come_first() -> None:
    card = model_card(0).model_copy(update={"storage_size": Memory(in_bytes=100)})
    assert placement.of_one(view(mac=(500, ["MlxMetal"]), phone=(200, ["MlxCpu"])), card) == "mac"
    assert placement.of_one(view(mac=(500, []), phone=(200, ["MlxCpu"])), card) == "phone"
    assert placement.of_one(view(mac=(99, ["MlxMetal"]), phone=(0, ["MlxCpu"])), card) is None
    linked = view(mac=(500, ["MlxMetal"]), phone=(200, ["MlxCpu"]))
    linked["topology"]["connections"] = {"mac": {"a": [1], "b": [1]}}
    assert placement.of_one(linked, card) == "phone"
