"""Bulk bytes, by pointer: any object with a buffer, such as a numpy array, without a copy on the way.

The library's functions are those of `sdk-core/ffi/include/exo_mobile_bytes.h`. UniFFI would copy the bytes twice.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ._core import ErrorKind
from .errors import ExoError

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    class Array(Protocol):
        """An array of numpy, which does not tell type checkers of its buffer before Python 3.12."""

        @property
        def __array_interface__(self) -> dict[str, Any]: ...

    Bytes: TypeAlias = Buffer | Array

_NAME = "libexo_mobile.dylib" if sys.platform == "darwin" else "libexo_mobile.so"
_LIBRARY = ctypes.CDLL(str(Path(__file__).with_name(_NAME)))
_ARGUMENTS = [
    ctypes.c_uint64,  # handle
    ctypes.c_uint64,  # offset
    ctypes.c_void_p,  # bytes
    ctypes.c_uint64,  # length
    ctypes.c_char_p,  # why
    ctypes.c_uint64,  # why_size
]
_write, _read = _LIBRARY.exo_buffer_write, _LIBRARY.exo_buffer_read
_write.argtypes = _read.argtypes = _ARGUMENTS
_write.restype = _read.restype = ctypes.c_int32
_KINDS = list(ErrorKind)
_ROOM = 512
_MOST = (1 << 64) - 1


class _View(ctypes.Structure):
    """Python's `Py_buffer`, whose layout is part of its stable ABI."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )
    buf: int | None
    len: int


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_View), ctypes.c_int]
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes = [ctypes.POINTER(_View)]
_release.restype = None
# `PyBUF_SIMPLE` asks for bytes in one piece, `PyBUF_WRITABLE` for some that may change.
_SIMPLE, _WRITABLE = 0, 1
_COPIED = ("copied from", "copied into")
_of_thread = threading.local()


def write(handle: int, source: Bytes, offset: int) -> None:
    """Copies all of `source` into the buffer with this handle, from its byte `offset` on."""
    _copy(_write, handle, offset, source, _SIMPLE)


def read(handle: int, target: Bytes, offset: int) -> None:
    """Fills all of `target` from the buffer with this handle, from its byte `offset` on."""
    _copy(_read, handle, offset, target, _WRITABLE)


def _copy(function: Callable[..., int], handle: int, offset: int, thing: Bytes, how: int) -> None:
    """One call, while the memory of `thing` stays where it is. One function more would be felt in a short copy."""
    if not 0 <= offset <= _MOST:
        raise ExoError(ErrorKind.INVALID_ARGUMENT, f"an offset of {offset} bytes is outside of every buffer")
    view = _View()
    try:
        _get_buffer(thing, view, how)
    except TypeError:
        why_not = f"a {type(thing).__name__} cannot be {_COPIED[how]}: it has no buffer; numpy arrays have"
        raise TypeError(why_not) from None
    except (ValueError, BufferError) as error:
        help_ = "give bytes in one piece (numpy.ascontiguousarray)" + (", that may be written" if how else "")
        raise ExoError(ErrorKind.INVALID_ARGUMENT, f"it cannot be {_COPIED[how]}: {error}; {help_}") from None
    try:
        why = _words()
        number = function(handle, offset, view.buf, view.len, why, _ROOM)
    finally:
        _release(view)
    if number:
        raise ExoError(_KINDS[number - 1], why.value.decode(errors="replace"))


def _words() -> ctypes.Array[ctypes.c_char]:
    """Where the library says why not: one for each thread, since other threads run while it copies."""
    try:
        why: ctypes.Array[ctypes.c_char] = _of_thread.why
    except AttributeError:
        why = _of_thread.why = ctypes.create_string_buffer(_ROOM)
    return why
