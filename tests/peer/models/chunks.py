"""Pieces of an answer, and of an image that was sent with a question."""

from typing import Literal

from pydantic import Field

from .base import Id, Loose, Memory, Tagged, fresh_id
from .requests import ImageFormat
from .runners import KnownDiagnostic


class PromptTokensDetails(Loose):
    cached_tokens: int = 0
    audio_tokens: int = 0


class CompletionTokensDetails(Loose):
    reasoning_tokens: int = 0
    audio_tokens: int = 0
    accepted_prediction_tokens: int = 0
    rejected_prediction_tokens: int = 0


class Usage(Loose):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptTokensDetails
    completion_tokens_details: CompletionTokensDetails


class GenerationStats(Loose):
    prompt_tps: float
    generation_tps: float
    prompt_tokens: int
    generation_tokens: int
    peak_memory_usage: Memory
    prefix_cache_hit: Literal["none", "partial", "exact"] = "none"


class ImageGenerationStats(Loose):
    seconds_per_step: float
    total_generation_time: float
    num_inference_steps: int
    num_images: int
    image_width: int
    image_height: int
    peak_memory_usage: Memory


class TopLogprobItem(Loose):
    token: str
    logprob: float
    bytes: list[int] | None = None


class ToolCallItem(Loose):
    id: str = Field(default_factory=fresh_id)
    name: str
    arguments: str


class AnyChunk(Tagged):
    model: Id


class PrefillProgressChunk(AnyChunk):
    processed_tokens: int
    total_tokens: int


class TokenChunk(AnyChunk):
    text: str
    token_id: int
    usage: Usage | None
    finish_reason: Literal["stop", "length", "content_filter"] | None = None
    stats: GenerationStats | None = None
    logprob: float | None = None
    top_logprobs: list[TopLogprobItem] | None = None
    is_thinking: bool = False


class ImageChunk(AnyChunk):
    data: str
    chunk_index: int
    total_chunks: int
    image_index: int
    is_partial: bool = False
    partial_index: int | None = None
    total_partials: int | None = None
    stats: ImageGenerationStats | None = None
    format: ImageFormat | None = None
    finish_reason: Literal["stop", "length", "tool_calls", "content_filter", "function_call", "error"] | None = None
    error_message: str | None = None


class ToolCallChunk(AnyChunk):
    tool_calls: list[ToolCallItem]
    usage: Usage | None
    finish_reason: Literal["tool_calls"] = "tool_calls"
    stats: GenerationStats | None = None


class ErrorChunk(AnyChunk):
    error_message: str
    finish_reason: Literal["error"] = "error"
    diagnostics: list[KnownDiagnostic] = []


class InputImageChunk(AnyChunk):
    command_id: Id
    data: str
    chunk_index: int
    total_chunks: int
    image_index: int = 0


Chunk = PrefillProgressChunk | TokenChunk | ImageChunk | ToolCallChunk | ErrorChunk
