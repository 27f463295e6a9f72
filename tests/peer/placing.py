"""`POST /instance` and `GET /models`: what exo's interface makes of an instance that somebody hands to it.

The body is read by a lenient model with a strict one inside, as exo's framework reads it: from Python values, not from
the text. A refusal is an answer here and not the end of the process. What passes goes to the master as a command, which
creates the instance without another look.
"""

import asyncio
import json
from typing import Any

from pydantic import BaseModel, ValidationError

from .log import say
from .models.base import fresh_id
from .models.cards import ModelCard
from .models.commands import (
    CreateInstance,
    DeleteInstance,
    ForwarderCommand,
    InstanceMeta,
    PlaceInstance,
    Sharding,
)
from .models.instances import Instance
from .node import Node
from .state import camel
from .worker import model_card

Answer = tuple[str, Any]


class CreateInstanceParams(BaseModel):
    instance: Instance


def parse(body: bytes) -> CreateInstanceParams:
    """The request, or an exception of whatever kind."""
    return CreateInstanceParams.model_validate(json.loads(body))


class Placing:
    def __init__(self, node: Node, cards: int):
        self.node, self.origin = node, fresh_id()
        self.cards = {card.model_id: card for card in map(model_card, range(cards))}

    def models(self) -> dict[str, Any]:
        """Names, and nothing of layers."""
        return {"object": "list", "data": [listed(card) for card in self.cards.values()]}

    async def create_instance(self, head: dict[str, str], body: bytes) -> Answer:
        if head.get("content-type", "").split(";")[0] != "application/json":
            return refused("body", "Input should be a valid dictionary or object to extract fields from")
        try:
            instance = parse(body).instance
        except json.JSONDecodeError as why:
            return refused("body", f"JSON decode error: {why.msg}")
        except ValidationError as why:
            say("refused", why=str(why)[:2000])
            found = [{"type": e["type"], "loc": ["body", *e["loc"]], "msg": e["msg"]} for e in why.errors()]
            return "422 Unprocessable Entity", {"detail": found}
        except Exception as why:
            say("refused", why=repr(why))
            return "500 Internal Server Error", "Internal Server Error"
        return await self._command(instance)

    async def _command(self, instance: Any) -> Answer:
        model = instance.shard_assignments.model_id
        if model not in self.cards:
            # exo asks Hugging Face for the model and keeps what it finds, whoever asked.
            say("asks hugging face", model=model)
            return "500 Internal Server Error", "Internal Server Error"
        card, available = self.cards[model], self._available()
        if card.storage_size.in_bytes > available:
            return "400 Bad Request", {
                "error": {
                    "message": f"Insufficient memory to create instance. Available: {available / 1e9:.1f}GB",
                    "type": "Bad Request",
                    "param": None,
                    "code": 400,
                }
            }
        command = CreateInstance(instance=instance)
        await self._send(command)
        answer = {"message": "Command received.", "command_id": command.command_id, "model_card": camel(card)}
        return "200 OK", answer

    async def place_instance(self, _: dict[str, str], body: bytes) -> Answer:
        """Where the master likes. That it found no place, nobody is told."""
        card = self.cards.get(json.loads(body)["model_id"])
        if card is None:
            return "404 Not Found", {"detail": "no such model"}
        command = PlaceInstance(
            model_card=card, sharding=Sharding.PIPELINE, instance_meta=InstanceMeta.RING, min_nodes=1
        )
        await self._send(command)
        return "200 OK", {"message": "Command received.", "command_id": command.command_id}

    async def delete_instance(self, instance_id: str) -> Answer:
        if instance_id not in self.node.state.view["instances"]:
            return "404 Not Found", {"detail": "Instance not found"}
        command = DeleteInstance(instance_id=instance_id)
        await self._send(command)
        return "200 OK", {"message": "Command received.", "command_id": command.command_id}

    async def _send(self, command: Any) -> None:
        """Commands wait for the end of a campaign."""
        while self.node.election.is_campaigning():
            await asyncio.sleep(0.05)
        self.node.bus.publish("commands", ForwarderCommand(origin=self.origin, command=command))

    def _available(self) -> int:
        return sum(memory["ramAvailable"]["inBytes"] for memory in self.node.state.view["nodeMemory"].values())


def refused(place: str, why: str) -> Answer:
    say("refused", why=why)
    return "422 Unprocessable Entity", {"detail": [{"type": "body", "loc": [place], "msg": why}]}


def listed(card: ModelCard) -> dict[str, Any]:
    return {
        "id": card.model_id,
        "object": "model",
        "created": 0,
        "owned_by": "exo",
        "hugging_face_id": card.model_id,
        "name": card.model_id.split("/")[-1],
        "description": "",
        "context_length": card.context_length,
        "tags": [],
        "storage_size_megabytes": card.storage_size.in_bytes >> 20,
        "supports_tensor": card.supports_tensor,
        "tasks": [task.value for task in card.tasks],
        "is_custom": card.is_custom,
        "family": card.family,
        "quantization": card.quantization,
        "base_model": card.base_model,
        "capabilities": card.capabilities,
        "reasoning_dialect": card.reasoning_dialect,
    }
