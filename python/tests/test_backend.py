"""The GPU as a worker uses one."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from exo_mobile import BackendKind, ErrorKind, ExoError, GpuBackend


async def test_a_worker_copies_tensors_there_and_back() -> None:
    backend = GpuBackend()
    await backend.initialize()
    weights = np.random.default_rng(7).random((64, 64), dtype=np.float32)
    buffer = await backend.allocate(weights.nbytes)
    await backend.copy_to_device(weights, buffer)
    await backend.synchronize()
    back = np.empty_like(weights)
    await backend.copy_from_device(buffer, back)
    assert np.array_equal(back, weights)
    await backend.deallocate(buffer)
    await backend.shutdown()


async def test_the_reasons_for_a_fallback_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", "/nonexistent")
    async with GpuBackend() as backend:
        assert [device.backend for device in backend.devices()] == [BackendKind.CPU]
        assert all(refusal.reason for refusal in backend.refusals())
        assert backend.refusals()


async def test_before_and_after_it_is_closed_and_it_can_be_opened_again() -> None:
    backend = GpuBackend(backend=BackendKind.CPU)
    for _ in range(2):
        with pytest.raises(ExoError, match="initialize") as caught:
            await backend.allocate(1)
        assert caught.value.kind is ErrorKind.CLOSED
        await asyncio.gather(backend.initialize(), backend.initialize())
        assert len(await backend.allocate(1)) == 1
        await backend.shutdown()
        await backend.shutdown()


async def test_copies_go_on_side_by_side_and_the_loop_with_them() -> None:
    async with GpuBackend(backend=BackendKind.CPU) as backend:
        arrays = [np.full(1 << 20, number, np.uint8) for number in range(8)]
        buffers = await asyncio.gather(*(backend.allocate(array.nbytes) for array in arrays))
        pairs = list(zip(arrays, buffers, strict=True))
        await asyncio.gather(*(backend.copy_to_device(array, buffer) for array, buffer in pairs))
        backs = [np.empty_like(array) for array in arrays]
        await asyncio.gather(*(backend.copy_from_device(*pair) for pair in zip(buffers, backs, strict=True)))
        assert [int(back[0]) for back in backs] == list(range(8))
