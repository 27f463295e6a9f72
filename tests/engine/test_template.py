"""Every conversation becomes the prompt that `transformers` makes of it, or an error where it raises one."""

import copy
import datetime
import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from transformers import PreTrainedTokenizerFast

from .families import ENDS, STARTS, TEMPLATES, make
from .ours import ask

NOW = 1_752_412_345
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather, now; “quoted” & <escaped>",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3, "items": 1.0}},
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "time", "description": "", "parameters": {"type": "object", "properties": {}}}},
]
CALL = {"id": "call00001", "type": "function", "function": {"name": "weather", "arguments": {"city": "Köln", "days": 2}}}
CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "one question": [{"role": "user", "content": "  What is 2+2?\n"}],
    "with a system message": [{"role": "system", "content": "Be brief. "}, {"role": "user", "content": "hi"}],
    "several turns": [
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "c 👍\n"},
        {"role": "user", "content": "你好 <|im_end|>"},
    ],
    "thoughts": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "<think>\nhm\n</think>\n\nanswer"},
        {"role": "user", "content": "again"},
    ],
    "thoughts apart": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "answer", "reasoning_content": "hm"},
        {"role": "user", "content": "again"},
    ],
    "a call and its result": [
        {"role": "user", "content": "weather?"},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": '{"degrees": 20.0}', "tool_call_id": "call00001", "name": "weather"},
    ],
    "two results": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "weather?"},
        {"role": "assistant", "content": "Let me see", "tool_calls": [CALL, CALL]},
        {"role": "tool", "content": "1", "tool_call_id": "call00001"},
        {"role": "tool", "content": "2", "tool_call_id": "call00001"},
        {"role": "user", "content": "and now?"},
    ],
    "twice the user": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
    "ends with a result": [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "y", "tool_calls": [CALL]},
        {"role": "tool", "content": "z", "tool_call_id": "call00001"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks"},
    ],
}
# Families whose calls we cannot read, and what a refusal says.
REFUSED = {"gemma": "a model whose template knows none", "mistral": "the tool calls of Mistral"}
FAMILIES = ["llama-3", "qwen", "gemma", "mistral", "constructs"]


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def folder(family: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make("qwen" if family == "constructs" else family, tmp_path_factory.mktemp(family))
    if family == "constructs":
        # The dialect of tools is guessed from the template, so it must show one.
        text = (TEMPLATES / "constructs.jinja").read_text() + "{# <tool_call> #}"
        (folder / "chat_template.jinja").write_text(text)
    return folder


class Now(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "Now":
        return cls.fromtimestamp(NOW, datetime.timezone.utc)


def theirs(folder: Path, family: str, messages: list[dict[str, Any]], options: dict[str, Any]) -> tuple[str, list[int]] | None:
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), eos_token=ENDS.get(family, "<|im_end|>"), bos_token=STARTS.get(family)
    )
    own = folder / "chat_template.jinja"
    template = own.read_text() if own.exists() else settings["chat_template"]
    with mock.patch("transformers.utils.chat_template_utils.datetime", Now):
        try:
            text = tokenizer.apply_chat_template(
                copy.deepcopy(messages), chat_template=template, tokenize=False, add_generation_prompt=True, **options
            )
        except Exception as why:  # noqa: BLE001 - whatever it is, ours must be an error too
            print(f"transformers: {why!r}")
            return None
    return text, tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", CONVERSATIONS)
@pytest.mark.parametrize("with_tools", [False, True], ids=["plain", "tools"])
@pytest.mark.parametrize("thinks", [None, False, True], ids=["unsaid", "silent", "thinking"])
def test_prompts_are_the_same(folder: Path, family: str, name: str, with_tools: bool, thinks: bool | None) -> None:
    messages = CONVERSATIONS[name]
    question: dict[str, Any] = {"ask": "prompt", "messages": messages, "now": NOW}
    has_thinking = family in ("qwen", "constructs")
    said = has_thinking if thinks is None else thinks
    options: dict[str, Any] = {"enable_thinking": said}
    if with_tools:
        question["tools"] = options["tools"] = TOOLS
    if thinks is not None:
        question["enable_thinking"] = options["thinking"] = thinks
    if name == "several turns":
        question["reasoning_effort"] = options["reasoning_effort"] = "high"
    answer = ask([question], folder)[0]
    if with_tools and family in REFUSED:
        assert answer["kind"] == "unsupported" and REFUSED[family] in answer["error"]
        return
    expected = theirs(folder, family, messages, options)
    if expected is None:
        assert answer.get("kind") == "template", answer
        return
    text, tokens = expected
    assert answer.get("text") == text, answer
    # exo opens thoughts that were only closed; no conversation here has such.
    assert answer["tokens"] == tokens
    assert answer["starts_thinking"] == (has_thinking and text.rstrip().endswith("<think>"))


def test_messages_are_made_ready_as_exo_makes_them(tmp_path: Path) -> None:
    folder = make("qwen", tmp_path)
    arguments = json.dumps({"city": "Köln", "days": 2})
    as_text = {**CALL, "function": {"name": "weather", "arguments": arguments}}
    given = [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "developer", "content": "s1"},
        {"role": "assistant", "content": "", "tool_calls": [as_text]},
        {"role": "system", "content": "s2"},
        {"role": "tool", "content": "1", "tool_call_id": "call00001"},
        {"role": "assistant", "content": "So"},
    ]
    same = [
        {"role": "system", "content": "s1\ns2"},
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "1", "tool_call_id": "call00001"},
    ]
    expected = theirs(folder, "qwen", same, {"enable_thinking": True})
    assert expected is not None
    answer = ask([{"ask": "prompt", "messages": given, "now": NOW}], folder)[0]
    assert answer["text"] == expected[0] + "So"
