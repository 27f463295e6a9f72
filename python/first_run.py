"""The first minute with an installed wheel, as scripts/lib/package_python.sh has it."""

import asyncio
import tempfile
from importlib import metadata

import exo_mobile
from exo_mobile import BackendKind, ExoNode, Gpu, ModelHost, Provider, Searching

WORDS = bytes(range(256)) * 4


async def main() -> None:
    about = exo_mobile.about()
    if about.version != metadata.version("exo-mobile"):
        raise SystemExit(f"the library is {about.version}, the package {metadata.version('exo-mobile')}")
    async with Gpu.open(backend=BackendKind.CPU) as gpu:
        buffer = gpu.allocate(len(WORDS))
        buffer.write(WORDS)
        if bytes(buffer.read(len(WORDS))) != WORDS:
            raise SystemExit("what was written to the device is not what was read back")
    with tempfile.TemporaryDirectory() as empty:
        async with ModelHost.open(empty, backend=BackendKind.CPU) as host:
            if await host.models() or host.offered():
                raise SystemExit("there are models in an empty directory")
    async with ExoNode.join(only=[Provider.LOOPBACK], discovery_port=9) as node:
        if not isinstance(node.state(), Searching):
            raise SystemExit(f"a node with nobody around is {node.state()}")
    print(f"exo-mobile {about.version} with {', '.join(about.backends)}: loads, computes, searches and ends")  # noqa: T201


asyncio.run(main())
