"""Dials other nodes on behalf of zenoh, which can't be told a new locator once its session is open.

zenoh is given a few locators on loopback from the start and tries them again and again. A relay begins to listen on
one of them when a node to dial was found, and passes bytes on for as long as both sides live.
"""

import asyncio
import socket

from . import ids
from .life import spawn
from .log import say

SLOTS = 4


class Dialling:
    def __init__(self, node_id: str):
        self.node_id = node_id
        self.free = [_free_port() for _ in range(SLOTS)]
        self.locators = [f"tcp/127.0.0.1:{port}" for port in self.free]
        self.busy: dict[str, int] = {}

    def found(self, node_id: str, locator: str) -> None:
        if node_id in self.busy or not self.free or not ids.dials(self.node_id, node_id):
            return
        self.busy[node_id] = self.free.pop()
        say("dial", node=node_id, locator=locator)
        spawn(self._relay(node_id, locator))

    async def _relay(self, node_id: str, locator: str) -> None:
        port = self.busy[node_id]
        host, _, far_port = locator.removeprefix("tcp/[").rpartition("]:")
        over = asyncio.Event()

        async def carry(zenoh_reader: asyncio.StreamReader, zenoh_writer: asyncio.StreamWriter) -> None:
            server.close()
            try:
                reader, writer = await asyncio.wait_for(asyncio.open_connection(host, int(far_port)), 3)
                _keep_watch(writer)
                ways = [_pump(zenoh_reader, writer), _pump(reader, zenoh_writer)]
                await asyncio.wait(map(spawn, ways), return_when=asyncio.FIRST_COMPLETED)
                writer.close()
            except OSError as error:
                say("not dialled", node=node_id, why=str(error))
            finally:
                zenoh_writer.close()
                over.set()

        server = await asyncio.start_server(carry, "127.0.0.1", port)
        await over.wait()
        del self.busy[node_id]
        self.free.append(port)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass


def _keep_watch(writer: asyncio.StreamWriter) -> None:
    """Without this a vanished host would keep its slot: zenoh's own keep-alives only end at the relay."""
    writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 8000)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
