"""The models of this device: listed, loaded, offered, let go of."""

from __future__ import annotations

import asyncio
import itertools
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tiny import LAYERS, MODEL, SHELF
from waiting import eventually

from exo_mobile import BackendKind, ErrorKind, ExoError, LoadProgress, Model, ModelHost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


async def test_models_are_listed_with_what_each_costs(host: ModelHost) -> None:
    (listed,) = await host.models()
    assert (listed.id, listed.is_loaded, listed.is_offered) == (MODEL, False, False)
    assert listed.bytes > 100_000
    assert listed.memory is not None
    assert listed.refusal is None
    assert host.device().backend is BackendKind.CPU
    assert host.used() == 0


async def test_a_model_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    shutil.copytree(SHELF, tmp_path, dirs_exist_ok=True)
    broken = tmp_path / "exo-mobile--broken"
    shutil.copytree(tmp_path / "exo-mobile--tiny-random", broken)
    (broken / "config.json").write_text('{"model_type": "crystal-ball"}')
    async with ModelHost.open(tmp_path, backend=BackendKind.CPU) as host:
        listed = {model.id: model for model in await host.models()}
        refused = listed["exo-mobile/broken"]
        assert refused.memory is None
        assert refused.refusal
        assert listed[MODEL].refusal is None
        with pytest.raises(ExoError) as caught:
            await host.load("exo-mobile/broken")
        assert caught.value.kind is ErrorKind.UNSUPPORTED
        assert caught.value.reason == refused.refusal


async def test_where_there_is_no_directory_there_are_no_models(tmp_path: Path) -> None:
    async with ModelHost.open(tmp_path / "nowhere", backend=BackendKind.CPU) as host:
        assert await host.models() == []


async def test_a_load_tells_of_its_layers_and_costs_what_was_told(host: ModelHost) -> None:
    seen: list[LoadProgress] = []
    async with host.load(MODEL, seen.append) as model:
        assert seen[-1] == LoadProgress(layers=LAYERS, of=LAYERS)
        assert [step.layers for step in seen] == sorted({step.layers for step in seen})
        (listed,) = await host.models()
        assert listed.is_loaded
        assert model.id == MODEL
        assert model.memory == listed.memory == host.used()
        assert model.context == 2048
    await eventually(lambda: host.used() == 0)


async def test_a_model_is_loaded_once_whoever_wants_it(host: ModelHost) -> None:
    one, other = await asyncio.gather(host.load(MODEL), host.load(MODEL))
    assert host.used() == one.memory == other.memory
    await one.close()
    assert await other.ask("What is rain?", max_tokens=3).text()
    await other.close()
    await eventually(lambda: host.used() == 0)


async def test_a_task_that_is_cancelled_while_it_loads_leaves_nothing(host: ModelHost) -> None:
    async def load() -> Model:
        return await host.load(MODEL, lambda _: loading.cancel())

    for _ in range(5):
        loading = asyncio.create_task(load())
        with pytest.raises(asyncio.CancelledError):
            await loading
        await eventually(lambda: host.used() == 0)
    loading = asyncio.create_task(load())
    await asyncio.sleep(0)
    loading.cancel()
    await asyncio.wait([loading])
    await eventually(lambda: host.used() == 0)
    async with host.load(MODEL) as model:
        assert await model.ask("What is rain?", max_tokens=3).text(), "and the next is loaded"


async def test_what_a_progress_raises_ends_the_load(host: ModelHost) -> None:
    def broken(_: LoadProgress) -> None:
        raise ValueError("the program's own")

    with pytest.raises(ValueError, match="the program's own"):
        await host.load(MODEL, broken)
    await eventually(lambda: host.used() == 0)


async def test_a_model_that_is_not_there_is_not_found_and_the_error_says_what_is(host: ModelHost) -> None:
    with pytest.raises(ExoError, match=MODEL) as caught:
        await host.load("exo-mobile/elsewhere")
    assert caught.value.kind is ErrorKind.NOT_FOUND


