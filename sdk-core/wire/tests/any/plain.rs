//! Numbers, texts, lists and names.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use exo_wire::{
    CommandId, EventId, Finite, InstanceId, InstanceLinkId, Memory, ModelId, Multiaddr, NodeId, RunnerId,
    SessionId, SystemId, TaskId, When,
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
                    _ if dice.is_sound() => 1 + dice.below(100) as Self,
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

any_number! { u8 u16 u32 u64 i64 }

impl Any for NonZeroU32 {
    fn any(dice: &mut Dice) -> Self {
        Self::new(dice.any()).unwrap_or(Self::MIN)
    }
}

impl Any for Finite {
    fn any(dice: &mut Dice) -> Self {
        let known =
            [0.0, -0.0, 1.0, -1.0, 0.1, 1e-320, f64::MIN_POSITIVE, f64::MAX, f64::MIN, f64::EPSILON, 1e16];
        match dice.below(3) {
            n if dice.is_sound() => Self::new(n as f64 / 2.0).unwrap(),
            0 => Self::new(known[dice.below(known.len())]).unwrap(),
            1 => dice.any::<u32>().into(),
            _ => Self::new(f64::from_bits(dice.bits())).unwrap_or_default(),
        }
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
            // A text, but also an address, and a version that does not begin with a digit.
            _ if dice.is_sound() => "fe80::1".to_owned(),
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
            _ if dice.is_sound() => v4.into(),
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
        Self::tcp(match SocketAddr::new(dice.any(), dice.any()) {
            SocketAddr::V6(v6) => SocketAddrV6::new(*v6.ip(), v6.port(), dice.any(), dice.any()).into(),
            v4 @ SocketAddr::V4(_) => v4,
        })
    }
}

impl Any for Memory {
    fn any(dice: &mut Dice) -> Self {
        Self::bytes(dice.any())
    }
}

impl Any for When {
    fn any(dice: &mut Dice) -> Self {
        Self::since_1970(Duration::new(dice.any(), (dice.bits() % 1_000_000_000) as u32))
    }
}

macro_rules! any_id {
    ($($type:ty)*) => {$(
        impl Any for $type {
            fn any(dice: &mut Dice) -> Self {
                match dice.below(3) {
                    0 if !dice.is_sound() => Self::heard(&dice.any::<String>()),
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
