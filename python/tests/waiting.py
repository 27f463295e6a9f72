"""Waiting for a condition, never for a time. The deadline is there for failures alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

T = TypeVar("T")
PATIENCE = 60.0


async def first(values: AsyncIterator[T], fits: Callable[[T], bool]) -> T:
    """The first value of the stream that fits."""
    seen: list[T] = []
    try:
        async with asyncio.timeout(PATIENCE):
            async for value in values:
                if fits(value):
                    return value
                seen.append(value)
    except TimeoutError:
        raise AssertionError(f"it did not come; the last was {seen[-1:]}") from None
    raise AssertionError(f"the stream ended; the last was {seen[-1:]}")


async def eventually(check: Callable[[], object]) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not check():
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError("it did not come to that") from None
