//! What to say about ourselves: only what was measured, and only what cannot harm.
//!
//! Two hazards decide what is said about memory. Memory without a backend breaks the placement of others: exo picks
//! the smallest group that fits before it asks who can run anything. And a backend attracts models. So memory is
//! announced only while an engine is able to serve; when it no longer is, the last word on memory is that none is
//! available, said while the backend still stands, and then the backend goes.
//!
//! Identity, disk and interfaces are said at the start, when they change, and every five minutes. A repetition takes
//! the place of a heartbeat, so it costs the log nothing.

use std::{collections::BTreeMap, time::Duration};

use exo_wire::{
    GatheredInfo, Memory as Bytes,
    finite::{Celsius, Fraction, Watts},
    gathered::{
        DiskUsage, InterfaceType, MacmonMetrics, MemoryUsage, MiscData, NetworkInterfaceInfo, NodeBackends,
        NodeDiskUsage, NodeNetworkInterfaces, StaticNodeInformation, SystemPerformanceProfile,
    },
};

use super::{Disk, Gauges, Identity, Memory, Readings};
use crate::{Interface, InterfaceKind, now::Moment, worker::Offer};

/// A petabyte: more than any device has.
const ABSURD: u64 = 1 << 50;
/// How often what does not change is said again.
const REPEAT: Duration = Duration::from_mins(5);
/// exo has no bound on texts; its dashboard and its log have.
const TEXT: usize = 128;
const ADDRESSES: usize = 32;

/// How members of this SDK are known to each other in exo's state: the end of `os_build_version`, which exo shows
/// nowhere but keeps. It lets each count the others without a message of its own.
const MARK: &str = "(exo-mobile)";

/// Whether a node with this build version is a member of this SDK.
pub(super) fn is_marked(os_build_version: &str) -> bool {
    os_build_version.ends_with(MARK)
}

/// The kinds of news, in the order of registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Backends,
    Name,
    Identity,
    Disk,
    Interfaces,
    /// The last word on memory, when it may no longer be used.
    Withdrawal,
    /// Memory, load and heat, or a bare sign of life.
    Vital,
}

/// One piece of news.
pub(super) type News = (Kind, GatheredInfo);

/// The device as last measured, and what the session has been told of it.
#[derive(Debug, Default)]
pub(super) struct Telemetry {
    /// What was measured, within what the engine offers.
    readings: Option<Readings>,
    measured: Option<Readings>,
    /// The engine's word, where there is one.
    offer: Option<Offer>,
    told: BTreeMap<Kind, (GatheredInfo, Moment)>,
    /// Whether the session knows of memory that models could use.
    offers_memory: bool,
}

impl Telemetry {
    /// New readings. What no device can have was not measured, whatever the probe says.
    pub(super) fn measured(&mut self, mut readings: Readings) {
        readings.memory.take_if(|memory| memory.total > ABSURD || memory.swap_total > ABSURD);
        readings.disk.take_if(|disk| disk.total > ABSURD);
        self.measured = Some(readings);
        self.limit();
    }

    /// The engine says what may be counted on.
    pub(super) fn offered(&mut self, offer: Offer) {
        self.offer = Some(offer);
        self.limit();
    }

    fn limit(&mut self) {
        self.readings.clone_from(&self.measured);
        if let (Some(readings), Some(offer)) = (&mut self.readings, self.offer) {
            readings.able &= offer.able;
            if let (Some(memory), Some(most)) = (&mut readings.memory, offer.memory) {
                memory.available = memory.available.min(most);
            }
        }
    }

    pub(super) const fn has_readings(&self) -> bool {
        self.readings.is_some()
    }

    /// A new session knows nothing of us.
    pub(super) fn forget(&mut self) {
        self.told.clear();
        self.offers_memory = false;
    }

    /// Whether the session knows, from us, of memory that models could use.
    pub(super) const fn offers_memory(&self) -> bool {
        self.offers_memory
    }

