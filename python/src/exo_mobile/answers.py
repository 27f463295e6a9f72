"""What a model says, piece by piece or whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ._core import AnswerEnd, ErrorKind
from .errors import ExoError, closed
from .streams import Stream

if TYPE_CHECKING:
    from . import _core


@dataclass(frozen=True)
class AnswerReading:
    """More of the conversation was read; the first word comes after the last of it."""

    done: int
    """Tokens that were."""
    total: int
    """All of them."""


@dataclass(frozen=True)
class AnswerText:
    """Something to append."""

    text: str
    is_thinking: bool
    """Whether it is a thought, and not yet the answer."""


AnswerPiece: TypeAlias = AnswerReading | AnswerText | AnswerEnd


class Answer(Stream[AnswerPiece]):
    """An answer as it is made. No piece of it is passed over, and the last is an `AnswerEnd`.

    Where the stream ends early, the computing ends too, within a token: with :meth:`cancel`, when the task that waits
    is cancelled, and when nobody holds the answer any more. Who holds an answer holds its model.
    """

    def __init__(self, answer: _core.Answer, model: object) -> None:
        super().__init__(answer, _piece_of)
        self._model = model
        self._was_shut = False
        self.end: AnswerEnd | None = None
        """Why it ended and what it took; none before, and none if it was cancelled."""

    async def __anext__(self) -> AnswerPiece:
        try:
            piece = await super().__anext__()
        except StopAsyncIteration:
            if self._was_shut and self.end is None:
                raise closed("model") from None
            raise
        if isinstance(piece, AnswerEnd):
            self.end = piece
        return piece

    def shut(self) -> None:
        """For this package alone: the model is closed. Who waits hears so; one that was over already stays so."""
        self._was_shut = self._was_shut or not self._is_over
        self.cancel()

    async def text(self) -> str:
        """Waits for the end and gives all that was not read before as one text, without the thoughts.

        An answer that was cancelled has no whole text: that is an error of the kind `CANCELLED`.
        """
        said = [piece.text async for piece in self if isinstance(piece, AnswerText) and not piece.is_thinking]
        if self.end is None:
            raise ExoError(ErrorKind.CANCELLED, "the answer was cancelled before its end; ask again")
        return "".join(said)


def _piece_of(piece: _core.AnswerPiece) -> AnswerPiece:
    """Ours for the generated one, whose classes have the same fields."""
    told: dict[str, Any] = vars(piece)
    match type(piece).__name__.rpartition(".")[2]:
        case "READING":
            return AnswerReading(**told)
        case "TEXT":
            return AnswerText(**told)
        case _:
            end: AnswerEnd = told["end"]
            return end
