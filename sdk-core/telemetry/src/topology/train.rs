//! Bandwidth from a train of packets.
//!
//! Links let a first burst pass at full speed and only then hold the sender back (a token bucket: `tbf`, most routers,
//! most mobile plans). The burst takes little *time*, so the estimate looks at the part of the train that arrived after
//! the first quarter of the time; if the halves of that part disagree, the burst was still in it, and a later part is
//! tried. A train that was over too soon, or slows down to its end, is not believed: the next one is larger.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::figure::Figure;

/// A train that took less may have been the burst of a token bucket and nothing else.
pub const SHORTEST_SPAN: Duration = Duration::from_millis(25);
/// The parts of the time that are left out, with the burst in them, one after the other.
const BURST_PARTS: [f64; 4] = [0.25, 0.4, 0.55, 0.7];
/// Halves that differ by less than this part agree.
const AGREEMENT: f64 = 0.06;
/// As many points of the curve are looked at: enough for a median, few enough for a phone.
const POINTS: usize = 64;
/// Fewer packets after the burst say nothing.
const FEWEST: usize = 12;
/// No estimate claims to be better than this part of its value.
const LEAST_ERROR: f64 = 0.01;
/// With a larger error than this part of its value a train does not count.
const LARGEST_ERROR: f64 = 0.2;

/// When the bytes of one train arrived.
#[derive(Debug, Clone, Default)]
pub struct Arrivals {
    /// Since the first packet, and all bytes so far.
    curve: Vec<(f64, f64)>,
    first: Option<Duration>,
    bytes: f64,
}

/// What a train says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Bytes a second. At least this much, if the train is not conclusive.
    pub rate: Figure,
    /// Whether the train outlasted every burst and its halves agree.
    pub conclusive: bool,
    /// From the first packet to the last.
    pub span: Duration,
    /// Packets that arrived.
    pub packets: u32,
}

impl Arrivals {
    /// A packet of this size arrived; `at` is counted from any fixed moment.
    pub fn record(&mut self, at: Duration, bytes: usize) {
        let since = at.saturating_sub(*self.first.get_or_insert(at));
        self.bytes += bytes as f64;
        self.curve.push((since.as_secs_f64(), self.bytes));
    }

    /// How many packets arrived.
    pub fn packets(&self) -> usize {
        self.curve.len()
    }

    /// What the train says; nothing if hardly anything arrived.
    pub fn throughput(&self) -> Option<Throughput> {
        let &(span, bytes) = self.curve.last().filter(|_| self.packets() > 1)?;
        let tails: Vec<_> = BURST_PARTS.iter().filter_map(|part| self.tail(span, *part)).collect();
        let chosen = tails.iter().find(|tail| tail.agrees()).or(tails.first());
        // Too few packets after the burst: all that is known is how fast the burst was.
        let (rate, error) = chosen.map_or_else(
            || (bytes / span.max(1e-6), bytes / span.max(1e-6)),
            |tail| (tail.rate, tail.disagreement().max(tail.rate * LEAST_ERROR)),
        );
        let conclusive = span >= SHORTEST_SPAN.as_secs_f64()
            && chosen
                .is_some_and(|tail| tail.agrees() || (!tail.slows_down() && error <= rate * LARGEST_ERROR));
        Some(Throughput {
            rate: Figure::new(rate, error),
            conclusive,
            span: Duration::from_secs_f64(span),
            packets: self.curve.len() as u32,
        })
    }

    /// What arrived after this part of the time, if that is enough to say anything.
    fn tail(&self, span: f64, after: f64) -> Option<Tail> {
        let from = self.curve.partition_point(|(at, _)| *at < span * after);
        let points = thinned(self.curve.get(from..).filter(|tail| tail.len() >= FEWEST)?);
        let (early, late) = points.split_at(points.len() / 2);
        Some(Tail { rate: slope(&points)?, early: slope(early)?, late: slope(late)? })
    }
}

/// The end of a train: its rate, and the rates of its halves.
struct Tail {
    rate: f64,
    early: f64,
    late: f64,
}

impl Tail {
    fn disagreement(&self) -> f64 {
        (self.early - self.late).abs() / 2.0
    }

    fn agrees(&self) -> bool {
        self.disagreement() * 2.0 <= self.rate * AGREEMENT
    }

    /// As it would if the burst was not over.
    fn slows_down(&self) -> bool {
        self.early - self.late > self.rate * AGREEMENT
    }
}

/// At most [`POINTS`] of them, evenly spread, the first and the last among them.
fn thinned(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let last = curve.len().saturating_sub(1);
    let count = curve.len().min(POINTS);
    (0..count).filter_map(|index| curve.get(index * last / count.saturating_sub(1).max(1)).copied()).collect()
}

/// The median of the slopes between all pairs that are not too near (Theil and Sen): a receiver that was asleep for a
/// moment, or a network that delivers in lumps, moves it little.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (points.first()?.0, points.last()?.0);
    let nearest = (last - first) / 8.0;
    let mut slopes: Vec<f64> = Vec::with_capacity(points.len() * points.len() / 2);
    for (index, (early, below)) in points.iter().enumerate() {
        let later = points.iter().skip(index + 1);
        slopes.extend(
            later
                .filter(|(late, _)| *late - early >= nearest && *late > *early)
                .map(|(late, above)| (above - below) / (late - early)),
        );
    }
    let middle = slopes.len() / 2;
    if slopes.is_empty() {
        return None;
    }
    let (_, median, _) = slopes.select_nth_unstable_by(middle, f64::total_cmp);
    Some(*median).filter(|slope| slope.is_finite() && *slope > 0.0)
}
