//! The past in a fixed number of points, for charts.
//!
//! Time is cut into slots of one width; each keeps the least, the mean and the greatest of what was measured in it. A
//! slot in which nothing was measured stays empty: a chart shows a gap there, not a line. One ring with narrow slots
//! and one with wide slots show the last minute and the last day in a few kilobytes.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::now::Moment;

/// What was measured in one slot of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The least.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The greatest.
    pub max: f64,
    /// Of how many.
    pub count: u32,
}

/// A ring of points. Pushing never allocates.
#[derive(Debug, Clone)]
pub struct History {
    slots: Box<[Option<Point>]>,
    width: Duration,
    /// The number of the newest slot, counted from the start of the clock.
    newest: Option<u64>,
}

impl History {
    /// Room for so many points of this width; at least one of a millisecond.
    pub fn new(points: usize, width: Duration) -> Self {
        Self {
            slots: vec![None; points.max(1)].into_boxed_slice(),
            width: width.max(Duration::from_millis(1)),
            newest: None,
        }
    }

    /// Adds a value. What is not a number, or older than the ring, is left out.
    pub fn push(&mut self, at: Moment, value: f64) {
        if !value.is_finite() {
            return;
        }
        let slot = self.slot(at);
        let newest = self.newest.map_or(slot, |newest| newest.max(slot));
        if newest - slot >= self.slots.len() as u64 {
            return;
        }
        self.advance(newest);
        let place = self.place(slot);
        let Some(point) = self.slots.get_mut(place) else { return };
        *point = Some(match *point {
            None => Point { min: value, mean: value, max: value, count: 1 },
            Some(old) => {
                let count = old.count.saturating_add(1);
                // Written so that neither a long sum nor a large value overflows.
                let mean = old.mean + (value / f64::from(count) - old.mean / f64::from(count));
                Point { min: old.min.min(value), mean, max: old.max.max(value), count }
            }
        });
    }

    /// The points up to now, oldest first, and when each begins. Empty slots are `None`.
    pub fn points(&self, now: Moment) -> impl Iterator<Item = (Moment, Option<Point>)> + '_ {
        let last = self.slot(now).max(self.newest.unwrap_or(0));
        let first = (last + 1).saturating_sub(self.slots.len() as u64);
        (first..=last).map(move |slot| {
            let kept =
                self.newest.is_some_and(|newest| slot <= newest && newest - slot < self.slots.len() as u64);
            let point = if kept { self.slots.get(self.place(slot)).copied().flatten() } else { None };
            (self.start(slot), point)
        })
    }

    /// How much time one point covers.
    pub const fn width(&self) -> Duration {
        self.width
    }

    /// Empties the slots between the newest one and this.
    fn advance(&mut self, to: u64) {
        let from = self.newest.replace(to);
        let Some(from) = from.filter(|from| *from < to) else { return };
        if to - from >= self.slots.len() as u64 {
            self.slots.fill(None);
            return;
        }
        for slot in from + 1..=to {
            let place = self.place(slot);
            if let Some(point) = self.slots.get_mut(place) {
                *point = None;
            }
        }
    }

    fn slot(&self, at: Moment) -> u64 {
        let slot = at.since_start().as_nanos() / self.width.as_nanos();
        u64::try_from(slot).unwrap_or(u64::MAX - 1)
    }

    fn start(&self, slot: u64) -> Moment {
        let nanos = u128::from(slot) * self.width.as_nanos();
        let (seconds, rest) = (nanos / 1_000_000_000, (nanos % 1_000_000_000) as u32);
        Moment::after_start(Duration::new(u64::try_from(seconds).unwrap_or(u64::MAX), rest))
    }

    const fn place(&self, slot: u64) -> usize {
        (slot % self.slots.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn at(millis: u64) -> Moment {
        Moment::after_start(Duration::from_millis(millis))
    }

    fn seconds(points: usize) -> History {
        History::new(points, Duration::from_secs(1))
    }

    #[test]
    fn a_slot_keeps_the_least_the_mean_and_the_greatest() {
        let mut history = seconds(3);
        for (millis, value) in [(0, 2.0), (300, 6.0), (999, 4.0), (1_000, 9.0)] {
            history.push(at(millis), value);
        }
        let points: Vec<_> = history.points(at(1_500)).collect();
        assert_eq!(points[0], (at(0), Some(Point { min: 2.0, mean: 4.0, max: 6.0, count: 3 })));
        assert_eq!(points[1].1.map(|point| point.mean), Some(9.0));
    }

    #[test]
    fn silence_is_a_gap_and_not_a_line() {
        let mut history = seconds(5);
        history.push(at(0), 1.0);
        history.push(at(3_000), 2.0);
        let there: Vec<bool> = history.points(at(4_000)).map(|(_, point)| point.is_some()).collect();
        assert_eq!(there, [true, false, false, true, false]);
    }

    #[test]
    fn what_is_older_than_the_ring_is_gone() {
        let mut history = seconds(2);
        history.push(at(0), 1.0);
        history.push(at(60_000), 2.0);
        history.push(at(0), 3.0);
        assert_eq!(history.points(at(60_000)).filter_map(|(_, point)| point).count(), 1);
        assert_eq!(history.points(at(90_000)).filter_map(|(_, point)| point).count(), 0);
        history.push(at(61_000), f64::NAN);
        assert_eq!(history.points(at(61_000)).filter_map(|(_, point)| point).count(), 1);
    }

    #[test]
    fn it_agrees_with_one_that_keeps_everything() {
        let mut random = Random::seeded(11);
        for _ in 0..100 {
            let points = 1 + random.below(20) as usize;
            let (mut history, mut all, mut now) = (seconds(points), Vec::new(), 0);
            for _ in 0..random.below(200) {
                now += random.below(1_500);
                let value = random.fraction() * 100.0;
                history.push(at(now), value);
                all.push((now / 1_000, value));
            }
            for (start, point) in history.points(at(now)) {
                let slot = start.since_start().as_secs();
                let same: Vec<f64> =
                    all.iter().filter(|(s, _)| *s == slot).map(|(_, value)| *value).collect();
                assert_eq!(point.map_or(0, |point| point.count as usize), same.len());
                let Some(point) = point else { continue };
                let mean = same.iter().sum::<f64>() / same.len() as f64;
                assert!((point.mean - mean).abs() < 1e-9);
                assert_eq!(point.max, same.iter().copied().fold(f64::MIN, f64::max));
                assert_eq!(point.min, same.iter().copied().fold(f64::MAX, f64::min));
            }
        }
    }
}
