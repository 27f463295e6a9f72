"""The streams of the core as async iterators: the loop that pulls, once for all of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from .errors import ExoError, translated

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

F_co = TypeVar("F_co", covariant=True)
T = TypeVar("T")


class Source(Protocol[F_co]):
    """A stream of the core: the newest value when asked, nothing when it is over."""

    async def next(self) -> F_co | None: ...

    def cancel(self) -> None: ...


class Stream(Generic[T]):
    """The value now, then each newer one; values that nobody asked for in time are passed over.

    It ends with its node, with :meth:`cancel`, when the task that waits is cancelled, and when nobody holds it any
    more: `async for state in node.states(): break` leaves nothing behind. Who keeps it in a variable uses `async with`.
    """

    def __init__(self, source: Source[F_co], convert: Callable[[F_co], T]) -> None:
        async def pull() -> tuple[T] | None:
            value = await source.next()
            return None if value is None else (convert(value),)

        self._pull, self._cancel, self._is_over = pull, source.cancel, False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        if self._is_over:
            raise StopAsyncIteration
        try:
            with translated():
                pulled = await self._pull()
        except BaseException:
            self.cancel()
            raise
        if pulled is None:
            self.cancel()
            raise StopAsyncIteration
        return pulled[0]

    def cancel(self) -> None:
        """Ends the stream; who waits for a value is woken. From any thread, and twice."""
        self._is_over = True
        with translated():
            self._cancel()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __del__(self) -> None:
        with suppress(ExoError, AttributeError):
            self.cancel()
