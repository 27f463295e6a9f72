"""Model cards and shards: which model, and which of its layers on which rank."""

from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from .base import Id, Memory, Natural, Positive, Strict, Tagged

LONGEST_FILE_NAME = 255


class Backend(StrEnum):
    METAL = "MlxMetal"
    CPU = "MlxCpu"
    CUDA = "MlxCuda"
    VLLM = "Vllm"


class ModelTask(StrEnum):
    TEXT = "TextGeneration"
    IMAGE = "TextToImage"
    IMAGE_EDIT = "ImageToImage"


class ComponentInfo(Strict):
    component_name: str
    component_path: str
    storage_size: Memory
    n_layers: Positive | None = None
    can_shard: bool
    safetensors_index_filename: str | None = None


class VisionCardConfig(Strict):
    image_token_id: int
    model_type: str
    weights_repo: str = ""
    image_token: str | None = None
    processor_repo: str | None = None


class SamplingValues(Strict):
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None


class SamplingDefaults(SamplingValues):
    thinking: SamplingValues | None = None
    non_thinking: SamplingValues | None = None


class ModelCard(Strict):
    model_id: Id
    storage_size: Memory
    n_layers: Positive
    hidden_size: Positive
    supports_tensor: bool
    num_key_value_heads: Positive | None = None
    tasks: list[ModelTask]
    components: list[ComponentInfo] | None = None
    family: str = ""
    quantization: str = ""
    base_model: str = ""
    capabilities: list[str] = []
    backends: list[Backend]
    reasoning_dialect: Literal["none", "post_last_user", "suffix", "channel", "tool_conditional"] = "none"
    context_length: int = 0
    uses_cfg: bool = False
    trust_remote_code: bool = True
    is_custom: bool = False
    vision: VisionCardConfig | None = None
    sampling_defaults: SamplingDefaults = Field(default_factory=SamplingDefaults)

    # exo reads these two item by item before its own checks, so that anything iterable passes for a list. What can't
    # be iterated raises a TypeError there, which ends the process like any other refusal.
    @field_validator("tasks", mode="before")
    @classmethod
    def _each_task(cls, given: Any) -> list[ModelTask]:
        return [ModelTask(item) for item in given]

    @field_validator("backends", mode="before")
    @classmethod
    def _each_backend(cls, given: Any) -> list[Backend]:
        return [Backend(item) for item in given]

    # A card without vision makes exo look for the model on its disk, and a name that no file system takes ends it. A
    # zero byte in the name ends the looking before.
    @model_validator(mode="after")
    def _the_name_could_be_that_of_a_directory(self) -> Self:
        name = self.model_id.replace("/", "--")
        if self.vision is None and "\0" not in name and len(name.encode()) > LONGEST_FILE_NAME:
            raise ValueError(f"file name too long: {len(name.encode())} bytes")
        return self


class AnyShard(Tagged):
    model_card: ModelCard
    device_rank: int
    world_size: int
    immediate_exception: bool = False
    should_timeout: float | None = None
    start_layer: Natural
    end_layer: Natural
    n_layers: Natural


class PipelineShardMetadata(AnyShard):
    pass


class CfgShardMetadata(AnyShard):
    cfg_rank: int
    cfg_world_size: int = 2
    pipeline_rank: int
    pipeline_world_size: int


class TensorShardMetadata(AnyShard):
    pass


ShardMetadata = PipelineShardMetadata | CfgShardMetadata | TensorShardMetadata
