//! Numbers, texts, lists and names.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6},
    num::{NonZeroU16, NonZeroU32},
    sync::Arc,
    time::Duration,
};

use exo_wire::{
    CommandId, Count, EventId, Finite, InstanceId, InstanceLinkId, Memory, ModelId, Multiaddr, NodeId,
    RunnerId, SessionId, SystemId, TaskId, When,
};

use super::{Any, Dice, any_struct};

impl Any for bool {
    fn any(dice: &mut Dice) -> Self {
        dice.bits() & 1 == 1
    }
}

macro_rules! any_number {
    ($($type:ty)*) => {$(
        impl Any for $type {
            fn any(dice: &mut Dice) -> Self {
                match dice.below(6) {
                    0 => Self::MIN,
                    1 => Self::MAX,
                    2 => 1,
                    3 => dice.below(100) as Self,
                    // Any magnitude, not only the greatest.
                    _ => (dice.bits() >> dice.below(64)) as Self,
                }
            }
        }
    )*};
}

any_number! { u8 u16 u32 i64 }

impl Any for u64 {
    /// Only indices and clocks have this type: they count from 0 by ones, and no run reaches 2^53.
    fn any(dice: &mut Dice) -> Self {
        dice.any::<Count>().get()
    }
}

impl Any for Count {
    fn any(dice: &mut Dice) -> Self {
        match dice.below(4) {
            0 => Self::new(u64::MAX),
            1 => Self::new(0),
            _ => Self::new(dice.bits() >> dice.below(64)),
        }
    }
}

impl Any for NonZeroU16 {
    fn any(dice: &mut Dice) -> Self {
        Self::new(dice.any()).unwrap_or(Self::MIN)
    }
}

impl Any for NonZeroU32 {
    fn any(dice: &mut Dice) -> Self {
        Self::new(dice.any()).unwrap_or(Self::MIN)
    }
}

impl<const MIN: i64, const MAX: i64> Any for Finite<MIN, MAX> {
    fn any(dice: &mut Dice) -> Self {
        let (min, max) = (MIN as f64, MAX as f64);
        let number = match dice.below(5) {
            0 => min,
            1 => max,
            2 => f64::from_bits(dice.bits()),
            3 => dice.any::<u32>().into(),
            _ => min + (max - min) * (dice.bits() as f64 / u64::MAX as f64),
        };
        Self::new(number).unwrap_or_default()
    }
}

impl Any for String {
    fn any(dice: &mut Dice) -> Self {
        let pieces = [
            "",
            "a",
            "0",
            "-1",
            "1e9",
            "null",
            "NaN",
            " ",
            "\"",
            "\\",
            "/",
            "\n\t\r",
            "\0",
            "\u{1f}",
            "\u{7f}",
            "{}",
            "[]",
            "{\"RunnerIdle\":{}}",
            "é",
            "漢",
            "🦀",
            "\u{feff}",
            "\u{202e}",
            "\u{ffff}",
            "\u{10ffff}",
            "%eth0",
            "MlxCpu",
        ];
        match dice.below(13) {
            0 => "x".repeat(dice.below(3000)),
            n => (0..n / 2).map(|_| dice.one(&pieces)).collect(),
        }
    }
}

impl<T: Any> Any for Option<T> {
    fn any(dice: &mut Dice) -> Self {
        dice.any::<bool>().then(|| dice.any())
    }
}

impl<T: Any> Any for Vec<T> {
    fn any(dice: &mut Dice) -> Self {
        (0..dice.below(4)).map(|_| dice.any()).collect()
    }
}

impl<K: Any + Ord, V: Any> Any for BTreeMap<K, V> {
    fn any(dice: &mut Dice) -> Self {
        (0..dice.below(4)).map(|_| (dice.any(), dice.any())).collect()
    }
}

impl<T: Any> Any for Box<T> {
    fn any(dice: &mut Dice) -> Self {
        Self::new(dice.any())
    }
}

impl<T: Any> Any for Arc<T> {
    fn any(dice: &mut Dice) -> Self {
        Self::new(dice.any())
    }
}

impl Any for IpAddr {
    fn any(dice: &mut Dice) -> Self {
        let bits = u128::from(dice.bits()) << 64 | u128::from(dice.bits());
        let v4 = Ipv4Addr::from_bits(dice.any());
        match dice.below(5) {
            0 => v4.into(),
            1 => v4.to_ipv6_mapped().into(),
            2 => v4.to_ipv6_compatible().into(),
            3 => Ipv6Addr::from_bits(bits >> dice.below(128)).into(),
            _ => Ipv6Addr::from_bits(0xfe80 << 112 | bits >> 64).into(),
        }
    }
}

impl Any for Multiaddr {
    fn any(dice: &mut Dice) -> Self {
        let port: NonZeroU16 = dice.any();
        Self::tcp(match SocketAddr::new(dice.any(), port.get()) {
            SocketAddr::V6(v6) => SocketAddrV6::new(*v6.ip(), v6.port(), dice.any(), dice.any()).into(),
            v4 @ SocketAddr::V4(_) => v4,
        })
        .unwrap()
    }
}

impl Any for Memory {
    fn any(dice: &mut Dice) -> Self {
        Self::bytes(dice.bits() >> dice.below(64))
    }
}

impl Any for When {
    fn any(dice: &mut Dice) -> Self {
        Self::since_1970(Duration::new(dice.bits() >> dice.below(64), (dice.bits() % 1_000_000_000) as u32))
    }
}

macro_rules! any_id {
    ($($type:ty)*) => {$(
        impl Any for $type {
            fn any(dice: &mut Dice) -> Self {
                // Names that the gate lets pass; exo itself takes any but an empty one.
                let sign = dice.one(&["a", "node 7", "漢", "\"", "\\", "0"]);
                match dice.below(3) {
                    0 => Self::heard(&sign.repeat(1 + dice.below(40))),
                    _ => Self::from_random(u128::from(dice.bits()) << 64 | u128::from(dice.bits())),
                }
            }
        }
    )*};
}

any_id! { NodeId SystemId CommandId EventId TaskId InstanceId RunnerId InstanceLinkId }

impl Any for ModelId {
    fn any(dice: &mut Dice) -> Self {
        let signs = "abcXYZ019-_./";
        let length = dice.below(150);
        let rest: String = (0..length).filter_map(|_| signs.chars().nth(dice.below(signs.len()))).collect();
        Self::parse(&format!("m{rest}")).unwrap_or_else(|_| Self::parse(&"m".repeat(200)).unwrap())
    }
}

any_struct! { SessionId { master_node_id, election_clock } }
