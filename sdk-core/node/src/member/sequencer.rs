//! The log in its order: events by index, holes healed.
//!
//! ```text
//! snapshot says 41 ....... next is 42
//! 42 43 .. 45 46 ......... 44 is missing: 45 and 46 are held, a NACK from 44 is due in 0.5 s, then 1, 2, 4 ... 10 s
//! 44 ..................... 44, 45, 46 are released; the count of tries begins again
//! 99999 .................. too far ahead to be a hole: ask for a snapshot, believe nothing
//! ```
//! A master answers a NACK by sending up to 1000 events again *to everyone*, so one is sent only for a hole of a size
//! that it can fill, and with some jitter: another member's answer often fills ours. All else is left to snapshots.
//! Where no snapshot can be had the log is entered at the first event heard, and the view is known to be partial.

use std::{collections::BTreeMap, time::Duration};

use crate::{Random, now::Moment};

/// As much as a master sends again at once. What lies further ahead is not held.
const WINDOW: u64 = 1000;
/// What is held may not take more than this.
const HELD_BYTES: usize = 4 << 20;
const FIRST_NACK: Duration = Duration::from_millis(500);
const LAST_NACK: Duration = Duration::from_secs(10);
/// After that many NACKs without progress a snapshot is wanted.
const PATIENCE: u32 = 4;
/// Events that neither follow nor fill anything for that long mean that we stand at the wrong place.
const LOST: Duration = Duration::from_secs(10);
/// Between two requests for a snapshot.
const SNAPSHOTS: Duration = Duration::from_secs(10);

/// Where an event belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the next: apply it now, then what [`Sequencer::release`] gives.
    Next,
    /// It was applied before, or is part of a snapshot.
    Old,
    /// It was kept for later.
    Held,
    /// It is too far ahead to be kept.
    Far,
}

/// What would heal a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// The events from this index on.
    Replay(u64),
    /// A snapshot; or, if none can be had, [`Sequencer::start_over`].
    Snapshot,
}

#[derive(Debug)]
struct Nack {
    due: Moment,
    tries: u32,
}

/// Puts the events of one session in order.
#[derive(Debug)]
pub(super) struct Sequencer {
    /// `None` until a snapshot came or it is known that none will.
    next: Option<u64>,
    /// Whether everything before `next` is known.
    complete: bool,
    /// Whether the next event heard is taken as the beginning.
    anywhere: bool,
    held: BTreeMap<u64, Box<[u8]>>,
    held_bytes: usize,
    nack: Option<Nack>,
    progress: Moment,
    lost: bool,
    astray: bool,
    heard: Option<u64>,
    far: Option<u64>,
    asked: Option<Moment>,
}

impl Sequencer {
    /// Waits for a snapshot, and holds meanwhile what comes.
    pub(super) fn new(now: Moment) -> Self {
        Self {
            next: None,
            complete: false,
            anywhere: false,
            held: BTreeMap::new(),
            held_bytes: 0,
            nack: None,
            progress: now,
            lost: false,
            astray: false,
            heard: None,
            far: None,
            asked: None,
        }
    }

    /// The last index up to which everything is known; `None` while the view is partial.
    pub(super) fn complete_to(&self) -> Option<u64> {
        self.next.filter(|_| self.complete).and_then(|next| next.checked_sub(1))
    }

    /// Whether we have a place in the log.
    pub(super) const fn is_placed(&self) -> bool {
        self.next.is_some()
    }

    /// Whether all that is heard lies far behind us: our place came from a state that was not of this session.
    pub(super) const fn is_astray(&self) -> bool {
        self.astray
    }

    /// The greatest index that was heard, as far as it can be believed. What a snapshot says does not count.
    pub(super) fn newest(&self) -> Option<u64> {
        self.heard.max(self.far)
    }

    /// An event of our session came; `payload` is kept if it must wait.
    pub(super) fn hear(&mut self, now: Moment, index: u64, payload: &[u8], random: &mut Random) -> Place {
        let place = self.place(now, index, payload, random);
        if place != Place::Far {
            self.heard = self.heard.max(Some(index));
        }
        place
    }

