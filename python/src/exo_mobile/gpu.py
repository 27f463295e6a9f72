"""The GPU: devices, memory, transfers and the verdicts on kernels."""

from __future__ import annotations

import asyncio
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _core, bytes_of
from .errors import told_to_the_core, translated
from .opening import Opening

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from datetime import timedelta

    from ._core import BackendKind, Calibration, GpuDevice, GpuMemory, Refusal, SelfTestProgress
    from .bytes_of import Bytes


class Verdict(enum.Enum):
    """What a self-test said of a kernel."""

    TRUSTED = "trusted"
    WRONG = "wrong"
    FAILED = "failed"


@dataclass(frozen=True)
class KernelReport:
    """The outcome of one kernel's self-test. A kernel that is not trusted is computed by the CPU."""

    kernel: str
    verdict: Verdict
    reason: str | None
    """Why it is not trusted."""
    worst_error: float
    """Largest error seen, as a part of the bound: 1 is the most that is trusted."""
    cases: int
    elapsed: timedelta


class GpuBuffer:
    """A range of device memory. It is freed by :meth:`free`, with its GPU, or when nobody holds it any more."""

    def __init__(self, buffer: _core.GpuBuffer) -> None:
        self._buffer = buffer
        with translated():
            self.size = buffer.size()
            self._handle = buffer.handle()

    def __len__(self) -> int:
        return self.size

    def write(self, source: Bytes, offset: int = 0) -> None:
        """Copies all bytes of `source` into it, from its byte `offset` on. Nobody may write to `source` meanwhile."""
        bytes_of.write(self._handle, source, offset)

    def read_into(self, target: Bytes, offset: int = 0) -> None:
        """Fills all of `target`, from its byte `offset` on. Nobody else may use `target` meanwhile."""
        bytes_of.read(self._handle, target, offset)

    def read(self, length: int | None = None, offset: int = 0) -> bytes:
        """So many bytes from `offset` on; all of them if left out."""
        with translated():
            return self._buffer.read(offset, self.size - offset if length is None else length)

    def copy_to(self, other: GpuBuffer) -> None:
        """Copies all of it to the beginning of another buffer, also one of another device."""
        with translated():
            self._buffer.copy_to(other._buffer)

    def free(self) -> None:
        """Gives the memory back. Twice is fine."""
        with translated():
            self._buffer.free()


class Gpu:
    """An opened GPU, or the CPU in its place."""

    def __init__(self, gpu: _core.Gpu) -> None:
        self._gpu = gpu

    @classmethod
    def open(
        cls,
        *,
        backend: BackendKind | None = None,
        device: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        memory_cap: int | None = None,
    ) -> Opening[Gpu]:
        """Opens the best device: a GPU, else the CPU. Takes three seconds at most.

        :param backend: this one, and no other in its place
        :param device: the device whose name has this in it
        :param data_dir: where the verdicts on kernels are kept, so that the next start is quick; nowhere if left out
        :param memory_cap: use at most this many bytes
        """

        async def begin() -> Gpu:
            options = options_of(backend=backend, device=device, data_dir=data_dir, memory_cap=memory_cap)
            with translated():
                return cls(await _core.Gpu.open(options))

        return Opening(begin)

    @property
    def core(self) -> _core.Gpu:
        """For this package alone."""
        return self._gpu

    def device(self) -> GpuDevice:
        """The device that was opened."""
        with translated():
            return self._gpu.device()

    def devices(self) -> list[GpuDevice]:
        """All devices that were found."""
        with translated():
            return self._gpu.devices()

    def refusals(self) -> list[Refusal]:
        """Why each device that was passed over was."""
        with translated():
            return self._gpu.refusals()

    def memory(self) -> GpuMemory:
        """How its memory stands."""
        with translated():
            return self._gpu.memory()

    def allocate(self, size: int) -> GpuBuffer:
        """Takes so many bytes of the device's memory."""
        with translated():
            return GpuBuffer(self._gpu.allocate(size))

    def trim(self) -> None:
        """Gives back to the system what is kept for the next allocation."""
        with translated():
            self._gpu.trim()

    async def self_test(self, progress: Callable[[SelfTestProgress], None] | None = None) -> list[KernelReport]:
        """Tests every kernel against its known answers. Takes some seconds; `progress` hears of each, on a thread."""
        with translated():
            reports = await self._gpu.self_test(progress and _Listener(progress))
        return [_report_of(report) for report in reports]

    async def calibrate(self) -> Calibration:
        """Measures how fast the device computes and reads, in about a third of a second."""
        with translated():
            return await self._gpu.calibrate()

    async def synchronise(self) -> None:
        """Waits until all that was handed to the device is done."""
        with translated():
            await self._gpu.synchronise()

    async def close(self) -> None:
        """Closes the device; its buffers are gone with it. Twice is fine."""
        with translated():
            await asyncio.to_thread(self._gpu.shut)


def options_of(
    *,
    backend: BackendKind | None,
    device: str | None,
    data_dir: str | os.PathLike[str] | None,
    memory_cap: int | None,
) -> _core.GpuOptions:
    """Which device to open and how, as the core takes it."""
    return _core.GpuOptions(
        backend=backend,
        device=device,
        data_dir=None if data_dir is None else str(data_dir),
        memory_cap=memory_cap,
    )


class _Listener(_core.SelfTestListener):
    def __init__(self, progress: Callable[[SelfTestProgress], None]) -> None:
        self._progress = progress

    def progressed(self, progress: SelfTestProgress) -> None:
        with told_to_the_core():
            self._progress(progress)


def _report_of(report: _core.KernelReport) -> KernelReport:
    verdict = Verdict[type(report.verdict).__name__.rpartition(".")[2]]
    return KernelReport(
        kernel=report.kernel,
        verdict=verdict,
        reason=vars(report.verdict).get("reason"),
        worst_error=report.worst_error,
        cases=report.cases,
        elapsed=report.elapsed,
    )
