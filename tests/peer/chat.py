"""`POST /v1/chat/completions`: a question becomes a command, a task, chunks, and a stream of events.

As exo's interface it asserts that a chunk is of the kind that was asked for, listens only after it has sent the
command, closes the streams of an instance that is deleted, and tells the master when nobody listens any more.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from .log import say
from .models import chunks as k
from .models import commands as c
from .models import events as e
from .models import tasks
from .node import Node

Answer = tuple[str, Any]

# How long it takes exo from sending the command to listening for the answer. What comes sooner is lost.
LISTENS_AFTER = 0.004
KEEP_ALIVE = 10.0
# The end of a stream whose instance is gone.
CLOSED = object()


class Chats:
    def __init__(self, node: Node, origin: str):
        self.node, self.origin = node, origin
        self.listening: dict[str, asyncio.Queue[Any]] = {}
        self.painting: set[str] = set()
        self.instances: dict[str, str] = {}
        node.followers.append(self._applied)

    def _applied(self, event: Any) -> None:
        match event:
            case e.TaskCreated(task=tasks.TextGeneration() | tasks.ImageGeneration() as task):
                self.instances[task.command_id] = task.instance_id
            case e.ChunkGenerated(command_id=command_id, chunk=chunk):
                self._chunk(command_id, chunk)
            case e.InstanceDeleted(instance_id=instance_id):
                for command_id, queue in self.listening.items():
                    if self.instances.get(command_id) == instance_id:
                        queue.put_nowait(CLOSED)

    def _chunk(self, command_id: str, chunk: Any) -> None:
        if command_id in self.painting:
            assert isinstance(chunk, k.ImageChunk), f"a {chunk.tag()} for an image"
        if queue := self.listening.get(command_id):
            assert not isinstance(chunk, k.ImageChunk), "an image for a question"
            queue.put_nowait(chunk)
        else:
            say("unheard chunk", command=command_id, tag=chunk.tag())

    async def complete(self, _: dict[str, str], body: bytes) -> Answer:
        asked = json.loads(body)
        if not self._serves(asked["model"]):
            return "404 Not Found", {"error": {"message": f"No instance found for model {asked['model']}"}}
        messages = asked["messages"]
        params = c.TextGenerationTaskParams(
            model=asked["model"],
            input=[{"role": it["role"], "content": it["content"]} for it in messages],
            max_output_tokens=asked.get("max_tokens"),
            temperature=asked.get("temperature", 0.6),
            stream=asked.get("stream", False),
            chat_template_messages=messages,
            enable_thinking=asked.get("enable_thinking"),
            logprobs=asked.get("logprobs", False),
            top_logprobs=asked.get("top_logprobs"),
        )
        command = c.TextGeneration(task_params=params)
        self._send(command)
        await asyncio.sleep(LISTENS_AFTER)
        pieces = self._answer(command)
        if params.stream:
            return "200 OK", self._events(command, pieces)
        return await self._collected(command, pieces)

    async def paint(self, _: dict[str, str], body: bytes) -> Answer:
        """Nobody here waits for the image; it must only never come as words."""
        asked = json.loads(body)
        command = c.ImageGeneration(
            task_params=c.ImageGenerationTaskParams(prompt=asked["prompt"], model=asked["model"])
        )
        self.painting.add(command.command_id)
        self._send(command)
        return "200 OK", {"command_id": command.command_id}

    def _serves(self, model: str) -> bool:
        shown = self.node.state.view["instances"].values()
        return any(next(iter(it.values()))["shardAssignments"]["modelId"] == model for it in shown)

    def _send(self, command: Any) -> None:
        self.node.bus.publish("commands", c.ForwarderCommand(origin=self.origin, command=command))

    async def _answer(self, command: c.TextGeneration) -> AsyncIterator[Any]:
        """Chunks up to the last. Left before that, the task is cancelled."""
        queue = self.listening[command.command_id] = asyncio.Queue()
        over = False
        try:
            while not over:
                try:
                    chunk = await asyncio.wait_for(queue.get(), KEEP_ALIVE)
                except TimeoutError:
                    yield None
                    continue
                over = chunk is CLOSED or getattr(chunk, "finish_reason", None) is not None
                yield chunk
            self._send(c.TaskFinished(finished_command_id=command.command_id))
        finally:
            del self.listening[command.command_id]
            if not over:
                say("hung up", command=command.command_id)
                self._send(c.TaskCancelled(cancelled_command_id=command.command_id))

    async def _events(self, command: c.TextGeneration, chunks: AsyncIterator[Any]) -> AsyncIterator[str]:
        yield ": keep-alive\n\n"
        try:
            async for chunk in chunks:
                match chunk:
                    case None:
                        yield ": keep-alive\n\n"
                    case k.PrefillProgressChunk():
                        yield f": prefill_progress {chunk.model_dump_json()}\n\n"
                    case k.TokenChunk():
                        yield f"data: {json.dumps(shown(command.command_id, chunk))}\n\n"
                        if chunk.stats:
                            yield f": generation_stats {chunk.stats.model_dump_json()}\n\n"
                    case k.ErrorChunk():
                        yield f"data: {json.dumps({'error': {'message': chunk.error_message}})}\n\n"
            yield "data: [DONE]\n\n"
        finally:
            await chunks.aclose()

    async def _collected(self, command: c.TextGeneration, chunks: AsyncIterator[Any]) -> Answer:
        text, last = "", None
        async for chunk in chunks:
            if isinstance(chunk, k.ErrorChunk):
                return "500 Internal Server Error", {"error": {"message": chunk.error_message}}
            if isinstance(chunk, k.TokenChunk):
                text, last = text + chunk.text, chunk
        if last is None:
            return "500 Internal Server Error", {"error": {"message": "the stream ended"}}
        answer = shown(command.command_id, last)
        answer["choices"][0]["message"] = {"role": "assistant", "content": text}
        del answer["choices"][0]["delta"]
        return "200 OK", answer


def shown(command_id: str, chunk: k.TokenChunk) -> dict[str, Any]:
    delta = {"role": "assistant", "reasoning_content" if chunk.is_thinking else "content": chunk.text}
    choice: dict[str, Any] = {"index": 0, "delta": delta}
    if chunk.finish_reason:
        choice["finish_reason"] = chunk.finish_reason
    if chunk.logprob is not None:
        top = [likely.model_dump() for likely in chunk.top_logprobs or []]
        choice["logprobs"] = {"content": [{"token": chunk.text, "logprob": chunk.logprob, "top_logprobs": top}]}
    head = {"id": command_id, "object": "chat.completion", "created": int(time.time()), "model": chunk.model}
    usage = {"usage": chunk.usage.model_dump()} if chunk.usage else {}
    return {**head, "choices": [choice], **usage}
