//! A link between two devices, as far as it was measured.

use serde::{Deserialize, Serialize};

use super::{Figure, figure::combined};
use crate::reading::{Reading, Source, Timestamp};

/// What carries a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    #[default]
    Unknown,
}

impl LinkKind {
    /// How people call it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Wifi => "Wi-Fi",
            Self::Ethernet => "Ethernet",
            Self::Thunderbolt => "Thunderbolt",
            Self::Usb => "USB",
            Self::Loopback => "loopback",
            Self::Unknown => "unknown",
        }
    }
}

/// Which way bytes go: from the device that measured, or to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the device that measured.
    Up,
    /// To it.
    Down,
}

impl Direction {
    /// The other way.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

/// A link between two devices. Seconds, bytes a second, parts of 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The device that measured.
    pub from: String,
    /// The other.
    pub to: String,
    /// What carries it.
    pub kind: LinkKind,
    /// Whether the two reach each other without a third: they exchanged datagrams on a direct socket.
    pub peer_to_peer: Reading<bool>,
    /// The shortest round trip.
    pub latency_min: Reading<Figure>,
    /// The median round trip.
    pub latency_p50: Reading<Figure>,
    /// The median change from one round trip to the next.
    pub jitter: Reading<Figure>,
    /// The part of the echoes that was lost.
    pub loss: Reading<Figure>,
    /// What it carries from the device that measured. Whole IP packets are counted.
    pub bandwidth_up: Reading<Figure>,
    /// What it carries to it.
    pub bandwidth_down: Reading<Figure>,
}

impl Link {
    /// A link of which nothing was measured yet.
    pub fn unmeasured(from: impl Into<String>, to: impl Into<String>, kind: LinkKind, at: Timestamp) -> Self {
        const WHY: &str = "not measured yet";
        Self {
            from: from.into(),
            to: to.into(),
            kind,
            peer_to_peer: Reading::unavailable(WHY, at),
            latency_min: Reading::unavailable(WHY, at),
            latency_p50: Reading::unavailable(WHY, at),
            jitter: Reading::unavailable(WHY, at),
            loss: Reading::unavailable(WHY, at),
            bandwidth_up: Reading::unavailable(WHY, at),
            bandwidth_down: Reading::unavailable(WHY, at),
        }
    }

    /// Whether this is the link between these two, whoever measured.
    pub fn joins(&self, one: &str, other: &str) -> bool {
        (self.from == one && self.to == other) || (self.from == other && self.to == one)
    }

    /// What it carries from this device to the other end.
    pub fn bandwidth_from(&self, device: &str) -> &Reading<Figure> {
        if device == self.from { &self.bandwidth_up } else { &self.bandwidth_down }
    }

    /// How long it takes until all of so many bytes from this device have reached the other end:
    /// `round trip / 2 + bytes / bandwidth / (1 - loss)`. The errors of both terms add up like independent ones.
    pub fn transfer_time(&self, from: &str, bytes: u64) -> Reading<Figure> {
        let bandwidth = self.bandwidth_from(from);
        let at = bandwidth.at();
        let (latency, rate) = match (self.latency_p50.get(), bandwidth.get()) {
            (Some(latency), Some(rate)) if rate.value > 0.0 => (latency, rate),
            (None, _) => return missing("latency", &self.latency_p50),
            _ => return missing("bandwidth", bandwidth),
        };
        // A loss that is not known is left out: it is what the bandwidth was measured with anyway.
        let arrives = 1.0 - self.loss.get().map_or(0.0, |loss| loss.value.clamp(0.0, 0.99));
        let carrying = bytes as f64 / rate.value / arrives;
        let off = (latency.error / 2.0).hypot(carrying * rate.error / rate.value);
        let sources = [self.latency_p50.source(), bandwidth.source()];
        let figure = Figure::new(latency.value / 2.0 + carrying, off);
        combined(figure, &sources, || "from readings that are estimates themselves".into(), at)
    }

    /// When anything about it was last measured.
    pub fn measured_at(&self) -> Option<Timestamp> {
        [&self.latency_p50, &self.bandwidth_up, &self.bandwidth_down]
            .into_iter()
            .filter(|reading| reading.source() != Source::Unavailable)
            .map(Reading::at)
            .max()
    }
}

fn missing(what: &str, reading: &Reading<Figure>) -> Reading<Figure> {
    let why = reading.why().unwrap_or("it is 0");
    Reading::unavailable(format!("the {what} is not known: {why}"), reading.at())
}
