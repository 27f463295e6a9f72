"""The events that make up exo's state, and the envelopes that carry them."""

from pydantic import Field

from .base import Id, Natural, SessionId, Strict, Tagged, fresh_id
from .cards import ModelCard
from .chunks import Chunk, InputImageChunk
from .downloads import DownloadProgress
from .instances import Instance, InstanceLink
from .runners import RunnerStatus
from .tasks import Task, TaskStatus
from .telemetry import Connection, GatheredInfo


class AnyEvent(Tagged):
    event_id: Id = Field(default_factory=fresh_id)


class TestEvent(AnyEvent):
    __test__ = False


class TaskCreated(AnyEvent):
    task_id: Id
    task: Task


class TaskStatusUpdated(AnyEvent):
    task_id: Id
    task_status: TaskStatus


class TaskFailed(AnyEvent):
    task_id: Id
    error_type: str
    error_message: str


class TaskDeleted(AnyEvent):
    task_id: Id


class TaskAcknowledged(AnyEvent):
    task_id: Id


class InstanceCreated(AnyEvent):
    instance: Instance


class InstanceDeleted(AnyEvent):
    instance_id: Id


class RunnerStatusUpdated(AnyEvent):
    runner_id: Id
    runner_status: RunnerStatus


class NodeTimedOut(AnyEvent):
    node_id: Id


class NodeGatheredInfo(AnyEvent):
    node_id: Id
    when: str
    info: GatheredInfo


class NodeDownloadProgress(AnyEvent):
    download_progress: DownloadProgress


class ChunkGenerated(AnyEvent):
    command_id: Id
    chunk: Chunk


class InputChunkReceived(AnyEvent):
    command_id: Id
    chunk: InputImageChunk


class TopologyEdgeCreated(AnyEvent):
    conn: Connection


class TopologyEdgeDeleted(AnyEvent):
    conn: Connection


class TraceEventData(Strict):
    name: str
    start_us: int
    duration_us: int
    rank: int
    category: str


class TracesCollected(AnyEvent):
    task_id: Id
    rank: int
    traces: list[TraceEventData]


class TracesMerged(AnyEvent):
    task_id: Id
    traces: list[TraceEventData]


class CustomModelCardAdded(AnyEvent):
    model_card: ModelCard


class CustomModelCardDeleted(AnyEvent):
    model_id: Id


class InstanceLinkCreated(AnyEvent):
    link: InstanceLink


class InstanceLinkDeleted(AnyEvent):
    link_id: Id


Event = (
    TestEvent
    | TaskCreated
    | TaskStatusUpdated
    | TaskFailed
    | TaskDeleted
    | TaskAcknowledged
    | InstanceCreated
    | InstanceDeleted
    | RunnerStatusUpdated
    | NodeTimedOut
    | NodeGatheredInfo
    | NodeDownloadProgress
    | ChunkGenerated
    | InputChunkReceived
    | TopologyEdgeCreated
    | TopologyEdgeDeleted
    | TracesCollected
    | TracesMerged
    | CustomModelCardAdded
    | CustomModelCardDeleted
    | InstanceLinkCreated
    | InstanceLinkDeleted
)


class Envelope(Strict):
    origin_idx: Natural
    origin: Id
    session: SessionId
    event: Event


class LocalForwarderEvent(Envelope):
    """To the master; the origin is a stream of the sender's."""


class GlobalForwarderEvent(Envelope):
    """From the master; the origin is its node id, the index that of its log."""
