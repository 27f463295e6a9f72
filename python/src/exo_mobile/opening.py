"""What is opened can be awaited, and is closed by who opens it with `async with`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator
    from types import TracebackType


class Closable(Protocol):
    """Something that ends, once or twice."""

    async def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


class Opening(Generic[C]):
    """`thing = await opening` or `async with opening as thing`, which closes it."""

    def __init__(self, begin: Callable[[], Coroutine[object, object, C]]) -> None:
        self._begin = begin
        self._opened: C | None = None

    def __await__(self) -> Generator[object, object, C]:
        return self._begin().__await__()

    async def __aenter__(self) -> C:
        self._opened = await self._begin()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()
