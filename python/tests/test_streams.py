"""Streams: pulled, and over when nobody wants them any more."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest

from exo_mobile import ErrorKind, ExoError, ExoNode, Provider, Searching
from exo_mobile.streams import Stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NOBODY: dict[str, Any] = {"only": [Provider.LOOPBACK], "discovery_port": 9}


@pytest.fixture
async def node() -> AsyncIterator[ExoNode]:
    async with ExoNode.join(**NOBODY) as node:
        yield node


class Endless:
    """A stream of the core that notes what becomes of it."""

    def __init__(self) -> None:
        self.cancelled = False

    async def next(self) -> int:
        return 7

    def cancel(self) -> None:
        self.cancelled = True


async def test_breaking_out_of_the_loop_cancels_the_stream() -> None:
    source = Endless()
    async for value in Stream(source, str):
        assert value == "7"
        break
    assert source.cancelled


async def test_an_error_in_the_loop_cancels_the_stream() -> None:
    source = Endless()
    async with Stream(source, str) as values:
        with pytest.raises(ZeroDivisionError):
            async for _ in values:
                raise ZeroDivisionError
    assert source.cancelled


async def test_a_task_that_is_cancelled_while_it_waits_cancels_the_stream(node: ExoNode) -> None:
    troubles = node.troubles()
    waiting = asyncio.create_task(anext(troubles))
    await asyncio.sleep(0)
    assert waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(10):
        assert [value async for value in troubles] == []


async def test_cancelling_a_stream_wakes_who_waits_for_it(node: ExoNode) -> None:
    troubles = node.troubles()

    async def all_of_them() -> list[str]:
        return [why async for why in troubles]

    waiting = asyncio.create_task(all_of_them())
    await asyncio.sleep(0)
    await asyncio.to_thread(troubles.cancel)
    async with asyncio.timeout(10):
        assert await waiting == []


async def test_the_end_of_the_node_ends_its_streams(node: ExoNode) -> None:
    seen: list[object] = []

    async def follow() -> None:
        async for state in node.states():
            seen.append(state)

    following = asyncio.create_task(follow())
    while not seen:
        await asyncio.sleep(0)
    assert seen == [Searching()]
    await node.close()
    async with asyncio.timeout(10):
        await following


async def test_many_streams_of_one_node_do_not_disturb_each_other(node: ExoNode) -> None:
    streams = [node.states() for _ in range(50)]
    assert await asyncio.gather(*(anext(stream) for stream in streams)) == [Searching()] * 50
    streams[0].cancel()
    with pytest.raises(StopAsyncIteration):
        await anext(streams[0])


async def test_a_stream_that_nobody_holds_is_gone(node: ExoNode) -> None:
    stream = node.states()
    await anext(stream)
    gone = weakref.ref(stream)
    del stream
    gc.collect()
    assert gone() is None


async def test_what_the_core_says_in_a_stream_is_translated() -> None:
    class Broken(Endless):
        async def next(self) -> int:
            raise ValueError("no")

    with pytest.raises(ExoError) as caught:
        await anext(Stream(Broken(), str))
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT
