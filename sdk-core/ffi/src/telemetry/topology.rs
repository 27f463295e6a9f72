//! Links that were measured, and what they make of the cluster.

use exo_telemetry::{
    Reading, Source,
    topology::{self, Bottleneck, Diameter, LinkKind, Topology},
};

/// What carries a link.
#[uniffi::remote(Enum)]
pub enum LinkKind {
    /// A wireless LAN.
    Wifi,
    /// A wired LAN.
    Ethernet,
    /// A Thunderbolt cable.
    Thunderbolt,
    /// A USB cable.
    Usb,
    /// The same device.
    Loopback,
    /// Nobody knows.
    Unknown,
}

/// The two devices farthest from each other.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct FarthestPair {
    /// One end.
    pub from: String,
    /// The other.
    pub to: String,
    /// Links between them.
    pub hops: u32,
    /// There and back, in seconds.
    pub round_trip: f64,
}

/// A link that holds the cluster back.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct SlowLink {
    /// One end.
    pub from: String,
    /// The other.
    pub to: String,
    /// Its slower direction, in bytes a second.
    pub bandwidth: f64,
}

/// A figure about a link.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct LinkFigure {
    /// The best guess; none if it cannot be had.
    pub value: Option<f64>,
    /// How far off it may be.
    pub error: Option<f64>,
    /// Where it comes from.
    pub source: Source,
    /// How it was estimated, or why it cannot be had.
    pub note: Option<String>,
}

impl From<&Reading<topology::Figure>> for LinkFigure {
    fn from(reading: &Reading<topology::Figure>) -> Self {
        let figure = reading.get();
        let note = match reading {
            Reading::Measured { .. } => None,
            Reading::Estimated { how, .. } => Some(how.clone().into_owned()),
            Reading::Unavailable { why, .. } => Some(why.clone().into_owned()),
        };
        Self {
            value: figure.map(|figure| figure.value),
            error: figure.map(|figure| figure.error),
            source: reading.source(),
            note,
        }
    }
}

/// A link between two devices. Seconds, bytes a second, parts of 1.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Link {
    /// The device that measured.
    pub from: String,
    /// The other.
    pub to: String,
    /// What carries it.
    pub kind: LinkKind,
    /// The median round trip.
    pub round_trip: LinkFigure,
    /// The median change from one round trip to the next.
    pub jitter: LinkFigure,
    /// The part of the echoes that was lost.
    pub loss: LinkFigure,
    /// What it carries from the device that measured.
    pub bandwidth_up: LinkFigure,
    /// What it carries to it.
    pub bandwidth_down: LinkFigure,
}

impl From<&topology::Link> for Link {
    fn from(link: &topology::Link) -> Self {
        Self {
            from: link.from.clone(),
            to: link.to.clone(),
            kind: link.kind,
            round_trip: (&link.latency_p50).into(),
            jitter: (&link.jitter).into(),
            loss: (&link.loss).into(),
            bandwidth_up: (&link.bandwidth_up).into(),
            bandwidth_down: (&link.bandwidth_down).into(),
        }
    }
}

/// The links of the cluster, and what they make of it.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct TopologyReport {
    /// The links.
    pub links: Vec<Link>,
    /// How many parts cannot reach each other. One is good.
    pub parts: u32,
    /// The two devices farthest from each other.
    pub diameter: Option<FarthestPair>,
    /// Bytes a second, over all that were measured.
    pub average_bandwidth: Option<f64>,
    /// Links that hold the cluster back, slowest first.
    pub bottlenecks: Vec<SlowLink>,
    /// Devices without which a part falls apart.
    pub cut_devices: Vec<String>,
    /// A few lines that a person reads.
    pub summary: String,
    /// A picture of it.
    pub svg: String,
}

impl From<&Topology> for TopologyReport {
    fn from(topology: &Topology) -> Self {
        let analysis = topology.analyse();
        let farthest = |pair: Diameter| FarthestPair {
            from: pair.from,
            to: pair.to,
            hops: pair.hops as u32,
            round_trip: pair.round_trip,
        };
        let slow = |link: Bottleneck| SlowLink { from: link.from, to: link.to, bandwidth: link.bandwidth };
        Self {
            links: topology.links().map(Link::from).collect(),
            parts: analysis.parts as u32,
            diameter: analysis.diameter.map(farthest),
            average_bandwidth: analysis.average_bandwidth,
            bottlenecks: analysis.bottlenecks.into_iter().map(slow).collect(),
            cut_devices: analysis.cut_devices,
            summary: topology.summary(),
            svg: topology.svg(),
        }
    }
}
