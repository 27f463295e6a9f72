//! What a node tells about itself.
//!
//! exo has no word for battery, heat, charging or the cost of a network, and refuses what it has no word for.

use serde::{Deserialize, Serialize};

use crate::{
    finite::{Celsius, Fraction, Watts},
    memory::Memory,
    os_version::OsVersion,
    plain_address::PlainAddress,
};

/// One piece of news about a node. Any of them keeps it alive in the master's eyes for 30 seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum GatheredInfo {
    /// Load, heat and power with the memory. exo reads a field that was not measured as 0: send it only when all that
    /// matters was measured.
    MacmonMetrics(MacmonMetrics),
    /// Addresses.
    NodeNetworkInterfaces(NodeNetworkInterfaces),
    /// Thunderbolt ports of a Mac.
    MacThunderboltIdentifiers(MacThunderboltIdentifiers),
    /// What is plugged into them.
    MacThunderboltConnections(MacThunderboltConnections),
    /// Whether RDMA is on.
    RdmaCtlStatus(RdmaCtlStatus),
    /// The Thunderbolt bridge of a Mac.
    ThunderboltBridgeInfo(ThunderboltBridgeInfo),
    /// Nothing but a sign of life.
    NodeConfig {},
    /// What people call it.
    MiscData(MiscData),
    /// What it is.
    StaticNodeInformation(StaticNodeInformation),
    /// Room on its disk.
    NodeDiskUsage(NodeDiskUsage),
    /// What it can run models with. Attracts models: list one only while able to serve.
    NodeBackends(NodeBackends),
    /// Memory. The only one without a tag. Never without a backend: it would break the placement of others.
    #[serde(untagged)]
    MemoryUsage(MemoryUsage),
}

/// Memory and swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryUsage {
    /// All memory.
    pub ram_total: Memory,
    /// What models may use.
    pub ram_available: Memory,
    /// All swap.
    pub swap_total: Memory,
    /// Free swap.
    pub swap_available: Memory,
}

/// Load, heat and power, with the memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MacmonMetrics {
    /// Load, heat and power.
    pub system_profile: SystemPerformanceProfile,
    /// Memory.
    pub memory: MemoryUsage,
}

/// Load, heat and power.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemPerformanceProfile {
    /// The part of the time in which the GPU worked, 0 to 1.
    pub gpu_usage: Fraction,
    /// Degrees Celsius.
    pub temp: Celsius,
    /// Watts of the whole device.
    pub sys_power: Watts,
    /// Use of the fast cores, 0 to 1.
    pub pcpu_usage: Fraction,
    /// Use of the slow cores, 0 to 1.
    pub ecpu_usage: Fraction,
}

/// All interfaces of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeNetworkInterfaces {
    /// One entry an address.
    pub ifaces: Vec<NetworkInterfaceInfo>,
}

/// One address of one interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkInterfaceInfo {
    /// `wlan0`.
    pub name: String,
    /// `192.168.1.7`.
    pub ip_address: PlainAddress,
    /// What it is made of.
    #[serde(default)]
    pub interface_type: InterfaceType,
}

/// What an interface is made of. There is no word for a cellular one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterfaceType {
    /// Wireless LAN.
    Wifi,
    /// A cable.
    Ethernet,
    /// A cable, perhaps.
    MaybeEthernet,
    /// Thunderbolt.
    Thunderbolt,
    /// Anything else.
    #[default]
    Unknown,
}

/// Thunderbolt ports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MacThunderboltIdentifiers {
    /// The ports.
    pub idents: Vec<ThunderboltIdentifier>,
}

/// One Thunderbolt port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThunderboltIdentifier {
    /// Its RDMA device.
    pub rdma_interface: String,
    /// Its domain.
    pub domain_uuid: String,
    /// `40 Gb/s`.
    #[serde(default)]
    pub link_speed: String,
}

/// Thunderbolt cables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MacThunderboltConnections {
    /// The cables.
    pub conns: Vec<ThunderboltConnection>,
}

/// One Thunderbolt cable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThunderboltConnection {
    /// The domain at our end.
    pub source_uuid: String,
    /// The domain at the other end.
    pub sink_uuid: String,
}

/// Whether RDMA is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RdmaCtlStatus {
    /// It is.
    pub enabled: bool,
}

/// The Thunderbolt bridge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThunderboltBridgeInfo {
    /// How it is.
    pub status: ThunderboltBridgeStatus,
}

/// How the Thunderbolt bridge is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThunderboltBridgeStatus {
    /// It is on.
    pub enabled: bool,
    /// There is one.
    pub exists: bool,
    /// What the system calls it.
    pub service_name: Option<String>,
}

/// What people call a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MiscData {
    /// "Ada's Pixel".
    pub friendly_name: String,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticNodeInformation {
    /// "Pixel 9".
    pub model: String,
    /// "Tensor G4".
    pub chip: String,
    /// "Android 16".
    pub os_version: OsVersion,
    /// "BP2A.250605".
    pub os_build_version: String,
}

/// Room on a node's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeDiskUsage {
    /// The room.
    pub disk_usage: DiskUsage,
}

/// Room on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskUsage {
    /// All.
    pub total: Memory,
    /// Free.
    pub available: Memory,
}

/// What a node can run models with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeBackends {
    /// None, if it only watches.
    pub backends: Vec<Backend>,
}

/// What runs models. exo has no name for an engine that is none of these, and dies of any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Backend {
    /// MLX on a Mac's GPU.
    MlxMetal,
    /// MLX on a processor.
    MlxCpu,
    /// MLX on Nvidia.
    MlxCuda,
    /// vLLM.
    Vllm,
}
