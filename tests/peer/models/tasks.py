"""Tasks: what a worker is to do, or does."""

from enum import StrEnum

from pydantic import Field

from .base import Id, Tagged, fresh_id
from .cards import ShardMetadata
from .instances import BoundInstance
from .requests import ImageEditsTaskParams, ImageGenerationTaskParams, TextGenerationTaskParams


class TaskStatus(StrEnum):
    PENDING = "Pending"
    RUNNING = "Running"
    COMPLETE = "Complete"
    TIMED_OUT = "TimedOut"
    FAILED = "Failed"
    CANCELLED = "Cancelled"


class AnyTask(Tagged):
    task_id: Id = Field(default_factory=fresh_id)
    task_status: TaskStatus = TaskStatus.PENDING
    instance_id: Id


class CreateRunner(AnyTask):
    bound_instance: BoundInstance


class DownloadModel(AnyTask):
    shard_metadata: ShardMetadata


class ConnectToGroup(AnyTask):
    pass


class LoadModel(AnyTask):
    pass


class StartWarmup(AnyTask):
    pass


class AnswerTask(AnyTask):
    command_id: Id
    error_type: str | None = None
    error_message: str | None = None


class TextGeneration(AnswerTask):
    task_params: TextGenerationTaskParams


class CancelTask(AnyTask):
    cancelled_task_id: Id
    runner_id: Id


class ImageGeneration(AnswerTask):
    task_params: ImageGenerationTaskParams


class ImageEdits(AnswerTask):
    task_params: ImageEditsTaskParams


class Shutdown(AnyTask):
    runner_id: Id


Task = (
    CreateRunner
    | DownloadModel
    | ConnectToGroup
    | LoadModel
    | StartWarmup
    | TextGeneration
    | CancelTask
    | ImageGeneration
    | ImageEdits
    | Shutdown
)
