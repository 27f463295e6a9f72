"""What a node tells about itself, and the edges between nodes."""

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import computed_field, field_validator

from .base import Id, Loose, Memory, Strict, Tagged
from .cards import Backend


class MemoryUsage(Strict):
    """The one untagged kind of info."""

    ram_total: Memory
    ram_available: Memory
    swap_total: Memory
    swap_available: Memory


class SystemPerformanceProfile(Strict):
    gpu_usage: float = 0.0
    temp: float = 0.0
    sys_power: float = 0.0
    pcpu_usage: float = 0.0
    ecpu_usage: float = 0.0


class MacmonMetrics(Tagged):
    system_profile: SystemPerformanceProfile
    memory: MemoryUsage


class NetworkInterfaceInfo(Strict):
    name: str
    ip_address: str
    interface_type: Literal["wifi", "ethernet", "maybe_ethernet", "thunderbolt", "unknown"] = "unknown"


class NodeNetworkInterfaces(Tagged):
    ifaces: Sequence[NetworkInterfaceInfo]


class ThunderboltIdentifier(Strict):
    rdma_interface: str
    domain_uuid: str
    link_speed: str = ""


class MacThunderboltIdentifiers(Tagged):
    idents: Sequence[ThunderboltIdentifier]


class ThunderboltConnection(Strict):
    source_uuid: str
    sink_uuid: str


class MacThunderboltConnections(Tagged):
    conns: Sequence[ThunderboltConnection]


class RdmaCtlStatus(Tagged):
    enabled: bool


class ThunderboltBridgeStatus(Strict):
    enabled: bool
    exists: bool
    service_name: str | None = None


class ThunderboltBridgeInfo(Tagged):
    status: ThunderboltBridgeStatus


class NodeConfig(Tagged):
    pass


class MiscData(Tagged):
    friendly_name: str


class StaticNodeInformation(Tagged):
    model: str
    chip: str
    os_version: str
    os_build_version: str


class DiskUsage(Strict):
    total: Memory
    available: Memory


class NodeDiskUsage(Tagged):
    disk_usage: DiskUsage


class NodeBackends(Tagged):
    backends: list[Backend]


GatheredInfo = (
    MacmonMetrics
    | MemoryUsage
    | NodeNetworkInterfaces
    | MacThunderboltIdentifiers
    | MacThunderboltConnections
    | RdmaCtlStatus
    | ThunderboltBridgeInfo
    | NodeConfig
    | MiscData
    | StaticNodeInformation
    | NodeDiskUsage
    | NodeBackends
)

# Kind, host, port. Digits are checked in number only, as exo does.
MULTIADDR = re.compile(
    r"/(?:(?P<ip4>ip4)/(?P<v4>\d{1,3}(?:\.\d{1,3}){3})"
    r"|(?P<ip6>ip6)/(?P<v6>[0-9a-fA-F:]+)"
    r"|dns[46]?/[a-zA-Z0-9.-]+)"
    r"(?:/tcp/(?P<port>\d{1,5}))?(?:/p2p/[A-Za-z0-9]+)?$"
)


class Multiaddr(Loose):
    address: str

    @field_validator("address")
    @classmethod
    def _has_the_shape(cls, given: str) -> str:
        if not MULTIADDR.match(given):
            raise ValueError(f"not a multiaddr: {given}")
        return given

    @computed_field
    @property
    def address_type(self) -> str:
        return self.address.split("/")[1]

    @computed_field
    @property
    def ip_address(self) -> str:
        return self.address.split("/")[2]

    @computed_field
    @property
    def port(self) -> int:
        return int(MULTIADDR.match(self.address)["port"])


class RDMAConnection(Strict):
    source_rdma_iface: str
    sink_rdma_iface: str


class SocketConnection(Strict):
    sink_multiaddr: Multiaddr


class Connection(Strict):
    source: Id
    sink: Id
    edge: RDMAConnection | SocketConnection