    /// Takes back memory that is on offer though it may not be used.
    pub(super) fn withdrawal(&mut self) -> News {
        self.offers_memory = false;
        let memory = self.readings.as_ref().and_then(|readings| readings.memory);
        (Kind::Withdrawal, memory_usage(memory.unwrap_or_default(), 0))
    }

    /// All that a session should know of us. It may remember what we offered before, if it did not time us out.
    pub(super) fn registration(&mut self, now: Moment) -> Vec<News> {
        self.told.clear();
        let mut news = self.steady();
        if !news.iter().any(|(kind, _)| *kind == Kind::Backends) {
            news.insert(0, (Kind::Backends, backends(&Readings::default())));
        }
        if self.is_withdrawn() {
            news.insert(0, self.withdrawal());
        }
        self.tell(now, &news);
        news.push(self.vital(true));
        news
    }

    /// What is different from what was told.
    pub(super) fn changes(&mut self, now: Moment) -> Vec<News> {
        let told = &self.told;
        let differs = |(kind, info): &News| told.get(kind).is_none_or(|(told, _)| is_different(told, info));
        let mut news: Vec<News> = self.steady().into_iter().filter(differs).collect();
        if self.is_withdrawn() {
            news.insert(0, self.withdrawal());
        }
        self.tell(now, &news);
        news
    }

    /// Whether memory is on offer that may no longer be used.
    fn is_withdrawn(&self) -> bool {
        self.offers_memory && !self.readings.as_ref().is_some_and(is_able)
    }

    /// One piece of news that shows that we are here. `fresh` says that the readings were made for it.
    pub(super) fn beat(&mut self, now: Moment, fresh: bool) -> News {
        let told = &self.told;
        let stale = |(kind, _): &News| told.get(kind).is_some_and(|(_, when)| now.since(*when) >= REPEAT);
        let Some(news) = self.steady().into_iter().find(stale) else { return self.vital(fresh) };
        self.tell(now, std::slice::from_ref(&news));
        news
    }

    fn tell(&mut self, now: Moment, news: &[News]) {
        for (kind, info) in news {
            self.told.insert(*kind, (info.clone(), now));
        }
    }

    /// What stays as it is for minutes, as far as it was measured.
    fn steady(&self) -> Vec<News> {
        let Some(readings) = &self.readings else { return Vec::new() };
        let identity = readings.identity.as_ref();
        let news = [
            (Kind::Backends, Some(backends(readings))),
            (Kind::Name, identity.map(name)),
            (Kind::Identity, identity.map(description)),
            (Kind::Disk, readings.disk.map(disk)),
            (Kind::Interfaces, readings.interfaces.as_deref().map(interfaces)),
        ];
        news.into_iter().filter_map(|(kind, info)| Some((kind, info?))).collect()
    }

    fn vital(&mut self, fresh: bool) -> News {
        let able = self.readings.as_ref().filter(|readings| fresh && is_able(readings));
        let info = able.and_then(|readings| Some(vital(readings.memory?, readings.gauges)));
        self.offers_memory |= info.is_some();
        (Kind::Vital, info.unwrap_or(GatheredInfo::NodeConfig {}))
    }
}

fn is_able(readings: &Readings) -> bool {
    readings.able && !readings.backends.is_empty()
}

/// Disks change by the second; what matters is a hundredth of them.
fn is_different(told: &GatheredInfo, info: &GatheredInfo) -> bool {
    match (told, info) {
        (GatheredInfo::NodeDiskUsage(told), GatheredInfo::NodeDiskUsage(now)) => {
            let (told, now) = (told.disk_usage, now.disk_usage);
            let moved = told.available.in_bytes().abs_diff(now.available.in_bytes());
            told.total != now.total || moved > now.total.in_bytes() / 100
        }
        _ => told != info,
    }
}

fn backends(readings: &Readings) -> GatheredInfo {
    let backends = if is_able(readings) { readings.backends.clone() } else { Vec::new() };
    GatheredInfo::NodeBackends(NodeBackends { backends })
}