    fn place(&mut self, now: Moment, index: u64, payload: &[u8], random: &mut Random) -> Place {
        let Some(next) = self.next else {
            // The very first event of a session needs no snapshot.
            self.complete = index == 0;
            if self.anywhere || index == 0 {
                self.enter(now, index);
                return Place::Next;
            }
            self.hold(index, payload);
            return Place::Held;
        };
        if index == next {
            self.advance(now, next);
            return Place::Next;
        }
        if index < next || index - next > WINDOW {
            self.lost |= index > next || now.since(self.progress) >= LOST;
            self.astray |= index < next && now.since(self.progress) >= LOST;
            self.far = self.far.max((index > next).then_some(index));
            return if index < next { Place::Old } else { Place::Far };
        }
        self.hold(index, payload);
        self.arm(now, random);
        Place::Held
    }

    /// What was held and is next now.
    pub(super) fn release(&mut self, now: Moment) -> Option<Box<[u8]>> {
        let next = self.next?;
        let payload = self.held.remove(&next)?;
        self.held_bytes = self.held_bytes.saturating_sub(payload.len());
        self.advance(now, next);
        Some(payload)
    }

    /// A snapshot came that holds everything up to and including `last`; -1 is an empty log.
    pub(super) fn snapshot(&mut self, now: Moment, last: i64) {
        let next = last.saturating_add(1).max(0) as u64;
        self.complete = true;
        self.enter(now, next.saturating_sub(1));
        self.next = Some(next);
        self.keep_between(next);
    }

    /// No snapshot can be had: enters the log at the oldest event held within reach, or at the next that comes.
    pub(super) fn start_over(&mut self, now: Moment) {
        self.complete = false;
        self.next = None;
        self.anywhere = true;
        // What was heard first may be a lie; what most of the held events surround is not. The middle is.
        let middle = self.held.len() / 2;
        if let Some(middle) = self.held.keys().nth(middle).copied() {
            let start = middle.saturating_sub(WINDOW / 2);
            let first = self.held.range(start..).next().map_or(middle, |(index, _)| *index);
            self.next = Some(first);
            self.keep_between(first);
        }
        self.lost = false;
        self.nack = None;
        self.progress = now;
    }

    /// What is wanted now, once.
    pub(super) fn due(&mut self, now: Moment, random: &mut Random) -> Option<Want> {
        if !self.held.is_empty() && self.next.is_some() {
            self.arm(now, random);
        }
        if self.lost && self.asked.is_none_or(|asked| now.since(asked) >= SNAPSHOTS) {
            return Some(self.ask(now));
        }
        let next = self.next?;
        let nack = self.nack.as_mut().filter(|nack| nack.due <= now)?;
        nack.tries = nack.tries.saturating_add(1);
        nack.due = now + backoff(nack.tries, random);
        let impatient = nack.tries > PATIENCE && self.asked.is_none_or(|asked| now.since(asked) >= SNAPSHOTS);
        Some(if impatient { self.ask(now) } else { Want::Replay(next) })
    }

    /// When [`Self::due`] will want something.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let lost = self.lost.then(|| self.asked.map_or(self.progress, |asked| asked + SNAPSHOTS));
        let nack = self.nack.as_ref().map(|nack| nack.due);
        [lost, nack].into_iter().flatten().min()
    }

    fn ask(&mut self, now: Moment) -> Want {
        self.asked = Some(now);
        self.lost = false;
        Want::Snapshot
    }

    fn enter(&mut self, now: Moment, index: u64) {
        self.anywhere = false;
        self.asked = None;
        self.far = None;
        self.advance(now, index);
    }

    fn advance(&mut self, now: Moment, index: u64) {
        self.next = Some(index.saturating_add(1));
        self.nack = None;
        (self.lost, self.astray) = (false, false);
        self.progress = now;
    }

    fn arm(&mut self, now: Moment, random: &mut Random) {
        if self.nack.is_none() {
            self.nack = Some(Nack { due: now + backoff(0, random), tries: 0 });
        }
    }

    /// Full, the events furthest ahead go first: a replay brings them again. While nothing is placed the oldest go:
    /// the snapshot that is awaited will hold them.
    fn hold(&mut self, index: u64, payload: &[u8]) {
        if self.held.contains_key(&index) {
            return;
        }
        self.held_bytes = self.held_bytes.saturating_add(payload.len());
        self.held.insert(index, payload.into());
        while self.held.len() > WINDOW as usize || self.held_bytes > HELD_BYTES {
            let gone = if self.next.is_some() { self.held.pop_last() } else { self.held.pop_first() };
            let Some((_, payload)) = gone else { break };
            self.held_bytes = self.held_bytes.saturating_sub(payload.len());
        }
    }

    fn keep_between(&mut self, next: u64) {
        self.held.retain(|index, _| *index >= next && *index - next <= WINDOW);
        self.held_bytes = self.held.values().map(|payload| payload.len()).sum();
        // An index out of all reason was a lie, and is forgotten with what was held.
        self.heard = self.heard.filter(|heard| *heard <= next.saturating_add(WINDOW));
    }
}

