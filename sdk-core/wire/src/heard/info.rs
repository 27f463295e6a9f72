//! What a node told about itself.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::{lenient, text::Text};

/// One piece of news about a node.
#[derive(Debug, Clone)]
pub enum Info<'a> {
    /// Its memory.
    Memory(MemoryUsage),
    /// Its load, heat and power, and its memory.
    System(SystemProfile, MemoryUsage),
    /// Room on its disk.
    Disk(DiskUsage),
    /// What people call it.
    Name(Text<'a>),
    /// What it is. Carries no name.
    Identity(Identity<'a>),
    /// Its addresses.
    Interfaces(Vec<Interface<'a>>),
    /// What it can run models with.
    Backends(Vec<Text<'a>>),
    /// A sign of life and nothing else.
    Config,
    /// News that a member has no use for, or cannot read.
    Other(&'a RawValue),
}

/// Bytes of memory and swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct MemoryUsage {
    /// All memory.
    #[serde(alias = "ramTotal", deserialize_with = "bytes")]
    pub ram_total: u64,
    /// What models may use.
    #[serde(alias = "ramAvailable", deserialize_with = "bytes")]
    pub ram_available: u64,
    /// All swap.
    #[serde(alias = "swapTotal", deserialize_with = "bytes")]
    pub swap_total: u64,
    /// Free swap.
    #[serde(alias = "swapAvailable", deserialize_with = "bytes")]
    pub swap_available: u64,
}

/// Bytes on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct DiskUsage {
    /// All.
    #[serde(deserialize_with = "bytes")]
    pub total: u64,
    /// Free.
    #[serde(deserialize_with = "bytes")]
    pub available: u64,
}

/// Load, heat and power. What a node left out is `None`, though exo itself reads it as 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
pub struct SystemProfile {
    /// The part of the time in which the GPU worked, 0 to 1.
    #[serde(alias = "gpuUsage")]
    pub gpu_usage: Option<f64>,
    /// Degrees Celsius.
    pub temp: Option<f64>,
    /// Watts.
    #[serde(alias = "sysPower")]
    pub sys_power: Option<f64>,
    /// Use of the fast cores, 0 to 1.
    #[serde(alias = "pcpuUsage")]
    pub pcpu_usage: Option<f64>,
    /// Use of the slow cores, 0 to 1.
    #[serde(alias = "ecpuUsage")]
    pub ecpu_usage: Option<f64>,
}

/// Who a node is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Identity<'a> {
    /// What people call it. Only in a snapshot; an event tells it apart, as [`Info::Name`].
    #[serde(borrow, alias = "friendlyName")]
    pub friendly_name: Option<Text<'a>>,
    /// "Pixel 9".
    #[serde(borrow, alias = "modelId")]
    pub model: Option<Text<'a>>,
    /// "Tensor G4".
    #[serde(borrow, alias = "chipId")]
    pub chip: Option<Text<'a>>,
    /// "Android 16".
    #[serde(borrow, alias = "osVersion")]
    pub os_version: Option<Text<'a>>,
    /// "BP2A.250605".
    #[serde(borrow, alias = "osBuildVersion")]
    pub os_build_version: Option<Text<'a>>,
}

/// One address of one interface.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Interface<'a> {
    /// `wlan0`.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// `192.168.1.7`, `fe80::1%wlan0`.
    #[serde(borrow, alias = "ipAddress")]
    pub ip_address: Text<'a>,
    /// `wifi`.
    #[serde(borrow, alias = "interfaceType")]
    pub interface_type: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Macmon {
    #[serde(alias = "systemProfile")]
    system_profile: SystemProfile,
    memory: MemoryUsage,
}

#[derive(Deserialize)]
struct Disk {
    #[serde(alias = "diskUsage")]
    disk_usage: DiskUsage,
}

#[derive(Deserialize)]
struct Misc<'a> {
    #[serde(borrow, alias = "friendlyName")]
    friendly_name: Text<'a>,
}

#[derive(Deserialize)]
struct Network<'a> {
    #[serde(borrow, deserialize_with = "lenient::list")]
    ifaces: Vec<Interface<'a>>,
}

#[derive(Deserialize)]
struct Backends<'a> {
    #[serde(borrow, deserialize_with = "lenient::list")]
    backends: Vec<Text<'a>>,
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    struct Bytes {
        #[serde(alias = "inBytes")]
        in_bytes: u64,
    }
    Bytes::deserialize(deserializer).map(|Bytes { in_bytes }| in_bytes)
}

impl<'de: 'a, 'a> Deserialize<'de> for Info<'a> {
    /// Reads in one pass what a member knows. All else is an error here, and [`Info::Other`] to whoever reads the
    /// event.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> de::Visitor<'de> for Reader {
            type Value = Info<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("news about a node")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Info<'de>, A::Error> {
                let Some(key) = map.next_key::<Text<'de>>()? else {
                    return Err(de::Error::custom("no tag"));
                };
                let info = match &*key {
                    "MacmonMetrics" => {
                        let Macmon { system_profile, memory } = map.next_value()?;
                        Info::System(system_profile, memory)
                    }
                    "NodeDiskUsage" => Info::Disk(map.next_value::<Disk>()?.disk_usage),
                    "MiscData" => Info::Name(map.next_value::<Misc<'de>>()?.friendly_name),
                    "StaticNodeInformation" => Info::Identity(map.next_value()?),
                    "NodeNetworkInterfaces" => Info::Interfaces(map.next_value::<Network<'de>>()?.ifaces),
                    "NodeBackends" => Info::Backends(map.next_value::<Backends<'de>>()?.backends),
                    "NodeConfig" => {
                        map.next_value::<de::IgnoredAny>()?;
                        Info::Config
                    }
                    _ => return untagged(key, map).map(Info::Memory),
                };
                match map.next_key::<de::IgnoredAny>()? {
                    None => Ok(info),
                    Some(_) => Err(de::Error::custom("more than one tag")),
                }
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

/// Reads the one piece of news that has no tag, of which `key` was read already.
fn untagged<'de, A: de::MapAccess<'de>>(key: Text<'de>, map: A) -> Result<MemoryUsage, A::Error> {
    struct Pushed<'de, A> {
        key: Option<Text<'de>>,
        map: A,
    }

    impl<'de, A: de::MapAccess<'de>> de::MapAccess<'de> for Pushed<'de, A> {
        type Error = A::Error;

        fn next_key_seed<K: de::DeserializeSeed<'de>>(
            &mut self,
            seed: K,
        ) -> Result<Option<K::Value>, A::Error> {
            match self.key.take() {
                Some(key) => seed.deserialize(de::value::StrDeserializer::new(&key)).map(Some),
                None => self.map.next_key_seed(seed),
            }
        }

        fn next_value_seed<V: de::DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
            self.map.next_value_seed(seed)
        }
    }

    MemoryUsage::deserialize(de::value::MapAccessDeserializer::new(Pushed { key: Some(key), map }))
}
