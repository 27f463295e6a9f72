"""Programs that end as programs do: without closing anything, in the middle of everything."""

from __future__ import annotations

import subprocess
import sys

import pytest

JOINED = """
import asyncio, os, sys, time
from exo_mobile import BackendKind, ExoNode, Gpu, ModelHost, Provider
class Busy:
    def identity(self): raise OSError
    def read(self, wanted): return {}
class Slow:
    def log(self, level, about, line): time.sleep(0.001)
async def main():
    global node, gpu, stream, buffer, answer
    host = await ModelHost.open(os.environ["EXO_TINY_MODELS"], backend=BackendKind.CPU)
    host.offer("exo-mobile/tiny-random")
    answer = (await host.load("exo-mobile/tiny-random")).ask("What is rain?", max_tokens=1500)
    node = await ExoNode.join(only=[Provider.LOOPBACK], discovery_port=9, probe=Busy(), log=Slow(), models=host)
    gpu = await Gpu.open(backend=BackendKind.CPU)
    buffer = gpu.allocate(16)
    stream = node.states()
    await anext(stream)
    waiting = asyncio.create_task(anext(node.troubles()))
    answering = asyncio.create_task(answer.text())
    await asyncio.sleep(0)
    ENDING
asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("ending", "code"), [("return", 0), ("sys.exit(3)", 3), ("raise KeyError('x')", 1)], ids=["return", "exit", "error"]
)
def test_a_program_that_closes_nothing_ends_as_it_says(ending: str, code: int) -> None:
    for _ in range(5):
        program = JOINED.replace("ENDING", ending)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
        assert "ctypes" not in done.stderr
