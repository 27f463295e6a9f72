"""What an exo node says about itself and its links: telemetry, the list of downloads, edges found by HTTP probes."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

from . import http, interfaces
from .life import spawn
from .log import say
from .models import events as e
from .models import telemetry as t
from .models.base import Memory
from .models.cards import Backend, ModelCard, ModelTask, PipelineShardMetadata
from .models.downloads import DownloadPending
from .state import State

PROBE_EVERY = 10.0


class Worker:
    def __init__(
        self, node_id: str, name: str, api_port: int, downloads: int, emit: Callable[[Any], None], state: State
    ):
        self.node_id, self.name, self.api_port = node_id, name, api_port
        self.emit, self.state = emit, state
        self.edges: dict[tuple[str, str], t.Connection] = {}
        self.loops = [
            spawn(loop)
            for loop in (
                self._every(1, self._memory),
                self._every(10, self._network),
                self._every(30, self._disk),
                self._every(60, self._identity),
                self._every(60, lambda: self._downloads(downloads)),
                self._probe_for_ever(),
            )
        ]
        self._tell(t.NodeBackends(backends=[Backend.CPU]))
        self._tell(t.NodeConfig())

    def close(self) -> None:
        for loop in self.loops:
            loop.cancel()

    async def _every(self, seconds: float, action: Callable[[], None]) -> Coroutine[Any, Any, None]:
        while True:
            action()
            await asyncio.sleep(seconds)

    def _tell(self, info: Any) -> None:
        self.emit(e.NodeGatheredInfo(node_id=self.node_id, when=str(datetime.now(UTC)), info=info))

    def _memory(self) -> None:
        total, free = Memory(in_bytes=64 << 30), Memory(in_bytes=48 << 30)
        none = Memory(in_bytes=0)
        self._tell(t.MemoryUsage(ram_total=total, ram_available=free, swap_total=none, swap_available=none))

    def _network(self) -> None:
        ifaces = [t.NetworkInterfaceInfo(name=name, ip_address=ip) for name, ip in interfaces.addresses()]
        self._tell(t.NodeNetworkInterfaces(ifaces=ifaces))

    def _disk(self) -> None:
        total, _, free = shutil.disk_usage("/")
        usage = t.DiskUsage(total=Memory(in_bytes=total), available=Memory(in_bytes=free))
        self._tell(t.NodeDiskUsage(disk_usage=usage))

    def _identity(self) -> None:
        self._tell(t.MiscData(friendly_name=self.name))
        self._tell(
            t.StaticNodeInformation(
                model="Unknown Model", chip="Unknown Chip", os_version="Linux", os_build_version="Unknown"
            )
        )

    def _downloads(self, count: int) -> None:
        for number in range(count):
            self.emit(e.NodeDownloadProgress(download_progress=pending_download(self.node_id, number)))

    async def _probe_for_ever(self) -> None:
        while True:
            await asyncio.sleep(PROBE_EVERY)
            network = self.state.view["nodeNetwork"]
            wanted = [
                (node_id, iface["ipAddress"])
                for node_id, info in network.items()
                for iface in info["interfaces"]
                if node_id != self.node_id
            ]
            await asyncio.gather(*(self._probe(node_id, ip) for node_id, ip in wanted))
            for node_id, ip in self.edges.keys() - set(wanted):
                self._edge_lost(node_id, ip)

    async def _probe(self, node_id: str, ip: str) -> None:
        for _ in range(3):
            answer = await http.get(ip, self.api_port, "/node_id", timeout=5)
            if answer is not None:
                break
        if answer is not None and answer.strip().strip('"') == node_id:
            self._edge_found(node_id, ip)
        else:
            self._edge_lost(node_id, ip)

    def _edge_found(self, node_id: str, ip: str) -> None:
        if (node_id, ip) in self.edges or "%" in ip:
            return
        kind = "ip6" if ":" in ip else "ip4"
        edge = t.SocketConnection(sink_multiaddr=t.Multiaddr(address=f"/{kind}/{ip}/tcp/{self.api_port}"))
        conn = self.edges[node_id, ip] = t.Connection(source=self.node_id, sink=node_id, edge=edge)
        say("edge", sink=node_id, ip=ip)
        self.emit(e.TopologyEdgeCreated(conn=conn))

    def _edge_lost(self, node_id: str, ip: str) -> None:
        if conn := self.edges.pop((node_id, ip), None):
            self.emit(e.TopologyEdgeDeleted(conn=conn))


def model_card(number: int) -> ModelCard:
    """One of the ~120 that each exo knows, about as large as a real one."""
    return ModelCard(
        model_id=f"mlx-community/Model-{number:03}-8bit",
        storage_size=Memory(in_bytes=(number + 1) << 30),
        n_layers=61,
        hidden_size=7168,
        supports_tensor=True,
        num_key_value_heads=8,
        tasks=[ModelTask.TEXT],
        family="model",
        quantization="8bit",
        base_model=f"Model {number}",
        capabilities=["text", "thinking"],
        backends=[Backend.METAL, Backend.CUDA, Backend.CPU],
        context_length=202752,
    )


def pending_download(node_id: str, number: int) -> DownloadPending:
    """What an exo tells of each model every minute."""
    shard = PipelineShardMetadata(
        model_card=model_card(number), device_rank=0, world_size=1, start_layer=0, end_layer=61, n_layers=61
    )
    return DownloadPending(node_id=node_id, shard_metadata=shard, model_directory=f"/home/exo/models/{number:03}")
