//! Names of things: exo calls nodes, commands, events and the rest by strings.
//!
//! exo takes any string for any id. Ours are of two forms: a [`NodeId`] is 1 to 32 lower-case hexadecimal digits with
//! no leading zero (the form of a zenoh id), all others are version 4 UUIDs made from random bits that the caller
//! gives, since nothing here draws random numbers.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a node id: expected 1 to 32 lower-case hexadecimal digits, the first not 0")]
pub struct BadNodeId {
    text: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        ///
        /// Cheap to clone. Ordered as a string, as exo orders ids.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as it was heard. exo takes any string.
            pub fn heard(text: &str) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

macro_rules! uuids {
    ($($name:ident)*) => {$(
        impl $name {
            /// A version 4 UUID of these random bits.
            pub fn from_random(bits: u128) -> Self {
                Self(uuid4(bits).into())
            }
        }
    )*};
}

ids! {
    /// A member of the cluster.
    NodeId
    /// One stream of events or commands of one node in one session.
    SystemId
    /// A command, and the answer's chunks that belong to it.
    CommandId
    /// An event. Seeing it again in the global events is its acknowledgement.
    EventId
    /// A task of a worker.
    TaskId
    /// A model placed on nodes.
    InstanceId
    /// The part of an instance that one node runs.
    RunnerId
    /// A link between a prefill and a decode instance.
    InstanceLinkId
}

uuids! { SystemId CommandId EventId TaskId InstanceId RunnerId InstanceLinkId }

impl NodeId {
    /// The id of these random bits, in the form of a zenoh id. Zero has no such form and becomes one.
    pub fn from_random(bits: u128) -> Self {
        Self(format!("{:x}", bits.max(1)).into())
    }

    /// An id that somebody wrote or stored, checked.
    pub fn parse(text: &str) -> Result<Self, BadNodeId> {
        let digits = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if digits && (1..=32).contains(&text.len()) && !text.starts_with('0') {
            Ok(Self(text.into()))
        } else {
            Err(BadNodeId { text: text.chars().take(64).collect() })
        }
    }
}

fn uuid4(bits: u128) -> String {
    let bits = bits & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let (a, rest) = hex.split_at(8);
    let (b, rest) = rest.split_at(4);
    let (c, rest) = rest.split_at(4);
    let (d, e) = rest.split_at(4);
    format!("{a}-{b}-{c}-{d}-{e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_its_version_and_variant_whatever_the_bits() {
        assert_eq!(uuid4(0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid4(u128::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }

    #[test]
    fn a_node_id_has_the_form_of_a_zenoh_id() {
        assert_eq!(NodeId::from_random(0).as_str(), "1");
        assert_eq!(NodeId::from_random(u128::MAX).as_str().len(), 32);
        for bad in ["", "0abc", "ABC", "g", &"a".repeat(33), "a b"] {
            assert!(NodeId::parse(bad).is_err(), "{bad:?} was taken");
        }
        assert!(NodeId::parse("a1b2c3d4e5f60718293a4b5c6d7e8f90").is_ok());
    }
}
