//! The network interfaces of this device: what they are, and when they change.
//!
//! Systems tell little about what an interface *is*, so its name decides, which each system gives by habit; what the
//! kernel says (point-to-point, no broadcast) goes before a name that could be anything.

use std::{io, time::Duration};

use if_addrs::{IfAddr, get_if_addrs};
use tokio::time::{Instant, sleep_until};

use crate::interface::{Interface, InterfaceAddress, InterfaceKind};

/// How often we look. Listing costs microseconds and works the same on every system.
const PERIOD: Duration = Duration::from_secs(2);
/// More than any phone has.
const MOST_INTERFACES: usize = 64;
const MOST_ADDRESSES: usize = 32;

/// The interfaces that are up and have an address.
pub fn list() -> io::Result<Vec<Interface>> {
    let mut interfaces: Vec<Interface> = Vec::new();
    for entry in get_if_addrs()?.into_iter().filter(if_addrs::Interface::is_oper_up) {
        let Some(index) = entry.index else { continue };
        let prefix = match &entry.addr {
            IfAddr::V4(v4) => v4.prefixlen,
            IfAddr::V6(v6) => v6.prefixlen,
        };
        let address = InterfaceAddress { ip: entry.ip(), prefix };
        let kind = kind(&entry);
        if let Some(interface) = interfaces.iter_mut().find(|interface| interface.index == index) {
            // The addresses of one interface come one by one, and not each of them shows all.
            if interface.kind == InterfaceKind::Unknown {
                interface.kind = kind;
            }
            if interface.addresses.len() < MOST_ADDRESSES {
                interface.addresses.push(address);
            }
        } else if interfaces.len() < MOST_INTERFACES {
            let multicast = system::multicasts(&entry.name).unwrap_or(kind != InterfaceKind::Loopback);
            interfaces.push(Interface { name: entry.name, index, kind, multicast, addresses: vec![address] });
        }
    }
    interfaces.sort_by_key(|interface| (rank(interface.kind), interface.index));
    Ok(interfaces)
}

/// What an interface is, as far as one of its addresses shows.
pub(super) fn kind(entry: &if_addrs::Interface) -> InterfaceKind {
    let broadcasts = matches!(&entry.addr, IfAddr::V4(v4) if v4.broadcast.is_some());
    kind_of(&entry.name, Seen { point_to_point: entry.is_p2p(), loopback: entry.is_loopback(), broadcasts })
}

/// What the system says of an interface along with one of its addresses.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    point_to_point: bool,
    loopback: bool,
    broadcasts: bool,
}

fn kind_of(name: &str, seen: Seen) -> InterfaceKind {
    const CELLULAR: [&str; 9] =
        ["rmnet", "r_rmnet", "v4-rmnet", "ccmni", "pdp_ip", "wwan", "wwp", "clat", "v4-ccmni"];
    const TUNNELS: [&str; 18] = [
        "tun",
        "tap",
        "ppp",
        "utun",
        "ipsec",
        "wg",
        "tailscale",
        "zt",
        "feth",
        "nordlynx",
        "proton",
        "gif",
        "stf",
        "sit",
        "awdl",
        "llw",
        "nan",
        "p2p",
    ];
    let begins = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
    if seen.loopback || name == "lo" || name == "lo0" {
        InterfaceKind::Loopback
    } else if begins(&CELLULAR) {
        InterfaceKind::Cellular
    } else if seen.point_to_point || begins(&TUNNELS) || system::is_tunnel(name) {
        InterfaceKind::PointToPoint
    } else if begins(&["wl", "swlan", "ap", "Wi-Fi"]) || cfg!(target_os = "ios") && name == "en0" {
        InterfaceKind::Wifi
    } else if seen.broadcasts || begins(&["en", "eth", "usb", "rndis", "bridge", "br", "veth", "Ethernet"]) {
        InterfaceKind::Ethernet
    } else {
        InterfaceKind::Unknown
    }
}

/// Where an exo is most likely comes first: what is bounded begins there.
fn rank(kind: InterfaceKind) -> u8 {
    match kind {
        InterfaceKind::Wifi => 0,
        InterfaceKind::Ethernet => 1,
        InterfaceKind::Unknown => 2,
        InterfaceKind::PointToPoint => 3,
        InterfaceKind::Cellular => 4,
        InterfaceKind::Loopback => 5,
    }
}

