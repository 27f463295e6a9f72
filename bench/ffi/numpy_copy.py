"""P11b: 1 MiB between a numpy array and a device's buffer, beside memcpy; line by line, as bench/race/src/peer.rs has it."""

import asyncio
import ctypes
import sys
import time

import numpy as np

from exo_mobile import BackendKind, Gpu

SIZE = 1 << 20
TIMES = 64


def seconds_each(work):
    start = time.perf_counter()
    for _ in range(TIMES):
        work()
    return (time.perf_counter() - start) / TIMES


async def main():
    gpu = await Gpu.open(backend=BackendKind.VULKAN)
    buffer = gpu.allocate(SIZE)
    places = np.arange(SIZE)
    source = (places ^ places >> 8 ^ places >> 16).astype(np.uint8)
    target = np.zeros(SIZE, np.uint8)
    buffer.write(source)
    buffer.read_into(target)
    if not np.array_equal(source, target):
        sys.exit("what came back is not what was sent")

    # C's own copy, with the addresses at hand: as little as can be between it and us.
    memcpy = ctypes.memmove
    to, from_ = target.ctypes.data, source.ctypes.data
    works = {
        "write.ours": lambda: buffer.write(source),
        "read.ours": lambda: buffer.read_into(target),
        "memcpy": lambda: memcpy(to, from_, SIZE),
    }
    print(f"version numpy {np.__version__}")
    for name in works:
        print(f"variant {name}")
    print("ready", flush=True)
    for line in sys.stdin:
        work = works.get(line.strip())
        print(seconds_each(work) if work else f"error there is no work called {line.strip()}", flush=True)


asyncio.run(main())
