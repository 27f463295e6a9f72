"""The GPU as a worker of a cluster uses one: memory, copies, and nothing that blocks the loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from ._core import ErrorKind
from .errors import ExoError
from .gpu import Gpu, GpuBuffer

if TYPE_CHECKING:
    import os
    from types import TracebackType

    from ._core import BackendKind, GpuDevice, Refusal
    from .bytes_of import Bytes


class GpuBackend:
    """A GPU that is opened when it is initialised. Copies take any object with a buffer, such as a numpy array."""

    def __init__(
        self,
        *,
        backend: BackendKind | None = None,
        device: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        memory_cap: int | None = None,
    ) -> None:
        self._open = lambda: Gpu.open(backend=backend, device=device, data_dir=data_dir, memory_cap=memory_cap)
        self._gpu: Gpu | None = None
        self._turn = asyncio.Lock()

    async def initialize(self) -> GpuDevice:
        """Opens the best device, a GPU or else the CPU, and says which. Once is enough."""
        async with self._turn:
            if self._gpu is None:
                self._gpu = await self._open()
        return self._gpu.device()

    def devices(self) -> list[GpuDevice]:
        """All devices that were found."""
        return self._ready().devices()

    def refusals(self) -> list[Refusal]:
        """Why each device that was passed over was: the reasons for a fallback."""
        return self._ready().refusals()

    async def allocate(self, size: int) -> GpuBuffer:
        """Takes so many bytes of the device's memory."""
        return await asyncio.to_thread(self._ready().allocate, size)

    async def deallocate(self, buffer: GpuBuffer) -> None:
        """Gives the memory back. Twice is fine."""
        await asyncio.to_thread(buffer.free)

    async def copy_to_device(self, source: Bytes, buffer: GpuBuffer, offset: int = 0) -> None:
        """Copies all of `source` into the buffer, from its byte `offset` on."""
        self._ready()
        await asyncio.to_thread(buffer.write, source, offset)

    async def copy_from_device(self, buffer: GpuBuffer, target: Bytes, offset: int = 0) -> None:
        """Fills all of `target` from the buffer, from its byte `offset` on."""
        self._ready()
        await asyncio.to_thread(buffer.read_into, target, offset)

    async def synchronize(self) -> None:
        """Waits until all that was handed to the device is done."""
        await self._ready().synchronise()

    async def shutdown(self) -> None:
        """Closes the device; its buffers are gone with it. Twice is fine, and so is initialising again."""
        async with self._turn:
            gpu, self._gpu = self._gpu, None
        if gpu is not None:
            await gpu.close()

    async def __aenter__(self) -> Self:
        await self.initialize()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.shutdown()

    def _ready(self) -> Gpu:
        if self._gpu is None:
            raise ExoError(ErrorKind.CLOSED, "the GPU backend is not initialised; await initialize() first")
        return self._gpu