/// Watches the interfaces.
#[derive(Debug, Default)]
pub struct Watch {
    last: Option<Vec<Interface>>,
    looked: Option<Instant>,
}

impl Watch {
    /// Waits until the interfaces are other than the last time; the first time does not wait. May be dropped and
    /// called anew as often as one likes: it still looks in time.
    pub async fn changed(&mut self) -> Vec<Interface> {
        loop {
            if let Some(looked) = self.looked {
                sleep_until(looked + PERIOD).await;
            }
            self.looked = Some(Instant::now());
            // If they cannot be listed, none is known: discovery says so.
            let now = list().unwrap_or_default();
            if self.last.as_ref() != Some(&now) {
                return self.last.insert(now).clone();
            }
        }
    }
}

/// What Linux tells under /sys. Android hides it from apps, and then the name must do.
#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    const IFF_MULTICAST: u32 = 0x1000;

    pub(super) fn multicasts(name: &str) -> Option<bool> {
        let text = fs::read_to_string(format!("/sys/class/net/{name}/flags")).ok()?;
        let flags = u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()?;
        Some(flags & IFF_MULTICAST != 0)
    }

    pub(super) fn is_tunnel(name: &str) -> bool {
        fs::exists(format!("/sys/class/net/{name}/tun_flags")).unwrap_or(false)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn multicasts(_name: &str) -> Option<bool> {
        None
    }

    pub(super) fn is_tunnel(_name: &str) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_known_by_its_name_and_by_what_the_kernel_says() {
        use InterfaceKind::{Cellular, Ethernet, Loopback, PointToPoint, Unknown, Wifi};
        let lan = Seen { broadcasts: true, ..Seen::default() };
        let tunnel = Seen { point_to_point: true, ..Seen::default() };
        for (name, seen, kind) in [
            ("lo", lan, Loopback),
            ("lo0", tunnel, Loopback),
            ("wlan0", lan, Wifi),
            ("wlp3s0", lan, Wifi),
            ("swlan0", lan, Wifi),
            ("eth0", lan, Ethernet),
            ("enp5s0", lan, Ethernet),
            ("br-lan", lan, Ethernet),
            ("phone7", lan, Ethernet),
            ("rmnet_data0", lan, Cellular),
            ("rmnet0", tunnel, Cellular),
            ("ccmni1", Seen::default(), Cellular),
            ("pdp_ip0", tunnel, Cellular),
            ("wwan0", lan, Cellular),
            ("v4-rmnet_data0", tunnel, Cellular),
            ("tun0", tunnel, PointToPoint),
            ("tap0", lan, PointToPoint),
            ("utun3", tunnel, PointToPoint),
            ("ipsec0", tunnel, PointToPoint),
            ("wg0", Seen::default(), PointToPoint),
            ("ppp0", tunnel, PointToPoint),
            ("tailscale0", tunnel, PointToPoint),
            ("ztabc123", lan, PointToPoint),
            ("awdl0", lan, PointToPoint),
            ("v4-wlan0", tunnel, PointToPoint),
            ("odd0", Seen::default(), Unknown),
        ] {
            assert_eq!(kind_of(name, seen), kind, "{name} {seen:?}");
        }
    }

    #[test]
    fn this_device_has_a_loopback_interface() {
        let all = list().expect("interfaces can be listed");
        let loopback = all.iter().find(|interface| interface.kind == InterfaceKind::Loopback);
        let addresses = &loopback.expect("there is one").addresses;
        assert!(addresses.iter().all(|address| address.ip.is_loopback()), "{addresses:?}");
    }

    #[tokio::test]
    async fn a_watch_that_is_interrupted_goes_on_where_it_was() {
        let mut watch = Watch::default();
        watch.changed().await;
        let first = watch.looked;
        for _ in 0..3 {
            let interrupted = tokio::time::timeout(Duration::from_millis(1), watch.changed()).await;
            assert!(interrupted.is_err(), "it did not wait");
        }
        assert_eq!(watch.looked, first, "the wait began anew");
    }
}
