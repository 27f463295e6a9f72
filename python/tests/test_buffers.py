"""Bytes between Python's memory and a device's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from exo_mobile import BackendKind, ErrorKind, ExoError, Gpu

if TYPE_CHECKING:
    from collections.abc import Callable


def test_arrays_of_any_type_come_back_as_they_went(gpu: Gpu) -> None:
    seed = int.from_bytes(os.urandom(4), "big")
    random = np.random.default_rng(seed)
    for kind in (np.float32, np.float16, np.int8, np.uint64, np.complex128):
        shape = tuple(random.integers(1, 40, size=3))
        array = (random.random(shape) * 100).astype(kind)
        buffer = gpu.allocate(array.nbytes)
        buffer.write(array)
        back = np.zeros_like(array)
        buffer.read_into(back)
        np.testing.assert_array_equal(back, array, err_msg=f"seed {seed}")


def test_many_megabytes_come_back_as_they_went(gpu: Gpu) -> None:
    array = np.arange(4 << 20, dtype=np.float32)
    buffer = gpu.allocate(array.nbytes)
    buffer.write(array)
    back = np.empty_like(array)
    buffer.read_into(back)
    assert np.array_equal(back, array)


@pytest.mark.parametrize("source", [b"12345678", bytearray(b"12345678"), memoryview(b"12345678")])
def test_anything_with_a_buffer_will_do(cpu: Gpu, source: Any) -> None:
    buffer = cpu.allocate(16)
    buffer.write(source, offset=4)
    target = bytearray(8)
    buffer.read_into(target, offset=4)
    assert target == b"12345678" == buffer.read(8, offset=4)
    assert len(buffer) == len(buffer.read()) == 16


def test_a_part_of_an_array_that_is_in_one_piece_will_do(cpu: Gpu) -> None:
    buffer, array = cpu.allocate(4), np.arange(12, dtype=np.uint8).reshape(3, 4)
    buffer.write(array[1])
    assert buffer.read() == bytes([4, 5, 6, 7])
    buffer.read_into(array[2])
    assert array[2].tolist() == [4, 5, 6, 7]


def test_nothing_is_copied_too(cpu: Gpu) -> None:
    buffer = cpu.allocate(4)
    buffer.write(b"")
    buffer.read_into(bytearray())


def test_memory_is_let_go_of_after_a_copy_and_after_a_failed_one(cpu: Gpu) -> None:
    buffer, memory = cpu.allocate(4), bytearray(8)
    buffer.write(memoryview(memory)[:4])
    for copy in (buffer.write, buffer.read_into):
        with pytest.raises(ExoError):
            copy(memory)
    memory.extend(b"a bytearray that somebody holds cannot grow")


READ_ONLY = np.zeros(4, np.uint8)
READ_ONLY.flags.writeable = False
PIECES = np.zeros((4, 4), np.uint8)[:, :2]


@pytest.mark.parametrize(
    ("copy", "words"),
    [
        (lambda buffer: buffer.write(PIECES), "ascontiguousarray"),
        (lambda buffer: buffer.write(np.zeros((2, 2), np.uint8, order="F").T[:, ::-1]), "in one piece"),
        (lambda buffer: buffer.read_into(PIECES), "in one piece"),
        (lambda buffer: buffer.read_into(READ_ONLY), "that may be written"),
        (lambda buffer: buffer.read_into(b"1234"), "that may be written"),
        (lambda buffer: buffer.write(bytes(17)), "."),
        (lambda buffer: buffer.write(bytes(16), offset=1), "."),
        (lambda buffer: buffer.write(b"1", offset=1 << 63), "."),
        (lambda buffer: buffer.write(b"1", offset=-1), "outside of every buffer"),
        (lambda buffer: buffer.read_into(bytearray(17)), "."),
        (lambda buffer: buffer.read(17), "0..16"),
        (lambda buffer: buffer.read(1, offset=-1), "."),
        (lambda buffer: buffer.read(1 << 64), "."),
    ],
)
def test_what_can_never_work_says_why(cpu: Gpu, copy: Callable[[Any], None], words: str) -> None:
    with pytest.raises(ExoError, match=words) as caught:
        copy(cpu.allocate(16))
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT


def test_what_has_no_bytes_is_a_type_error(cpu: Gpu) -> None:
    with pytest.raises(TypeError, match="list cannot be copied from"):
        cpu.allocate(16).write([1, 2, 3])  # pyright: ignore[reportArgumentType]


def test_a_freed_buffer_is_an_error_and_freeing_twice_is_not(gpu: Gpu) -> None:
    buffer = gpu.allocate(16)
    buffer.free()
    buffer.free()
    for use in (lambda: buffer.write(b"1"), lambda: buffer.read_into(bytearray(1)), buffer.read):
        with pytest.raises(ExoError) as caught:
            use()
        assert caught.value.kind is ErrorKind.CLOSED


async def test_a_buffer_does_not_outlive_its_device() -> None:
    async with Gpu.open(backend=BackendKind.CPU) as gpu:
        buffer = gpu.allocate(16)
    with pytest.raises(ExoError) as caught:
        buffer.write(b"1")
    assert caught.value.kind is ErrorKind.CLOSED
    buffer.free()


def test_memory_that_nobody_holds_is_given_back(cpu: Gpu) -> None:
    buffer = cpu.allocate(1 << 20)
    assert cpu.memory().used >= 1 << 20
    del buffer
    assert cpu.memory().used == 0


def test_buffers_copy_to_each_other(gpu: Gpu) -> None:
    one, other = gpu.allocate(8), gpu.allocate(8)
    one.write(b"12345678")
    one.copy_to(other)
    assert other.read() == b"12345678"
