"""Many calls, many objects, many threads: nothing is kept that nobody holds."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from memory import resident_bytes
from tiny import MODEL

import exo_mobile
from exo_mobile import BackendKind, ErrorKind, ExoError, ExoNode, Gpu, Provider

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from exo_mobile import Model, ModelHost

NOBODY: dict[str, Any] = {"only": [Provider.LOOPBACK], "discovery_port": 9}
# Allocators keep some of what was given back; a leak of a hundred bytes a call would be more than this.
GROWTH = 8 << 20


async def flat(times: int, call: Callable[[], Awaitable[object]]) -> None:
    """A tenth of the calls fills every cache; after that, memory stays where it is."""
    for _ in range(times // 10):
        await call()
    before = resident_bytes()
    for _ in range(times):
        await call()
    grown = resident_bytes() - before
    assert grown < GROWTH, f"{grown >> 10} KiB after {times} calls"


async def test_a_hundred_thousand_small_calls_leave_nothing_behind(cpu: Gpu) -> None:
    buffer, target = cpu.allocate(64), bytearray(64)

    async def call() -> None:
        buffer.write(target)
        buffer.read_into(target)
        exo_mobile.about()

    await flat(33_334, call)


async def test_errors_leave_nothing_behind(cpu: Gpu) -> None:
    buffer = cpu.allocate(8)

    async def call() -> None:
        for use in (lambda: buffer.write(b"123456789"), lambda: exo_mobile.read_link("?")):
            with pytest.raises(ExoError):
                use()

    await flat(10_000, call)


async def test_a_thousand_devices_opened_and_closed_leave_nothing_behind() -> None:
    async def call() -> None:
        async with Gpu.open(backend=BackendKind.CPU) as gpu:
            gpu.allocate(1 << 16).write(bytes(1 << 16))

    await flat(1_000, call)


async def test_ten_thousand_buffers_leave_nothing_behind(cpu: Gpu) -> None:
    async def call() -> None:
        cpu.allocate(1 << 12)

    await flat(10_000, call)


async def test_streams_leave_nothing_behind() -> None:
    async with ExoNode.join(**NOBODY) as node:

        async def call() -> None:
            async for _ in node.states():
                break

        await flat(5_000, call)


async def test_waiting_and_being_cancelled_leaves_nothing_behind() -> None:
    async with ExoNode.join(**NOBODY) as node:

        async def call() -> None:
            waiting = asyncio.ensure_future(anext(node.troubles()))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])

        await flat(3_000, call)


async def test_a_thousand_questions_leave_nothing_behind(model: Model) -> None:
    async def call() -> None:
        assert await model.ask("?", max_tokens=2).text() is not None

    await flat(1_000, call)


async def test_answers_that_nobody_wants_to_hear_leave_nothing_behind(model: Model) -> None:
    async def call() -> None:
        async for _ in model.ask("?", max_tokens=1_000):
            break

    await flat(1_000, call)


async def test_models_loaded_and_let_go_of_leave_nothing_behind(host: ModelHost) -> None:
    async def call() -> None:
        async with host.load(MODEL) as model:
            await model.ask("?", max_tokens=1).text()

    await flat(100, call)


async def test_nodes_leave_no_thread_and_no_file_behind() -> None:
    def held() -> tuple[int, int]:
        return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    async def call() -> None:
        async with ExoNode.join(**NOBODY) as node:
            await anext(node.states())

    for _ in range(3):
        await call()
    before = held()
    for _ in range(10):
        await call()
    async with asyncio.timeout(30):
        while any(now > then + 1 for now, then in zip(held(), before, strict=True)):
            await asyncio.sleep(0.05)


def test_calls_come_from_many_threads_at_once(cpu: Gpu) -> None:
    together = threading.Barrier(16)

    def work(number: int) -> None:
        together.wait()
        buffer, expected = cpu.allocate(4096), bytes([number]) * 4096
        for _ in range(200):
            target = bytearray(4096)
            buffer.write(expected)
            buffer.read_into(target)
            assert target == expected
        buffer.free()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    assert cpu.memory().used == 0


async def test_closing_from_one_thread_while_others_work_is_an_error_for_them_and_no_crash() -> None:
    gpu = await Gpu.open(backend=BackendKind.CPU)
    begun = threading.Semaphore(0)

    def work(_: int) -> ErrorKind:
        begun.release()
        while True:
            try:
                gpu.allocate(1024).write(bytes(1024))
            except ExoError as error:
                return error.kind

    with ThreadPoolExecutor(8) as pool:
        working = [pool.submit(work, number) for number in range(8)]
        for _ in working:
            await asyncio.to_thread(begun.acquire)
        await gpu.close()
        assert {done.result(30) for done in working} == {ErrorKind.CLOSED}


def test_each_thread_may_have_a_loop_of_its_own() -> None:
    async def one() -> str:
        async with ExoNode.join(**NOBODY) as node:
            await anext(node.states())
            return node.id

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: asyncio.run(one()), range(4)))) == 4