@pytest.mark.parametrize("name", ["../up", ""])
async def test_what_is_no_name_is_refused(host: ModelHost, name: str) -> None:
    with pytest.raises(ExoError) as caught:
        await host.load(name)
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT
    with pytest.raises(ExoError) as caught:
        host.offer(MODEL, name)
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT
    assert host.offered() == [], "and nothing is offered by halves"


async def test_nothing_is_offered_until_its_owner_says_so(host: ModelHost) -> None:
    assert host.offered() == []
    host.offer(MODEL)
    assert host.offered() == [MODEL]
    assert [model.is_offered for model in await host.models()] == [True]
    host.offer()
    assert host.offered() == []


async def test_options_that_can_never_work_are_refused() -> None:
    with pytest.raises(ExoError) as caught:
        await ModelHost.open(SHELF, backend=BackendKind.METAL)
    assert caught.value.kind is ErrorKind.NO_DEVICE
    with pytest.raises(ExoError) as caught:
        await ModelHost.open(SHELF, backend=BackendKind.CPU, context=-1)
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT


async def test_a_model_that_memory_has_no_room_for_is_refused_with_the_figures() -> None:
    async with ModelHost.open(SHELF, backend=BackendKind.CPU, memory_cap=1 << 16) as host:
        (listed,) = await host.models()
        assert listed.memory is None
        assert listed.refusal
        with pytest.raises(ExoError) as caught:
            await host.load(MODEL)
        assert caught.value.kind is ErrorKind.OUT_OF_MEMORY


async def kind_of(use: Callable[[], Any]) -> ErrorKind:
    with pytest.raises(ExoError) as caught:
        outcome = use()
        if asyncio.iscoroutine(outcome) or hasattr(outcome, "__await__"):
            await outcome
    return caught.value.kind


async def test_use_after_closing_is_an_error_of_the_kind_closed() -> None:
    host = await ModelHost.open(SHELF, backend=BackendKind.CPU)
    model = await host.load(MODEL)
    await model.close()
    assert await kind_of(lambda: model.ask("?")) is ErrorKind.CLOSED
    await host.close()
    uses: list[Callable[[], Any]] = [
        host.device,
        host.models,
        host.used,
        host.offered,
        lambda: host.offer(MODEL),
        lambda: host.load(MODEL),
    ]
    for use in uses:
        assert await kind_of(use) is ErrorKind.CLOSED
    assert (model.id, model.context) == (MODEL, 4096), "what it was can be told still"


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
async def test_closing_works_in_every_order_twice_and_from_any_thread(order: tuple[int, ...]) -> None:
    host = await ModelHost.open(SHELF, backend=BackendKind.CPU)
    model = await host.load(MODEL)
    answer = model.ask("What is rain?", max_tokens=1500)

    async def cancel() -> None:
        answer.cancel()

    ends: list[Callable[[], Awaitable[None]]] = [cancel, model.close, host.close]

    async def end(number: int) -> None:
        await ends[number]()

    for number in order:
        await asyncio.to_thread(asyncio.run, end(number))
        await end(number)


async def test_a_load_under_way_ends_with_its_host() -> None:
    host = await ModelHost.open(SHELF, backend=BackendKind.CPU)
    closing: list[asyncio.Task[None]] = []

    def begin_to_close(_: LoadProgress) -> None:
        if not closing:
            closing.append(asyncio.create_task(host.close()))

    try:
        model = await host.load(MODEL, begin_to_close)
    except ExoError as error:
        assert error.kind is ErrorKind.CLOSED  # noqa: PT017
    else:
        # It was there before the host heard of its end.
        await asyncio.gather(*closing)
        assert await kind_of(model.ask("?").text) is ErrorKind.CLOSED
    await asyncio.gather(*closing)


async def test_who_holds_a_model_holds_its_host_and_who_holds_an_answer_both() -> None:
    model = await (await ModelHost.open(SHELF, backend=BackendKind.CPU)).load(MODEL)
    answer = model.ask("What is rain?", max_tokens=5)
    del model
    assert await answer.text()