fn name(identity: &Identity) -> GatheredInfo {
    GatheredInfo::MiscData(MiscData { friendly_name: text(&identity.name) })
}

fn description(identity: &Identity) -> GatheredInfo {
    let build = format!("{} {MARK}", text(&identity.os_build));
    GatheredInfo::StaticNodeInformation(StaticNodeInformation {
        model: text(&identity.model),
        chip: text(&identity.chip),
        os_version: os_version(&identity.os_version).into(),
        os_build_version: build.trim_start().to_owned(),
    })
}

/// exo's dashboard takes a version that begins with a digit for macOS, and warns of a mismatch.
fn os_version(version: &str) -> String {
    let version = text(version);
    if version.is_empty() {
        "Unknown".to_owned()
    } else if version.starts_with(|first: char| first.is_numeric()) {
        format!("Version {version}")
    } else {
        version
    }
}

fn text(words: &str) -> String {
    words.trim().chars().filter(|c| !c.is_control()).take(TEXT).collect()
}

fn disk(disk: Disk) -> GatheredInfo {
    let available = Bytes::bytes(disk.available.min(disk.total));
    let disk_usage = DiskUsage { total: Bytes::bytes(disk.total), available };
    GatheredInfo::NodeDiskUsage(NodeDiskUsage { disk_usage })
}

/// exo's workers knock at each of these every ten seconds, so only those that a neighbour could reach are named, and
/// none that costs money. The scope of a link-local address means nothing to others.
fn interfaces(interfaces: &[Interface]) -> GatheredInfo {
    let reachable = interfaces.iter().filter_map(|interface| {
        let interface_type = match interface.kind {
            InterfaceKind::Wifi => InterfaceType::Wifi,
            InterfaceKind::Ethernet => InterfaceType::Ethernet,
            InterfaceKind::Unknown => InterfaceType::Unknown,
            InterfaceKind::Loopback | InterfaceKind::Cellular | InterfaceKind::PointToPoint => return None,
        };
        Some((interface, interface_type))
    });
    let ifaces = reachable.flat_map(|(interface, interface_type)| {
        interface.addresses.iter().map(move |address| NetworkInterfaceInfo {
            name: text(&interface.name),
            ip_address: address.ip.into(),
            interface_type,
        })
    });
    GatheredInfo::NodeNetworkInterfaces(NodeNetworkInterfaces { ifaces: ifaces.take(ADDRESSES).collect() })
}

/// Load and heat only when both matter and were measured: exo reads what is left out as 0.
fn vital(memory: Memory, gauges: Gauges) -> GatheredInfo {
    let memory = usage(memory, memory.available);
    let part = |gauge: Option<f64>| gauge.and_then(|part| Fraction::new(part.clamp(0.0, 1.0)));
    let temperature = gauges.temperature.and_then(Celsius::new);
    let (Some(temp), Some(gpu_usage)) = (temperature, part(gauges.gpu_use)) else {
        return GatheredInfo::MemoryUsage(memory);
    };
    let system_profile = SystemPerformanceProfile {
        gpu_usage,
        temp,
        sys_power: gauges.power.and_then(Watts::new).unwrap_or_default(),
        pcpu_usage: part(gauges.fast_cores).unwrap_or_default(),
        ecpu_usage: part(gauges.slow_cores).unwrap_or_default(),
    };
    GatheredInfo::MacmonMetrics(MacmonMetrics { system_profile, memory })
}

fn memory_usage(memory: Memory, available: u64) -> GatheredInfo {
    GatheredInfo::MemoryUsage(usage(memory, available))
}

fn usage(memory: Memory, available: u64) -> MemoryUsage {
    MemoryUsage {
        ram_total: Bytes::bytes(memory.total),
        ram_available: Bytes::bytes(available.min(memory.total)),
        swap_total: Bytes::bytes(memory.swap_total),
        swap_available: Bytes::bytes(memory.swap_available.min(memory.swap_total)),
    }
}

