"""Commands to the master, and to the node that is to fetch a model."""

from enum import StrEnum

from pydantic import Field

from .base import Id, Strict, Tagged, fresh_id
from .cards import ModelCard, ShardMetadata
from .chunks import InputImageChunk
from .instances import Instance
from .requests import ImageEditsTaskParams, ImageGenerationTaskParams, TextGenerationTaskParams


class Sharding(StrEnum):
    TENSOR = "Tensor"
    PIPELINE = "Pipeline"


class InstanceMeta(StrEnum):
    RING = "MlxRing"
    JACCL = "MlxJaccl"


class AnyCommand(Tagged):
    command_id: Id = Field(default_factory=fresh_id)


class TestCommand(AnyCommand):
    __test__ = False


class RequestEventLog(AnyCommand):
    since_idx: int


class TextGeneration(AnyCommand):
    task_params: TextGenerationTaskParams


class ImageGeneration(AnyCommand):
    task_params: ImageGenerationTaskParams


class ImageEdits(AnyCommand):
    task_params: ImageEditsTaskParams


class PlaceInstance(AnyCommand):
    model_card: ModelCard
    sharding: Sharding
    instance_meta: InstanceMeta
    min_nodes: int


class CreateInstance(AnyCommand):
    instance: Instance


class DeleteInstance(AnyCommand):
    instance_id: Id


class TaskCancelled(AnyCommand):
    cancelled_command_id: Id


class TaskFinished(AnyCommand):
    finished_command_id: Id


class SendInputChunk(AnyCommand):
    chunk: InputImageChunk


class AddCustomModelCard(AnyCommand):
    model_card: ModelCard


class DeleteCustomModelCard(AnyCommand):
    model_id: Id


class SetInstanceLink(AnyCommand):
    link_id: Id
    prefill_instances: list[Id]
    decode_instances: list[Id]


class DeleteInstanceLink(AnyCommand):
    link_id: Id


Command = (
    TestCommand
    | RequestEventLog
    | TextGeneration
    | ImageGeneration
    | ImageEdits
    | PlaceInstance
    | CreateInstance
    | DeleteInstance
    | TaskCancelled
    | TaskFinished
    | SendInputChunk
    | AddCustomModelCard
    | DeleteCustomModelCard
    | SetInstanceLink
    | DeleteInstanceLink
)


class StartDownload(AnyCommand):
    target_node_id: Id
    shard_metadata: ShardMetadata


class DeleteDownload(AnyCommand):
    target_node_id: Id
    model_id: Id


class CancelDownload(AnyCommand):
    target_node_id: Id
    model_id: Id


class ForwarderCommand(Strict):
    origin: Id
    command: Command


class ForwarderDownloadCommand(Strict):
    origin: Id
    command: StartDownload | DeleteDownload | CancelDownload
