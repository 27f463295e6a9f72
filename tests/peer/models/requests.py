"""What a client of the cluster asks for: text and images."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from typing_extensions import TypeAliasType

from .base import Id, Loose

Role = Literal["user", "assistant", "system", "developer", "tool"]
ImageFormat = Literal["png", "jpeg", "webp"]
ImageSize = Literal["auto", "512x512", "768x768", "1024x768", "768x1024", "1024x1024", "1024x1536", "1536x1024"]

# Anything but null.
TemplateValue = TypeAliasType(
    "TemplateValue",
    str | dict[str, "TemplateValue"] | list["TemplateValue"] | int | float | bool,
)


class InputMessage(Loose):
    role: Role
    content: str


class TextGenerationTaskParams(Loose):
    model: Id
    input: list[InputMessage]
    instructions: str | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stream: bool = False
    tools: list[dict[str, Any]] | None = None
    bench: bool = False
    use_prefix_cache: bool = False
    top_k: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    chat_template_messages: list[dict[str, TemplateValue]] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    enable_thinking: bool | None = None
    logprobs: bool = False
    top_logprobs: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    repetition_context_size: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    images: list[str] = Field(default_factory=list)
    image_hashes: dict[int, str] = Field(default_factory=dict)
    prefill_endpoint: str | None = None


class AdvancedImageParams(Loose):
    seed: Annotated[int, Field(ge=0)] | None = None
    num_inference_steps: Annotated[int, Field(ge=1, le=100)] | None = None
    guidance: Annotated[float, Field(ge=1, le=20)] | None = None
    negative_prompt: str | None = None
    num_sync_steps: Annotated[int, Field(ge=1, le=100)] | None = None


class AnyImageParams(Loose):
    prompt: str
    model: str
    n: int | None = 1
    output_format: ImageFormat = "png"
    partial_images: int | None = 0
    quality: Literal["high", "medium", "low"] | None = "medium"
    response_format: Literal["url", "b64_json"] | None = "b64_json"
    size: ImageSize = "auto"
    advanced_params: AdvancedImageParams | None = None
    bench: bool = False

    @field_validator("size", mode="before")
    @classmethod
    def _no_size_means_auto(cls, given: Any) -> Any:
        return "auto" if given is None else given


class ImageGenerationTaskParams(AnyImageParams):
    background: str | None = None
    moderation: str | None = None
    output_compression: int | None = None
    stream: bool | None = False
    style: str | None = "vivid"
    user: str | None = None


class ImageEditsTaskParams(AnyImageParams):
    image_data: str = ""
    total_input_chunks: int = 0
    image_strength: float | None = 0.7
    stream: bool = False