#[cfg(test)]
mod tests {
    use exo_wire::gathered::Backend;

    use super::*;
    use crate::interface::InterfaceAddress;

    fn at(seconds: u64) -> Moment {
        Moment::after_start(Duration::from_secs(seconds))
    }

    fn pixel() -> Readings {
        Readings {
            memory: Some(Memory {
                total: 12 << 30,
                available: 5 << 30,
                swap_total: 4 << 30,
                swap_available: 3 << 30,
            }),
            disk: Some(Disk { total: 128 << 30, available: 64 << 30 }),
            identity: Some(Identity {
                name: "Ada's Pixel".into(),
                model: "Pixel 9".into(),
                chip: "Tensor G4".into(),
                os_version: "Android 16".into(),
                os_build: "BP2A.250605.031".into(),
            }),
            interfaces: Some(Vec::new()),
            gauges: Gauges::default(),
            able: false,
            backends: Vec::new(),
        }
    }

    fn able_pixel() -> Readings {
        Readings { able: true, backends: vec![Backend::MlxCpu], ..pixel() }
    }

    fn told(readings: Readings) -> Telemetry {
        let mut telemetry = Telemetry::default();
        telemetry.measured(readings);
        telemetry
    }

    fn kinds(news: &[News]) -> Vec<Kind> {
        news.iter().map(|(kind, _)| *kind).collect()
    }

    #[test]
    fn registration_tells_everything_once_in_exos_order() {
        let news = told(pixel()).registration(at(0));
        assert_eq!(
            kinds(&news),
            [Kind::Backends, Kind::Name, Kind::Identity, Kind::Disk, Kind::Interfaces, Kind::Vital]
        );
    }

    #[test]
    fn without_readings_a_bare_sign_of_life_is_told() {
        let news = Telemetry::default().registration(at(0));
        assert_eq!(kinds(&news), [Kind::Backends, Kind::Vital]);
        assert_eq!(news[1].1, GatheredInfo::NodeConfig {});
    }

    #[test]
    fn memory_is_never_told_without_a_backend() {
        for readings in [
            pixel(),
            Readings { able: true, ..pixel() },
            Readings { backends: vec![Backend::MlxCpu], ..pixel() },
        ] {
            let mut telemetry = told(readings);
            let news = telemetry.registration(at(0));
            assert_eq!(news[0].1, GatheredInfo::NodeBackends(NodeBackends { backends: Vec::new() }));
            assert_eq!(news[5].1, GatheredInfo::NodeConfig {});
            assert_eq!(telemetry.beat(at(10), true).1, GatheredInfo::NodeConfig {});
        }
    }

    #[test]
    fn load_and_heat_are_told_only_when_both_were_measured_by_one_who_is_able() {
        let gauges = |temperature, gpu_use| Gauges { temperature, gpu_use, ..Gauges::default() };
        let mut telemetry = told(Readings { gauges: gauges(Some(31.0), None), ..able_pixel() });
        assert!(matches!(telemetry.beat(at(0), true).1, GatheredInfo::MemoryUsage(_)));
        telemetry.measured(Readings { gauges: gauges(Some(f64::NAN), Some(0.1)), ..able_pixel() });
        assert!(matches!(telemetry.beat(at(0), true).1, GatheredInfo::MemoryUsage(_)));
        telemetry.measured(Readings { gauges: gauges(Some(31.0), Some(0.1)), ..able_pixel() });
        assert!(matches!(telemetry.beat(at(0), true).1, GatheredInfo::MacmonMetrics(_)));
        telemetry.measured(Readings { gauges: gauges(Some(31.0), Some(0.1)), ..pixel() });
        assert_eq!(telemetry.beat(at(0), true).1, GatheredInfo::NodeConfig {});
    }

    #[test]
    fn stale_memory_is_not_told() {
        let mut telemetry = told(able_pixel());
        assert_eq!(telemetry.beat(at(0), false).1, GatheredInfo::NodeConfig {});
    }

