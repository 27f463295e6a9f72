"""What can go wrong, and the one place where it is translated."""

from __future__ import annotations

import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import _core
from ._core import ErrorKind

if TYPE_CHECKING:
    from collections.abc import Generator


# The generated module names it twice, so that nobody can tell what it is.
_CoreError: type[Exception] = getattr(_core, "ExoError")  # noqa: B009


class ExoError(Exception):
    """The one error of this package: a stable kind to act on, words for people, details for developers."""

    def __init__(self, kind: ErrorKind, reason: str, detail: str = "", *, is_retryable: bool = False) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.detail = detail
        self.is_retryable = is_retryable
        """Whether the same call may succeed later, unchanged."""

    @property
    def is_permission(self) -> bool:
        """Whether the system or the owner does not allow it: ask for the permission."""
        return self.kind is ErrorKind.NOT_PERMITTED

    def __repr__(self) -> str:
        return f"ExoError({self.kind.name}, {self.reason!r})"


def closed(what: str) -> ExoError:
    """What was used after its end."""
    return ExoError(ErrorKind.CLOSED, f"the {what} was closed before this call; open a new one")


@contextmanager
def translated() -> Generator[None]:
    """Calls into the core go in here, and only :class:`ExoError` comes out; a wrong type stays a `TypeError`."""
    try:
        yield
    except _CoreError as error:
        raise _ours(error) from None
    except _core.InternalError as panic:
        raise ExoError(ErrorKind.FAULT, "a fault inside the library: report it", str(panic)) from None
    except (ValueError, OverflowError) as unfit:
        raise ExoError(ErrorKind.INVALID_ARGUMENT, str(unfit)) from None


@contextmanager
def told_to_the_core() -> Generator[None]:
    """Code of the app goes in here, called by the core. Whatever it raises, the core hears in its own words.

    `SystemExit` too: nobody above could catch it, and the core would take silence for an answer.
    """
    try:
        yield
    except ExoError as error:
        raise _theirs(error) from None
    except BaseException as error:  # noqa: BLE001 -- see above
        words = f"code of the app failed: {type(error).__name__}: {error}"
        raise _theirs(ExoError(ErrorKind.FOREIGN, words, traceback.format_exc())) from None


def _ours(error: Exception) -> ExoError:
    kind: ErrorKind = getattr(error, "kind", ErrorKind.FAULT)
    reason: str = getattr(error, "reason", str(error))
    detail: str = getattr(error, "detail", "")
    is_retryable: bool = getattr(error, "is_retryable", False)
    return ExoError(kind, reason, detail, is_retryable=is_retryable)


def _theirs(error: ExoError) -> Exception:
    failed: type[Exception] = getattr(_CoreError, "Failed")  # noqa: B009
    return failed(error.kind, error.reason, error.detail, error.is_retryable)