/// exo's own: 0.5 s, doubled each time, at most 10 s; ours with up to a quarter more.
fn backoff(tries: u32, random: &mut Random) -> Duration {
    let wait = FIRST_NACK.saturating_mul(1 << tries.min(5)).min(LAST_NACK);
    wait.mul_f64(1.0 + random.fraction() / 4.0).min(LAST_NACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Story {
        sequencer: Sequencer,
        random: Random,
        applied: Vec<u64>,
        wants: Vec<(u64, Want)>,
        clock: Moment,
    }

    fn at(millis: u64) -> Moment {
        Moment::after_start(Duration::from_millis(millis))
    }

    impl Story {
        fn waiting() -> Self {
            Self {
                sequencer: Sequencer::new(at(0)),
                random: Random::seeded(1),
                applied: Vec::new(),
                wants: Vec::new(),
                clock: at(0),
            }
        }

        fn from_snapshot(last: i64) -> Self {
            let mut story = Self::waiting();
            story.snapshot(last);
            story
        }

        fn hears(&mut self, indices: impl IntoIterator<Item = u64>) -> &mut Self {
            for index in indices {
                let payload = index.to_le_bytes();
                if self.sequencer.hear(self.clock, index, &payload, &mut self.random) == Place::Next {
                    self.applied.push(index);
                }
                self.release();
            }
            self
        }

        fn snapshot(&mut self, last: i64) -> &mut Self {
            self.sequencer.snapshot(self.clock, last);
            self.release();
            self
        }

        fn release(&mut self) {
            while let Some(payload) = self.sequencer.release(self.clock) {
                self.applied.push(u64::from_le_bytes(payload[..].try_into().unwrap()));
            }
        }

        /// Lets time pass as the member does: it asks what is due after each input and at each deadline.
        fn until(&mut self, millis: u64) -> &mut Self {
            for _ in 0..1000 {
                if let Some(want) = self.sequencer.due(self.clock, &mut self.random) {
                    self.wants.push((self.clock.since_start().as_millis() as u64, want));
                    continue;
                }
                let Some(deadline) = self.sequencer.deadline().filter(|deadline| *deadline <= at(millis))
                else {
                    self.clock = self.clock.max(at(millis));
                    return self;
                };
                self.clock = self.clock.max(deadline);
            }
            panic!("the deadline does not move");
        }
    }

    #[test]
    fn a_place_that_came_from_another_session_is_noticed_when_all_that_is_heard_lies_behind_it() {
        let mut story = Story::from_snapshot(1530);
        for second in 1..=9 {
            story.until(second * 1000).hears([second]);
        }
        assert!(!story.sequencer.is_astray(), "it may be a replay for somebody else");
        story.until(11_000).hears([11]);
        assert!(story.sequencer.is_astray());
        assert_eq!(story.sequencer.newest(), Some(11), "the snapshot does not count");
        story.snapshot(10).hears([11]);
        assert!(!story.sequencer.is_astray());
        assert_eq!(story.applied, [11]);
    }

    #[test]
    fn the_log_goes_on_after_the_snapshot() {
        let mut story = Story::waiting();
        story.hears([40, 41, 42, 43]);
        assert!(story.applied.is_empty() && story.sequencer.complete_to().is_none());
        story.snapshot(41).hears([44]);
        assert_eq!(story.applied, [42, 43, 44]);
        assert_eq!(story.sequencer.complete_to(), Some(44));
    }

    #[test]
    fn an_empty_log_begins_at_zero() {
        let mut story = Story::from_snapshot(-1);
        story.hears([0, 1]);
        assert_eq!(story.applied, [0, 1]);
    }

    #[test]
    fn a_session_heard_from_its_first_event_needs_no_snapshot() {
        let mut story = Story::waiting();
        story.hears([0, 1]);
        assert_eq!(story.applied, [0, 1]);
        assert_eq!(story.sequencer.complete_to(), Some(1));
    }

    #[test]
    fn without_a_snapshot_the_log_is_entered_at_the_first_event_and_the_view_is_partial() {
        let mut story = Story::waiting();
        story.sequencer.start_over(at(0));
        story.hears([7, 8]);
        assert_eq!(story.applied, [7, 8]);
        assert_eq!(story.sequencer.complete_to(), None);
    }

    #[test]
    fn duplicates_and_old_events_are_ignored() {
        let mut story = Story::from_snapshot(9);
        story.hears([10, 10, 3, 11, 13, 13, 12, 12]).until(60_000);
        assert_eq!(story.applied, [10, 11, 12, 13]);
        assert!(story.wants.is_empty());
    }

    #[test]
    fn a_gap_is_healed_by_one_nack_with_backoff() {
        let mut story = Story::from_snapshot(9);
        story.hears([10, 12, 13]).until(499);
        assert!(story.wants.is_empty(), "a late event gets half a second");
        story.until(700);
        assert_eq!(story.wants.iter().map(|(_, want)| *want).collect::<Vec<_>>(), [Want::Replay(11)]);
        story.until(1500);
        assert_eq!(story.wants.len(), 1, "the second try waits a second");
        story.until(1900);
        assert_eq!(story.wants.len(), 2);
        story.hears([11]).until(60_000);
        assert_eq!(story.applied, [10, 11, 12, 13]);
        assert_eq!(story.wants.len(), 2, "healed: no more");
    }

    #[test]
    fn progress_makes_the_next_gap_begin_with_the_short_wait() {
        let mut story = Story::from_snapshot(9);
        story.hears([11]).until(5_000);
        assert!(story.wants.len() >= 3);
        story.hears([10, 13]);
        story.wants.clear();
        story.until(5_700);
        assert_eq!(story.wants.len(), 1);
        assert_eq!(story.wants[0].1, Want::Replay(12));
    }

    #[test]
    fn a_second_hole_behind_the_first_is_healed_too() {
        let mut story = Story::from_snapshot(0);
        story.hears([2, 4]).until(700).hears([1]).until(1_400);
        assert_eq!(story.applied, [1, 2]);
        assert_eq!(
            story.wants.iter().map(|(_, want)| *want).collect::<Vec<_>>(),
            [Want::Replay(1), Want::Replay(3)]
        );
    }

    #[test]
    fn a_gap_that_no_nack_heals_wants_a_snapshot() {
        let mut story = Story::from_snapshot(0);
        story.hears([2]).until(30_000);
        let first = story.wants.iter().position(|(_, want)| *want == Want::Snapshot).unwrap();
        assert_eq!(first, PATIENCE as usize);
        story.snapshot(5).hears([6]);
        assert_eq!(story.applied, [6]);
    }

    #[test]
    fn a_jump_of_more_than_a_replay_wants_a_snapshot_at_once_and_holds_nothing() {
        let mut story = Story::from_snapshot(0);
        story.hears([5_000]).until(0);
        assert_eq!(story.wants, [(0, Want::Snapshot)]);
        assert!(story.sequencer.held.is_empty());
    }

    #[test]
    fn a_host_that_lies_about_indices_costs_one_snapshot_in_ten_seconds_and_no_memory() {
        let mut story = Story::from_snapshot(0);
        for second in 0..60 {
            let lies = (0..200).map(|n| 1_000_000 + n * 7_919);
            story.until(second * 1000).hears(lies).hears([second + 1]);
        }
        assert_eq!(story.applied.len(), 60);
        assert!(story.wants.len() <= 7, "{:?}", story.wants);
        assert!(story.sequencer.held.len() <= WINDOW as usize);
    }

    #[test]
    fn standing_at_the_wrong_place_for_ten_seconds_wants_a_snapshot() {
        let mut story = Story::from_snapshot(1_000_000);
        story.hears([40, 41]).until(9_000).hears([42]);
        assert!(story.wants.is_empty(), "this may be a replay for somebody else");
        story.until(11_000).hears([43]).until(11_000);
        assert_eq!(story.wants, [(11_000, Want::Snapshot)]);
    }

    #[test]
    fn a_lie_before_the_start_does_not_decide_where_the_log_is_entered() {
        let mut story = Story::waiting();
        story.hears([u64::MAX - 5]).hears(100..120);
        story.sequencer.start_over(at(0));
        story.release();
        assert_eq!(story.applied, (100..120).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_held_is_bounded_in_number_and_bytes() {
        let mut random = Random::seeded(3);
        let mut sequencer = Sequencer::new(at(0));
        let big = vec![b'x'; 1 << 20];
        for index in 0..5_000 {
            sequencer.hear(at(0), index * 2, if index % 100 == 0 { &big } else { b"small" }, &mut random);
            assert!(sequencer.held.len() <= WINDOW as usize && sequencer.held_bytes <= HELD_BYTES);
        }
    }
}