    #[test]
    fn one_who_is_no_longer_able_withdraws_its_memory_before_its_backend() {
        let mut telemetry = told(able_pixel());
        telemetry.registration(at(0));
        telemetry.measured(pixel());
        let news = telemetry.changes(at(10));
        assert_eq!(kinds(&news), [Kind::Withdrawal, Kind::Backends]);
        let GatheredInfo::MemoryUsage(memory) = &news[0].1 else { panic!("{news:?}") };
        assert_eq!(memory.ram_available.in_bytes(), 0);
        assert!(telemetry.changes(at(11)).is_empty());
    }

    #[test]
    fn what_changed_is_told_at_once_and_what_did_not_is_not() {
        let mut telemetry = told(pixel());
        telemetry.registration(at(0));
        assert!(telemetry.changes(at(1)).is_empty());
        let almost = Disk { total: 128 << 30, available: (64 << 30) - (1 << 30) };
        telemetry.measured(Readings { disk: Some(almost), ..pixel() });
        assert!(telemetry.changes(at(2)).is_empty(), "disks change by the second");
        let less = Disk { total: 128 << 30, available: 60 << 30 };
        telemetry.measured(Readings { disk: Some(less), ..pixel() });
        assert_eq!(kinds(&telemetry.changes(at(3))), [Kind::Disk]);
    }

    #[test]
    fn every_five_minutes_a_beat_repeats_what_did_not_change() {
        let mut telemetry = told(pixel());
        telemetry.registration(at(0));
        let mut repeated = Vec::new();
        for beat in 1..=60 {
            let (kind, _) = telemetry.beat(at(beat * 10), true);
            repeated.extend((kind != Kind::Vital).then_some((beat, kind)));
        }
        let kinds: Vec<Kind> = repeated.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(
            kinds[..5],
            [Kind::Backends, Kind::Name, Kind::Identity, Kind::Disk, Kind::Interfaces],
            "{repeated:?}"
        );
        assert_eq!(repeated[0].0, 30);
        assert!(kinds.len() <= 6);
    }

    #[test]
    fn a_version_never_begins_with_a_digit() {
        for (given, told) in
            [("Android 16", "Android 16"), ("16", "Version 16"), (" 26.1\n", "Version 26.1"), ("", "Unknown")]
        {
            assert_eq!(os_version(given), told);
        }
    }

    #[test]
    fn members_of_this_sdk_are_known_by_their_mark() {
        let news = told(pixel()).registration(at(0));
        let GatheredInfo::StaticNodeInformation(identity) = &news[2].1 else { panic!("{news:?}") };
        assert_eq!(identity.os_build_version, "BP2A.250605.031 (exo-mobile)");
        assert!(is_marked(&identity.os_build_version));
        assert!(!is_marked("Unknown"));
    }

    #[test]
    fn only_addresses_that_a_neighbour_could_reach_are_named_and_without_scope() {
        let interface = |name: &str, kind, ip: &str| Interface {
            name: name.into(),
            index: 3,
            kind,
            multicast: true,
            addresses: vec![InterfaceAddress { ip: ip.parse().unwrap(), prefix: 24 }],
        };
        let all = [
            interface("lo", InterfaceKind::Loopback, "127.0.0.1"),
            interface("rmnet0", InterfaceKind::Cellular, "10.9.8.7"),
            interface("tun0", InterfaceKind::PointToPoint, "10.8.0.1"),
            interface("wlan0", InterfaceKind::Wifi, "fe80::1"),
            interface("eth0", InterfaceKind::Ethernet, "192.168.1.7"),
        ];
        let GatheredInfo::NodeNetworkInterfaces(named) = interfaces(&all) else { panic!() };
        let named: Vec<&str> = named.ifaces.iter().map(|iface| iface.ip_address.as_str()).collect();
        assert_eq!(named, ["fe80::1", "192.168.1.7"]);
    }
}
