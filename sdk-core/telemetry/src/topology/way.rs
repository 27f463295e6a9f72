//! What is known of one direction of a link, and which train is next.

use std::{collections::VecDeque, time::Duration};

use super::{
    Figure, Throughput,
    figure::{FORGOTTEN, Stamp},
    train::SHORTEST_SPAN,
    wire::{LARGEST_TRAIN, MOST_PACKETS, PACKET},
};
use crate::{Now, now::Moment, reading::Reading};

/// Bytes of a packet with its headers, by the smaller ones.
const ON_THE_NETWORK: f64 = PACKET as f64 + 28.0;
/// The first train: small, because nothing is known of the link.
const FIRST_TRAIN: u32 = 64 << 10;
/// Each next train until one is conclusive.
const GROWTH: u32 = 8;
/// A train that is conclusive lasts about so long.
const GOOD_SPAN: Duration = Duration::from_millis(100);
/// Soon enough again, while too little is known.
const SOON: Duration = Duration::from_secs(2);
/// Often enough, once enough is known: before the figure is no longer fresh.
const SELDOM: Duration = Duration::from_secs(150);
/// As many conclusive trains make the figure, and make it known well enough.
const REMEMBERED: usize = 5;
const ENOUGH: usize = 3;
/// A rate so many times higher or lower is that of another link: the phone moved, the cable was pulled.
const ANOTHER: f64 = 1.5;

/// One direction of a link.
#[derive(Debug, Clone)]
pub(super) struct Way {
    known: VecDeque<(Stamp, Throughput)>,
    /// The newest train, if it was not conclusive.
    at_least: Option<(Stamp, Throughput)>,
    size: u32,
    /// Trains in a row that were not conclusive.
    in_vain: u32,
    pub(super) next: Moment,
}

impl Way {
    pub(super) const fn new(now: Moment) -> Self {
        Self { known: VecDeque::new(), at_least: None, size: FIRST_TRAIN, in_vain: 0, next: now }
    }

    /// A train arrived.
    pub(super) fn record(&mut self, now: Now, said: Throughput) {
        if !said.conclusive {
            if said.span < SHORTEST_SPAN || said.packets < self.packets() / 2 {
                self.size = self.size.saturating_mul(GROWTH).min(LARGEST_TRAIN);
            }
            self.at_least = Some((now.into(), said));
            self.next = now.mono + SOON.saturating_mul(1 << self.in_vain.min(8)).min(SELDOM);
            self.in_vain += 1;
            return;
        }
        (self.at_least, self.in_vain) = (None, 0);
        if self.known.len() == REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((now.into(), said));
        let is_odd = self.settle_a_change();
        // What came before the link held the sender back, and comes before it does so again.
        let burst = f64::from(said.packets) * ON_THE_NETWORK - said.rate.value * said.span.as_secs_f64();
        let wanted = burst.max(0.0) + said.rate.value * GOOD_SPAN.as_secs_f64();
        self.size = (wanted as u32).clamp(FIRST_TRAIN, LARGEST_TRAIN);
        self.next = now.mono + if self.known.len() < ENOUGH || is_odd { SOON } else { SELDOM };
    }

    /// One odd train is looked at again soon; two that agree with each other and not with those before them are a
    /// change, and those before are forgotten. Says whether the newest is odd.
    fn settle_a_change(&mut self) -> bool {
        let alike = |one: f64, other: f64| (1.0 / ANOTHER..=ANOTHER).contains(&(one / other));
        let mut newest = self.known.iter().rev().map(|(_, said)| said.rate.value);
        match (newest.next(), newest.next(), newest.next()) {
            (Some(last), Some(before), Some(first)) if alike(last, before) && !alike(before, first) => {
                self.known.drain(..self.known.len() - 2);
                false
            }
            (Some(last), Some(before), _) => !alike(last, before),
            _ => false,
        }
    }

    /// Nothing arrived, or the other side refused.
    pub(super) fn postpone(&mut self, until: Moment) {
        self.next = self.next.max(until);
    }

    /// What the other direction found out about the size holds here too, and it goes first until it is known.
    pub(super) fn follow(&mut self, other: &Self) {
        if self.known.is_empty() && self.at_least.is_none() {
            self.size = other.size;
            if !other.is_known() {
                self.postpone(other.next + Duration::from_millis(1));
            }
        }
    }

    /// Packets of the next train.
    pub(super) fn packets(&self) -> u32 {
        (self.size / ON_THE_NETWORK as u32).clamp(1, MOST_PACKETS)
    }

    /// Bytes a second, as far as anything is known, for the budget.
    pub(super) fn rate(&self) -> Option<f64> {
        let newest = self.known.back().copied().or(self.at_least);
        newest.map(|(_, said)| said.rate.value)
    }

    /// Whether enough trains were conclusive.
    pub(super) fn is_settled(&self) -> bool {
        self.known.len() >= ENOUGH
    }

    /// Whether at least one train was conclusive.
    pub(super) fn is_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// The bandwidth as it is known now: the second fastest of the last trains. A sender or a receiver that was kept
    /// waiting makes a train look slower, and next to nothing makes it look faster.
    pub(super) fn bandwidth(&self, now: Now) -> Reading<Figure> {
        let Some(&(newest, last)) = self.known.back() else {
            return match self.at_least {
                Some((stamp, said)) if now.mono.since(stamp.mono) < FORGOTTEN => {
                    let how = "at least this much; no train was large enough yet";
                    Reading::estimated(Figure::new(said.rate.value, said.rate.value), how, stamp.wall)
                }
                Some((stamp, _)) => Reading::unavailable("not measured for 10 minutes", stamp.wall),
                None => Reading::unavailable("not measured yet", now.wall.into()),
            };
        };
        let fresh = self.known.iter().filter(|(at, _)| now.mono.since(at.mono) < FORGOTTEN);
        let mut rates: Vec<f64> = fresh.map(|(_, said)| said.rate.value).collect();
        rates.sort_by(f64::total_cmp);
        let fastest = rates.last().copied().unwrap_or(last.rate.value);
        let value = rates.iter().rev().nth(1).copied().filter(|_| rates.len() > 2).unwrap_or(fastest);
        let spread = fastest - value;
        Figure::new(value, spread.max(last.rate.error)).aged(newest, now)
    }
}
