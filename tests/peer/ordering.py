"""Messages with an index, released in order. The same rules on both sides: master per origin, everyone per session."""

from collections.abc import Iterator
from typing import Any


class Contradiction(AssertionError):
    """One index, two contents: exo asserts that this never happens, and dies."""


class Ordered:
    def __init__(self) -> None:
        self.next = 0
        self.early: dict[int, Any] = {}

    def take(self, index: int, content: Any) -> Iterator[tuple[int, Any]]:
        """What can be released now. An index below the next one is a repeat and ignored."""
        if index >= self.next and self.early.setdefault(index, content) != content:
            raise Contradiction(f"index {index} came twice with different content")
        return iter(self._release())

    def _release(self) -> list[tuple[int, Any]]:
        released = []
        while self.next in self.early:
            released.append((self.next, self.early.pop(self.next)))
            self.next += 1
        return released
