//! The network that we would use: what carries the default route.

use exo_telemetry::reading::{NetworkKind, NetworkReadings, Reading};

use super::{
    Look,
    file::File,
    parse::{lines, words},
    tree::Tree,
};

/// The longest name of an interface that Linux allows.
const LONGEST_NAME: usize = 15;
/// The route is up.
const UP: u32 = 1;
/// The route leads nowhere, on purpose.
const REJECT: u32 = 0x200;

#[derive(Debug)]
pub(super) struct Network {
    tree: Tree,
    routes: File,
    routes_of_ipv6: File,
    known: Option<(Name, NetworkKind)>,
}

/// The name of an interface, without an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Name([u8; LONGEST_NAME]);

impl Name {
    fn new(bytes: &[u8]) -> Option<Self> {
        let fits = |b: &u8| b.is_ascii_graphic() && *b != b'/';
        let mut name = [0; LONGEST_NAME];
        name.get_mut(..bytes.len())?.copy_from_slice(bytes);
        (!bytes.is_empty() && bytes.iter().all(fits) && !bytes.starts_with(b".")).then_some(Self(name))
    }

    fn as_str(&self) -> &str {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(LONGEST_NAME);
        self.0.get(..end).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Network {
    pub(super) fn find(tree: &Tree) -> Self {
        Self {
            tree: tree.clone(),
            routes: tree.file("proc/net/route"),
            routes_of_ipv6: tree.file("proc/net/ipv6_route"),
            known: None,
        }
    }

    pub(super) fn read(&mut self, look: &mut Look<'_>, into: &mut NetworkReadings) {
        let fourth = match self.routes.read(look.buffer) {
            Ok(text) => default_route(text, ipv4),
            Err(trouble) => {
                into.kind.refuse(format_args!("{trouble}"), look.at);
                into.metered.refuse(format_args!("{trouble}"), look.at);
                return;
            }
        };
        let name = fourth.or_else(|| {
            let text = self.routes_of_ipv6.read(look.buffer).ok()?;
            default_route(text, ipv6)
        });
        let kind = name.map_or(NetworkKind::None, |name| self.kind(name));
        into.kind = Reading::measured(kind, look.at);
        if kind == NetworkKind::Cellular {
            into.metered = Reading::estimated(true, "mobile networks cost money, as a rule", look.at);
        } else {
            into.metered.refuse(format_args!("Linux does not tell what a network costs"), look.at);
        }
    }

    /// Asked of the files only when the route moved to another interface.
    fn kind(&mut self, name: Name) -> NetworkKind {
        match self.known {
            Some((known, kind)) if known == name => kind,
            _ => {
                let kind = kind(&self.tree, name.as_str());
                self.known = Some((name, kind));
                kind
            }
        }
    }
}

fn kind(tree: &Tree, name: &str) -> NetworkKind {
    let file = |file: &str| format!("sys/class/net/{name}/{file}");
    let event = tree.text(file("uevent")).unwrap_or_default();
    let device = event.lines().find_map(|line| line.strip_prefix("DEVTYPE=")).unwrap_or_default();
    let is_named = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match device {
        "wlan" => NetworkKind::Wifi,
        "wwan" => NetworkKind::Cellular,
        "wireguard" => NetworkKind::Other,
        _ if tree.has(file("wireless")) || tree.has(file("phy80211")) => NetworkKind::Wifi,
        _ if is_named(&["rmnet", "ccmni", "wwan", "ppp", "pdp"]) => NetworkKind::Cellular,
        _ if tree.has(file("tun_flags")) => NetworkKind::Other,
        // 1 is Ethernet, in the kernel's list of hardware.
        _ if tree.line(file("type")).as_deref() == Some("1") => NetworkKind::Ethernet,
        _ => NetworkKind::Other,
    }
}

/// The metric and the interface of a default route.
type Route<'a> = (u32, &'a [u8]);

/// The interface of the best default route.
fn default_route(text: &[u8], read: fn(&[u8]) -> Option<Route<'_>>) -> Option<Name> {
    let (_, name) = lines(text).filter_map(read).min_by_key(|(metric, _)| *metric)?;
    Name::new(name)
}

/// `Iface Destination Gateway Flags RefCnt Use Metric Mask ...`.
fn ipv4(line: &[u8]) -> Option<Route<'_>> {
    let mut words = words(line);
    let (name, destination) = (words.next()?, words.next()?);
    let flags = hex(words.nth(1)?)?;
    let metric = std::str::from_utf8(words.nth(2)?).ok()?.parse().ok()?;
    let mask = words.next()?;
    (destination == b"00000000" && mask == b"00000000" && flags & UP != 0 && flags & REJECT == 0)
        .then_some((metric, name))
}

/// `destination length source length next-hop metric references use flags interface`.
fn ipv6(line: &[u8]) -> Option<Route<'_>> {
    let mut words = words(line);
    let (destination, length) = (words.next()?, words.next()?);
    let metric = hex(words.nth(3)?)?;
    let flags = hex(words.nth(2)?)?;
    let name = words.next()?;
    let is_default = destination.iter().all(|digit| *digit == b'0') && length == b"00";
    (is_default && flags & UP != 0 && flags & REJECT == 0 && name != b"lo").then_some((metric, name))
}

fn hex(word: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()
}
