//! What came, what is missing, what came twice.

use serde::{Deserialize, Serialize};

/// How far back a message may come and still be told apart from a repetition.
const WINDOW: u64 = 64;

/// How one message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Newer than all others.
    Newest,
    /// After newer ones, and missed until now.
    Late,
    /// Again.
    Duplicate,
    /// So late that it cannot be told whether it came before.
    TooOld,
}

/// How a device's messages came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages that were taken.
    pub taken: u64,
    /// Messages that were sent and have not come.
    pub lost: u64,
    /// Messages that came after newer ones.
    pub late: u64,
    /// Messages that came again, or too late to tell.
    pub repeated: u64,
    /// Runs of the device: how often its telemetry started.
    pub runs: u64,
}

/// The sequence numbers of one run.
#[derive(Debug, Clone, Default)]
pub(super) struct Sequences {
    /// The highest that came, and which of the `WINDOW` up to it came: bit 0 is the highest.
    newest: Option<(u64, u64)>,
    first: u64,
    /// All up to here came since everything was told.
    whole: Option<u64>,
}

impl Sequences {
    /// Judges a message and counts it.
    pub(super) fn arrived(&mut self, sequence: u64, traffic: &mut Traffic) -> Arrival {
        let Some((newest, seen)) = self.newest else {
            (self.newest, self.first) = (Some((sequence, 1)), sequence);
            traffic.taken += 1;
            return Arrival::Newest;
        };
        if sequence > newest {
            let ahead = sequence - newest;
            let seen = if ahead < WINDOW { seen << ahead } else { 0 };
            self.newest = Some((sequence, seen | 1));
            traffic.lost = traffic.lost.saturating_add(ahead - 1);
            traffic.taken += 1;
            self.follow();
            return Arrival::Newest;
        }
        let behind = newest - sequence;
        if behind >= WINDOW {
            traffic.repeated += 1;
            return Arrival::TooOld;
        }
        if seen & (1 << behind) != 0 {
            traffic.repeated += 1;
            return Arrival::Duplicate;
        }
        self.newest = Some((newest, seen | (1 << behind)));
        traffic.taken += 1;
        traffic.late += 1;
        // What was sent before we listened was never counted as lost.
        if sequence > self.first {
            traffic.lost = traffic.lost.saturating_sub(1);
        }
        self.follow();
        Arrival::Late
    }

    /// Everything was told in this message.
    pub(super) fn told_everything(&mut self, sequence: u64) {
        self.whole = self.whole.max(Some(sequence));
        self.follow();
    }

    /// Whether everything was told once, and nothing was missed since.
    pub(super) fn is_whole(&self) -> bool {
        matches!((self.whole, self.newest), (Some(whole), Some((newest, _))) if whole >= newest)
    }

    fn follow(&mut self) {
        let (Some(whole), Some((newest, seen))) = (&mut self.whole, self.newest) else { return };
        while *whole < newest {
            let behind = newest - *whole - 1;
            if behind >= WINDOW || seen & (1 << behind) == 0 {
                return;
            }
            *whole += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn after(sequences: &[u64]) -> (Sequences, Traffic, Vec<Arrival>) {
        let (mut state, mut traffic) = (Sequences::default(), Traffic::default());
        let arrivals = sequences.iter().map(|sequence| state.arrived(*sequence, &mut traffic)).collect();
        (state, traffic, arrivals)
    }

    #[test]
    fn a_gap_is_a_loss_until_what_was_missed_comes_late() {
        let (_, traffic, _) = after(&[0, 1, 4]);
        assert_eq!((traffic.taken, traffic.lost, traffic.late), (3, 2, 0));
        let (_, traffic, arrivals) = after(&[0, 1, 4, 3, 2]);
        assert_eq!((traffic.taken, traffic.lost, traffic.late), (5, 0, 2));
        assert_eq!(arrivals[3..], [Arrival::Late, Arrival::Late]);
    }

    #[test]
    fn what_comes_twice_is_taken_once() {
        let (_, traffic, arrivals) = after(&[7, 8, 8, 7, 9]);
        assert_eq!(arrivals[2..4], [Arrival::Duplicate, Arrival::Duplicate]);
        assert_eq!((traffic.taken, traffic.lost, traffic.repeated), (3, 0, 2));
    }

    #[test]
    fn what_comes_after_an_age_is_not_taken() {
        assert_eq!(after(&[0, 100, 36]).2[2], Arrival::TooOld);
        assert_eq!(after(&[0, 100, 37]).2[2], Arrival::Late);
    }

    #[test]
    fn who_listens_from_the_middle_has_lost_nothing() {
        let (_, traffic, _) = after(&[1_000, 1_001, 999]);
        assert_eq!((traffic.taken, traffic.lost, traffic.late), (3, 0, 1));
    }

    #[test]
    fn the_picture_is_whole_after_everything_was_told_and_nothing_missed() {
        let (mut state, mut traffic, _) = after(&[0, 1]);
        assert!(!state.is_whole());
        state.told_everything(1);
        assert!(state.is_whole());
        state.arrived(3, &mut traffic);
        assert!(!state.is_whole(), "2 is missing");
        state.arrived(2, &mut traffic);
        assert!(state.is_whole());
        state.arrived(500, &mut traffic);
        assert!(!state.is_whole());
        state.told_everything(500);
        assert!(state.is_whole());
    }

    #[test]
    fn numbers_from_anywhere_neither_overflow_nor_count_more_than_came() {
        let mut random = Random::seeded(3);
        for _ in 0..200 {
            let (mut state, mut traffic) = (Sequences::default(), Traffic::default());
            for _ in 0..300 {
                let sequence = match random.below(4) {
                    0 => random.bits(),
                    1 => u64::MAX - random.below(80),
                    _ => random.below(200),
                };
                state.arrived(sequence, &mut traffic);
                if random.below(5) == 0 {
                    state.told_everything(sequence);
                }
            }
            assert_eq!(traffic.taken + traffic.repeated, 300);
        }
    }
}
