//! A value of any quantity.

use serde::{Serialize, Serializer};

use super::{NetworkKind, Pressure, ThermalStatus};

/// A value whose kind its [`Quantity`](super::Quantity) decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// Bytes.
    Bytes(u64),
    /// Degrees, watts, a share of 1, a load.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// How hard the system looks for memory.
    Pressure(Pressure),
    /// How the system calls the heat.
    Status(ThermalStatus),
    /// What carries the network.
    Network(NetworkKind),
}

impl Figure {
    /// As a number, where it is more or less of something; the kind of a network is not.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Bytes(bytes) => Some(bytes as f64),
            Self::Number(number) => Some(number),
            Self::Flag(flag) => Some(f64::from(u8::from(flag))),
            Self::Pressure(pressure) => Some(f64::from(pressure as u8)),
            Self::Status(status) => Some(f64::from(status as u8)),
            Self::Network(_) => None,
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(bytes) => bytes.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Flag(flag) => flag.serialize(serializer),
            Self::Pressure(pressure) => pressure.serialize(serializer),
            Self::Status(status) => status.serialize(serializer),
            Self::Network(kind) => kind.serialize(serializer),
        }
    }
}
