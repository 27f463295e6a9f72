//! Round trips and loss from echoes.

use std::{collections::VecDeque, time::Duration};

use super::figure::{Figure, Stamp};
use crate::{Now, reading::Reading};

/// As many echoes are remembered, answered or not.
const REMEMBERED: usize = 128;
/// As many answers make the latency: the newest.
const RECENT: usize = 64;
/// Fewer say nothing about the spread.
const FEWEST: usize = 5;

/// The last echoes of one link.
#[derive(Debug, Clone, Default)]
pub struct Echoes {
    /// The round trip in seconds; nothing if no answer came.
    log: VecDeque<Option<f64>>,
    last: Option<Stamp>,
    last_answer: Option<Stamp>,
}

/// Latency as round trips, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    /// The shortest: the path without queues.
    pub min: Reading<Figure>,
    /// The median: what to expect.
    pub p50: Reading<Figure>,
    /// The median change from one round trip to the next: robust against a single late answer.
    pub jitter: Reading<Figure>,
}

impl Echoes {
    /// One echo came back after so long, or did not.
    pub fn record(&mut self, now: Now, round_trip: Option<Duration>) {
        if self.log.len() == REMEMBERED {
            self.log.pop_front();
        }
        self.log.push_back(round_trip.map(|time| time.as_secs_f64()));
        self.last = Some(now.into());
        if round_trip.is_some() {
            self.last_answer = self.last;
        }
    }

    /// How many answers are remembered.
    pub fn answers(&self) -> usize {
        self.log.iter().flatten().count()
    }

    /// The latency as it is known now.
    pub fn latency(&self, now: Now) -> Latency {
        let Some(measured) = self.last_answer.filter(|_| self.answers() >= FEWEST) else {
            let why = if self.last.is_none() { "not measured yet" } else { "too few echoes were answered" };
            let none = || Reading::unavailable(why, now.wall.into());
            return Latency { min: none(), p50: none(), jitter: none() };
        };
        let mut recent: Vec<f64> = self.log.iter().rev().flatten().take(RECENT).copied().collect();
        let mut changes: Vec<f64> = recent.windows(2).map(|pair| (pair[0] - pair[1]).abs()).collect();
        recent.sort_by(f64::total_cmp);
        changes.sort_by(f64::total_cmp);
        let second = recent.get(1).or(recent.first()).copied().unwrap_or_default();
        let least = recent.first().copied().unwrap_or_default();
        let figure = |figure: Figure| figure.aged(measured, now);
        Latency {
            min: figure(Figure::new(least, second - least)),
            p50: figure(median(&recent)),
            jitter: figure(median(&changes)),
        }
    }

    /// The part of the echoes that was not answered, with the 95% interval of Wilson as its error.
    pub fn loss(&self, now: Now) -> Reading<Figure> {
        let Some(measured) = self.last.filter(|_| self.log.len() >= FEWEST) else {
            return Reading::unavailable("not measured yet", now.wall.into());
        };
        let (sent, lost) = (self.log.len() as f64, (self.log.len() - self.answers()) as f64);
        Figure::new(lost / sent, wilson(lost / sent, sent)).aged(measured, now)
    }
}

/// The median of sorted values. Its error is half of the 95% interval that the ranks give: `n/2 ± √n`.
pub(super) fn median(sorted: &[f64]) -> Figure {
    let count = sorted.len();
    let at = |rank: f64| sorted.get((rank.max(0.0) as usize).min(count.saturating_sub(1))).copied();
    let (middle, spread) = ((count as f64 - 1.0) / 2.0, (count as f64).sqrt());
    let pick = |rank: f64| at(rank).unwrap_or_default();
    let value = f64::midpoint(pick(middle.floor()), pick(middle.ceil()));
    Figure::new(value, (pick((middle + spread).ceil()) - pick((middle - spread).floor())) / 2.0)
}

/// Half the width of Wilson's 95% interval of a proportion.
fn wilson(part: f64, of: f64) -> f64 {
    let z2 = 1.96f64.powi(2);
    1.96 / (1.0 + z2 / of) * (part * (1.0 - part) / of + z2 / (4.0 * of * of)).sqrt()
}
