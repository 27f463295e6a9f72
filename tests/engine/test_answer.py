"""Answers are cut into text, thoughts and calls as exo cuts them."""

from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from .families import make
from .ours import ask

CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "K\\u00f6ln"}}\n</tool_call>'
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make("qwen", tmp_path_factory.mktemp("qwen"))


def answer(folder: Path, text: str, tools: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    tokens = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text, add_special_tokens=False).ids
    prompt = {"messages": [{"role": "user", "content": "hi"}], "tools": tools}
    told = ask([{"ask": "answer", "prompt": prompt, "tokens": tokens, **more}], folder)[0]
    pieces = [output for output in told["outputs"] if "text" in output]
    return {
        "said": "".join(piece["text"] for piece in pieces if not piece["is_thinking"]),
        "thought": "".join(piece["text"] for piece in pieces if piece["is_thinking"]),
        "calls": [call for output in told["outputs"] for call in output.get("calls", [])],
        "finish": pieces[-1]["finish"] if pieces else None,
        "tokens": len(tokens),
        **told,
    }


def test_thoughts_are_marked_and_their_tags_swallowed(folder: Path) -> None:
    told = answer(folder, "<think>\nhm, 漢字 👍\n</think>\n\nYes.<|im_end|>")
    assert (told["thought"], told["said"], told["finish"]) == ("\nhm, 漢字 👍\n", "\n\nYes.", "stop")
    assert told["completion_tokens"] == told["tokens"]
    assert 0 < told["reasoning_tokens"] < told["tokens"] - 3


def test_every_token_is_one_output_but_for_tags(folder: Path) -> None:
    told = answer(folder, "one two three é 👩‍👩‍👧<|im_end|>")
    assert len(told["outputs"]) == told["tokens"]


def test_stops_are_found_wherever_tokens_are_cut(folder: Path) -> None:
    text = "The quick brown 狐 jumps over the lazy dog."
    for start in range(0, len(text) - 3):
        stop = text[start : start + 3]
        told = answer(folder, text + "<|im_end|>", stop=["nothing like it", stop])
        assert (told["said"], told["finish"]) == (text[: text.index(stop)], "stop")


def test_calls_are_taken_out_and_told_in_the_end(folder: Path) -> None:
    told = answer(folder, f"<think>\nhm\n</think>\n\nLet me see.\n{CALL}\n{CALL}<|im_end|>", TOOLS)
    assert told["calls"] == [["weather", '{"city": "K\\u00f6ln"}']] * 2
    assert told["said"] == "\n\nLet me see.\n\n"
    assert "calls" in told["outputs"][-1]


def test_without_tools_a_call_is_text(folder: Path) -> None:
    assert answer(folder, f"{CALL}<|im_end|>")["said"] == CALL


def test_length_ends_an_answer(folder: Path) -> None:
    told = answer(folder, "a b c d e f g", max_tokens=3)
    assert (told["completion_tokens"], told["finish"]) == (3, "length")
