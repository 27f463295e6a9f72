"""A device: opened, described, closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from exo_mobile import BackendKind, ErrorKind, ExoError, Gpu, Verdict

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_device_says_what_it_is(gpu: Gpu) -> None:
    device = gpu.device()
    assert device.name
    assert device.memory_bytes > 0
    assert device in gpu.devices()


async def test_without_a_driver_the_cpu_is_opened_and_the_reason_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", "/nonexistent")
    async with Gpu.open() as gpu:
        assert gpu.device().backend is BackendKind.CPU
        (refusal, *_) = gpu.refusals()
        assert refusal.backend is not BackendKind.CPU
        assert refusal.reason


async def test_what_was_asked_for_is_opened_or_nothing() -> None:
    with pytest.raises(ExoError) as caught:
        await Gpu.open(backend=BackendKind.METAL)
    assert caught.value.kind is ErrorKind.NO_DEVICE


async def test_closing_twice_is_fine_and_use_afterwards_is_an_error() -> None:
    gpu = await Gpu.open(backend=BackendKind.CPU)
    await gpu.close()
    await gpu.close()
    with pytest.raises(ExoError) as caught:
        gpu.allocate(16)
    assert caught.value.kind is ErrorKind.CLOSED


async def test_async_with_closes_also_after_an_error() -> None:
    opened: list[Gpu] = []
    with pytest.raises(ZeroDivisionError):
        async with Gpu.open(backend=BackendKind.CPU) as gpu:
            opened.append(gpu)
            raise ZeroDivisionError
    with pytest.raises(ExoError, match="closed"):
        opened[0].device()


async def test_more_than_the_cap_is_out_of_memory() -> None:
    async with Gpu.open(backend=BackendKind.CPU, memory_cap=1 << 20) as gpu:
        with pytest.raises(ExoError) as caught:
            gpu.allocate(1 << 21)
    assert caught.value.kind is ErrorKind.OUT_OF_MEMORY


async def test_every_kernel_of_the_cpu_is_trusted(cpu: Gpu) -> None:
    seen: list[str] = []
    reports = await cpu.self_test(lambda progress: seen.append(progress.kernel))
    assert reports
    assert {report.verdict for report in reports} == {Verdict.TRUSTED}
    assert all(report.reason is None and report.cases > 0 for report in reports)
    assert seen


async def test_a_listener_that_raises_does_not_spoil_the_self_test(cpu: Gpu) -> None:
    def broken(_: object) -> None:
        raise SystemExit

    assert await cpu.self_test(broken)


async def test_a_device_is_measured(cpu: Gpu) -> None:
    calibration = await cpu.calibrate()
    assert (calibration.memory.per_second or 0) > 0


async def test_verdicts_are_kept_where_the_program_says(tmp_path: Path) -> None:
    async with Gpu.open(backend=BackendKind.CPU, data_dir=tmp_path) as gpu:
        await gpu.self_test()
        await gpu.synchronise()
        assert gpu.memory().used == 0
