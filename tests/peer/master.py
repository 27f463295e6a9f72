"""The master: orders events per origin, gives each the next index, keeps the log, replays it, times nodes out."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from . import placement
from .life import spawn
from .log import die, say
from .models import commands as c
from .models import events as e
from .models import tasks
from .models.base import SessionId
from .ordering import Contradiction, Ordered
from .state import State

REPLAY = 1000
SILENCE = 30.0
ROUND = 10.0


class Master:
    def __init__(
        self,
        node_id: str,
        session: SessionId,
        publish: Callable[[e.GlobalForwarderEvent], None],
        emit: Callable[[Any], None],
    ):
        """`publish` sends an indexed event to everybody; `emit` sends an event of our own on the usual way to us."""
        self.node_id, self.session, self.publish, self.emit = node_id, session, publish, emit
        self.state = State()
        self.events: list[Any] = []
        self.origins: dict[str, Ordered] = defaultdict(Ordered)
        self.tasks: dict[str, str] = {}
        self.rounds = spawn(self._rounds())

    def close(self) -> None:
        self.rounds.cancel()

    def heard(self, local: e.LocalForwarderEvent) -> None:
        if local.session != self.session:
            return
        try:
            released = self.origins[local.origin].take(local.origin_idx, local.event)
        except Contradiction as why:
            die("contradiction", "local_events", local.model_dump_json().encode(), str(why))
        for _, event in released:
            self._index(event, local.origin)

    def _index(self, event: Any, origin: str) -> None:
        if isinstance(event, e.TracesCollected):
            return
        if isinstance(event, e.NodeGatheredInfo):
            event = event.model_copy(update={"when": str(datetime.now(UTC))})
        index = len(self.events)
        self.state.apply(index, event)
        self.events.append(event)
        node = getattr(event, "node_id", None)
        say("indexed", idx=index, event_id=event.event_id, tag=event.tag(), node=node, origin=origin)
        self._send(index, event)

    def _send(self, index: int, event: Any) -> None:
        self.publish(e.GlobalForwarderEvent(origin_idx=index, origin=self.node_id, session=self.session, event=event))

    def command(self, forwarded: c.ForwarderCommand) -> None:
        """Placements on more than one node, and what is done with images, are not played."""
        match forwarded.command:
            case c.TextGeneration() | c.ImageGeneration():
                self._give(forwarded.command)
            case c.TaskCancelled(cancelled_command_id=command_id):
                if task_id := self.tasks.get(command_id):
                    self.emit(e.TaskStatusUpdated(task_id=task_id, task_status=tasks.TaskStatus.CANCELLED))
            case c.TaskFinished(finished_command_id=command_id):
                if task_id := self.tasks.pop(command_id, None):
                    self.emit(e.TaskDeleted(task_id=task_id))
            case c.PlaceInstance(model_card=card):
                if node_id := placement.of_one(self.state.view, card):
                    say("placed", node=node_id, model=card.model_id)
                    self.emit(e.InstanceCreated(instance=placement.alone(node_id, card)))
                else:
                    say("placed", node=None, model=card.model_id)
            case c.RequestEventLog(since_idx=since):
                for index, event in list(enumerate(self.events))[max(since, 0) :][:REPLAY]:
                    self._send(index, event)
            case c.CreateInstance(instance=instance):
                self.emit(e.InstanceCreated(instance=instance))
            case c.DeleteInstance(instance_id=instance_id):
                self.emit(e.InstanceDeleted(instance_id=instance_id))
            case c.AddCustomModelCard(model_card=card):
                self.emit(e.CustomModelCardAdded(model_card=card))
            case c.DeleteCustomModelCard(model_id=model_id):
                self.emit(e.CustomModelCardDeleted(model_id=model_id))
            case c.DeleteInstanceLink(link_id=link_id):
                self.emit(e.InstanceLinkDeleted(link_id=link_id))
            case other:
                say("not played", command=other.tag())

    def _give(self, command: c.TextGeneration | c.ImageGeneration) -> None:
        """To the instance of that model with the fewest tasks."""
        instances = [
            (sum(instance_id in str(task) for task in self.state.view["tasks"].values()), instance_id)
            for instance_id, shown in self.state.view["instances"].items()
            if next(iter(shown.values()))["shardAssignments"]["modelId"] == command.task_params.model
        ]
        if not instances:
            say("nobody", model=command.task_params.model)
            return
        kind = tasks.TextGeneration if isinstance(command, c.TextGeneration) else tasks.ImageGeneration
        task = kind(
            instance_id=min(instances)[1], command_id=command.command_id, task_params=command.task_params
        )
        self.tasks[command.command_id] = task.task_id
        self.emit(e.TaskCreated(task_id=task.task_id, task=task))

    async def _rounds(self) -> None:
        while True:
            self._delete_broken_instances()
            now = datetime.now(UTC)
            for node_id, seen in list(self.state.view["lastSeen"].items()):
                if (now - datetime.fromisoformat(seen)).total_seconds() > SILENCE:
                    say("timed out", node=node_id)
                    self.emit(e.NodeTimedOut(node_id=node_id))
            await asyncio.sleep(ROUND)

    def _delete_broken_instances(self) -> None:
        present = set(self.state.view["topology"]["nodes"])
        for instance_id, shown in self.state.view["instances"].items():
            (body,) = shown.values()
            if set(body["shardAssignments"]["nodeToRunner"]) - present:
                self.emit(e.InstanceDeleted(instance_id=instance_id))
