"""Questions to a model, and what becomes of them."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING, Any

import pytest
from tiny import MODEL, SHELF

from exo_mobile import (
    Answer,
    AnswerEnd,
    AnswerReading,
    AnswerText,
    BackendKind,
    ChatMessage,
    ErrorKind,
    ExoError,
    Finish,
    Model,
    ModelHost,
    Role,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

RAIN = "What is rain?"
LONG = 1500
# The likeliest token each time, so that an answer can be compared with another.
SAME: dict[str, Any] = {"temperature": 0}


async def test_an_answer_comes_in_pieces_and_its_end_says_what_it_took(model: Model) -> None:
    answer = model.ask(RAIN, max_tokens=6, **SAME)
    pieces = [piece async for piece in answer]
    readings = [piece for piece in pieces if isinstance(piece, AnswerReading)]
    texts = [piece for piece in pieces if isinstance(piece, AnswerText)]
    end = pieces[-1]
    assert isinstance(end, AnswerEnd)
    assert pieces == [*readings, *texts, end]
    assert "".join(piece.text for piece in texts)
    assert (end.finish, end.completion_tokens) == (Finish.LENGTH, 6)
    assert readings[-1] == AnswerReading(done=end.prompt_tokens, total=end.prompt_tokens)
    assert end.first_after <= end.took
    assert answer.end == end
    assert [piece async for piece in answer] == [], "and it stays at its end"


async def test_the_whole_text_is_all_pieces_together(model: Model) -> None:
    pieces = [piece async for piece in model.ask(RAIN, max_tokens=20, **SAME)]
    answer = model.ask(RAIN, max_tokens=20, **SAME)
    text = await answer.text()
    assert text == "".join(piece.text for piece in pieces if isinstance(piece, AnswerText) and not piece.is_thinking)


async def test_the_same_seed_gives_the_same_answer(model: Model) -> None:
    said = [await model.ask(RAIN, max_tokens=20, temperature=1.5, seed=seed).text() for seed in (7, 7, 8)]
    assert said[0] == said[1] != said[2]


async def test_a_conversation_may_have_many_messages(model: Model) -> None:
    conversation = [
        ChatMessage(role=Role.SYSTEM, content="Be brief."),
        ChatMessage(role=Role.USER, content=RAIN),
        ChatMessage(role=Role.ASSISTANT, content="Water."),
        ChatMessage(role=Role.USER, content="And snow?"),
    ]
    one, many = model.ask(RAIN, max_tokens=1), model.ask(iter(conversation), max_tokens=1)
    await asyncio.gather(one.text(), many.text())
    assert one.end is not None
    assert many.end is not None
    assert many.end.prompt_tokens > one.end.prompt_tokens


async def test_an_answer_ends_before_a_text_at_which_to_stop(model: Model) -> None:
    whole = await model.ask(RAIN, max_tokens=30, **SAME).text()
    stop = whole[len(whole) // 2 :][:3]
    for stops in (stop, [stop, "never said"]):
        answer = model.ask(RAIN, max_tokens=30, stop=stops, **SAME)
        assert await answer.text() == whole[: whole.index(stop)]
        assert answer.end is not None
        assert answer.end.finish is Finish.STOP


async def test_many_questions_at_once_are_answered_as_one_by_one(model: Model) -> None:
    questions = [f"What is {thing}?" for thing in ("rain", "snow", "hail", "fog", "dew", "frost")]
    alone = [await model.ask(question, max_tokens=10, **SAME).text() for question in questions]
    together = await asyncio.gather(*(model.ask(question, max_tokens=10, **SAME).text() for question in questions))
    assert together == alone


async def first_text(answer: Answer) -> None:
    async for piece in answer:
        if isinstance(piece, AnswerText):
            return


async def leaves_the_loop(model: Model) -> None:
    async for piece in model.ask(RAIN, max_tokens=LONG):
        if isinstance(piece, AnswerText):
            break


async def leaves_the_block(model: Model) -> None:
    async with model.ask(RAIN, max_tokens=LONG) as answer:
        await first_text(answer)
    assert [piece async for piece in answer] == []


async def cancels_the_answer(model: Model) -> None:
    answer = model.ask(RAIN, max_tokens=LONG)
    await first_text(answer)
    await asyncio.to_thread(answer.cancel)
    answer.cancel()
    assert answer.end is None


async def cancels_the_task_that_waits(model: Model) -> None:
    answer = model.ask(RAIN, max_tokens=LONG)
    await first_text(answer)
    waiting = asyncio.create_task(answer.text())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def waits_no_longer(model: Model) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await model.ask(RAIN, max_tokens=LONG).text()


async def forgets_the_answer(model: Model) -> None:
    answer = model.ask(RAIN, max_tokens=LONG)
    await first_text(answer)
    del answer
    gc.collect()


async def computing(work: Awaitable[object]) -> float:
    """Seconds that all processors together spend for this program until it rests, however busy the machine is."""
    before = time.process_time()
    await work
    while True:
        spent = time.process_time()
        await asyncio.sleep(0.1)
        if time.process_time() - spent < 0.02:
            return spent - before


async def test_nothing_more_is_computed_for_who_does_not_listen(model: Model) -> None:
    answer = model.ask(RAIN, max_tokens=LONG, **SAME)
    whole = await computing(answer.text())
    assert answer.end is not None
    computed = answer.end.completion_tokens

    async def and_then_another(stops: Callable[[Model], Awaitable[None]]) -> None:
        await stops(model)
        assert await model.ask(RAIN, max_tokens=3).text()

    for stops in (
        leaves_the_loop,
        leaves_the_block,
        cancels_the_answer,
        cancels_the_task_that_waits,
        waits_no_longer,
        forgets_the_answer,
    ):
        cancelled = await computing(and_then_another(stops))
        words = f"who {stops.__name__} costs {cancelled:.2f} s, where {computed} tokens take {whole:.2f} s"
        assert cancelled < whole / 2, words


async def test_the_text_of_a_cancelled_answer_is_an_error_for_who_waits(model: Model) -> None:
    answer = model.ask(RAIN, max_tokens=LONG)
    waiting = asyncio.create_task(answer.text())
    await asyncio.sleep(0)
    await asyncio.to_thread(answer.cancel)
    async with asyncio.timeout(30):
        with pytest.raises(ExoError) as caught:
            await waiting
    assert caught.value.kind is ErrorKind.CANCELLED


@pytest.mark.parametrize("closes", ["host", "model"])
async def test_an_answer_ends_with_its_model_and_its_host(closes: str) -> None:
    async with ModelHost.open(SHELF, backend=BackendKind.CPU) as host, host.load(MODEL) as model:
        waiting = asyncio.create_task(model.ask(RAIN, max_tokens=LONG).text())
        await asyncio.sleep(0)
        await (host if closes == "host" else model).close()
        async with asyncio.timeout(30):
            with pytest.raises(ExoError) as caught:
                await waiting
        assert caught.value.kind is ErrorKind.CLOSED


async def test_what_was_over_before_its_model_closes_stays_as_it_ended(model: Model) -> None:
    whole, cancelled = model.ask(RAIN, max_tokens=1), model.ask(RAIN, max_tokens=LONG)
    await whole.text()
    cancelled.cancel()
    await model.close()
    assert [piece async for piece in whole] == [piece async for piece in cancelled] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": -1},
        {"max_tokens": 1 << 32},
        {"temperature": -1.0},
        {"temperature": float("nan")},
        {"top_p": -0.5},
        {"min_p": -0.5},
        {"seed": 1 << 63},
        {"conversation": "rain " * 5000},
        {"conversation": "\udc80"},
    ],
    ids="-".join,
)
async def test_what_a_model_cannot_take_is_an_invalid_argument(model: Model, wrong: dict[str, Any]) -> None:
    with pytest.raises(ExoError) as caught:
        await model.ask(**{"conversation": RAIN, "max_tokens": 1, **wrong}).text()
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT
    assert caught.value.reason
    assert await model.ask(RAIN, max_tokens=1).text() is not None, "and the next question is answered"


async def test_a_wrong_type_is_a_type_error(model: Model) -> None:
    with pytest.raises(TypeError):
        model.ask(RAIN, max_tokens="many")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError):
        model.ask([ChatMessage(role=Role.USER, content=7)])  # pyright: ignore[reportArgumentType]


def test_each_thread_may_ask_in_a_loop_of_its_own() -> None:
    async def one() -> str:
        async with ModelHost.open(SHELF, backend=BackendKind.CPU) as host, host.load(MODEL) as model:
            said = await asyncio.gather(
                *(asyncio.to_thread(asyncio.run, model.ask(RAIN, max_tokens=8, **SAME).text()) for _ in range(4))
            )
            (same,) = set(said)
            return same

    assert asyncio.run(one())
