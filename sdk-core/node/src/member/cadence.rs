//! How often to speak.
//!
//! A master forgets a node after 30 s of silence, and its log never forgets an event. So one event goes out every
//! 5 to 10 s, every second while our own screen is shown, and never less often than every 14.5 s. All members of this
//! SDK together stay under 20 events a second: each slows down with their number, up to 280 of them. Beyond that the
//! two rules cannot both hold; the node then keeps its place and says that the cluster is crowded.
//!
//! A phone that is itself the master of a cluster of phones speaks every second too, as exo's nodes do: everybody
//! takes a silent master for a dead one.

use std::time::Duration;

use crate::{Random, now::Moment};

const SHORTEST: Duration = Duration::from_secs(5);
const USUAL: Duration = Duration::from_secs(10);
const SHOWN: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_millis(14_500);
/// The probe is not waited for beyond this: under 15 s even if the driver wakes us a little late.
const LATEST: Duration = Duration::from_millis(14_800);
/// What all members of this SDK may say together in a second, with room for changes and for what is said again.
const TOGETHER: f64 = 16.0;
/// And what they may never exceed.
const LIMIT: f64 = 20.0;
/// Time enough for an acknowledgement that is on its way.
const SOON: Duration = Duration::from_millis(500);
/// How long the probe may take before something is said without it.
const PROBE: Duration = Duration::from_secs(1);

/// What the clock wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Ask the probe; the beat follows with its answer.
    Measure,
    /// The probe did not answer: beat without it.
    Beat,
}

/// The rhythm of one member.
#[derive(Debug)]
pub(super) struct Cadence {
    every: Duration,
    shown: bool,
    leads: bool,
    /// How many members of this SDK there are, us included.
    members: usize,
    next: Option<Moment>,
    answer_by: Option<Moment>,
    last: Moment,
}

impl Cadence {
    pub(super) fn new(every: Duration) -> Self {
        let every = every.clamp(SHORTEST, USUAL);
        Self {
            every,
            shown: false,
            leads: false,
            members: 1,
            next: None,
            answer_by: None,
            last: Moment::default(),
        }
    }

    /// Whether all members together speak more often than they should although each does as rarely as it may.
    pub(super) fn is_crowded(&self) -> bool {
        self.members as f64 / LONGEST.as_secs_f64() >= LIMIT
    }

    /// Everything was just said: the next beat comes at a random place in the interval, so that phones which joined
    /// together do not speak together for ever. Any place: leaving one out would crowd the others.
    pub(super) fn start(&mut self, now: Moment, random: &mut Random) {
        self.last = now;
        self.answer_by = None;
        self.next = Some(now + self.interval().mul_f64(random.fraction()));
    }

    /// Nothing may be said.
    pub(super) fn stop(&mut self) {
        (self.next, self.answer_by) = (None, None);
    }

    /// Our own screen is shown, or not.
    pub(super) fn screen(&mut self, shown: bool) {
        self.retimed(|cadence| cadence.shown = shown);
    }

    /// We are the master of the session, or not.
    pub(super) fn lead(&mut self, leads: bool) {
        self.retimed(|cadence| cadence.leads = leads);
    }

    /// So many members of this SDK are present.
    pub(super) fn count(&mut self, members: usize) {
        if self.members != members.max(1) {
            self.retimed(|cadence| cadence.members = members.max(1));
        }
    }

    /// The next beat is wanted soon.
    pub(super) fn hasten(&mut self, now: Moment) {
        self.next = self.next.map(|next| next.min(now + SOON));
    }

    /// The beat was said.
    pub(super) fn beaten(&mut self, now: Moment) {
        self.last = now;
        self.answer_by = None;
        if self.next.is_some() {
            self.next = Some(now + self.interval());
        }
    }

    /// Whether the probe's answer is awaited for a beat.
    pub(super) const fn awaits_probe(&self) -> bool {
        self.answer_by.is_some()
    }

    /// What is due, once.
    pub(super) fn due(&mut self, now: Moment) -> Option<Due> {
        if self.answer_by.is_some_and(|by| by <= now) {
            return Some(Due::Beat);
        }
        if self.answer_by.is_none() && self.next.is_some_and(|next| next <= now) {
            self.answer_by = Some((now + PROBE).min(self.last + LATEST).max(now));
            return Some(Due::Measure);
        }
        None
    }

    /// When [`Self::due`] will want something.
    pub(super) fn deadline(&self) -> Option<Moment> {
        self.answer_by.or(self.next)
    }

    fn interval(&self) -> Duration {
        let wanted = if self.shown || self.leads { SHOWN } else { self.every };
        wanted.max(Duration::from_secs_f64(self.members as f64 / TOGETHER)).min(LONGEST)
    }

    /// Keeps our place within the interval when the interval changes: a crowd that was spread evenly stays so.
    fn retimed(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.interval();
        change(self);
        let stretch = self.interval().div_duration_f64(before);
        self.next = self.next.map(|next| self.last + next.since(self.last).mul_f64(stretch).min(LONGEST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Moment {
        Moment::after_start(Duration::from_secs_f64(seconds))
    }

    /// The beats of so many seconds, the probe answering at once.
    fn beats(cadence: &mut Cadence, seconds: f64) -> Vec<f64> {
        let mut beats = vec![0.0];
        cadence.start(at(0.0), &mut Random::seeded(9));
        while let Some(now) = cadence.deadline().filter(|deadline| *deadline < at(seconds)) {
            assert_eq!(cadence.due(now), Some(Due::Measure));
            assert!(cadence.awaits_probe());
            cadence.beaten(now);
            beats.push(now.since_start().as_secs_f64());
        }
        beats
    }

    fn gaps(beats: &[f64]) -> impl Iterator<Item = f64> + '_ {
        beats.windows(2).map(|pair| pair[1] - pair[0])
    }

    #[test]
    fn something_is_said_every_ten_seconds_and_never_later() {
        let said = beats(&mut Cadence::new(USUAL), 600.0);
        assert!((60..=61).contains(&said.len()), "{}", said.len());
        assert!(gaps(&said).all(|gap| gap <= 10.001));
    }

    #[test]
    fn what_an_app_asks_for_is_brought_into_bounds() {
        assert_eq!(Cadence::new(Duration::ZERO).interval(), SHORTEST);
        assert_eq!(Cadence::new(Duration::from_hours(1)).interval(), USUAL);
    }

    #[test]
    fn while_the_screen_is_shown_it_is_every_second() {
        let mut cadence = Cadence::new(USUAL);
        cadence.screen(true);
        assert!(gaps(&beats(&mut cadence, 60.0)).all(|gap| gap <= 1.001));
        cadence.screen(false);
        assert!(beats(&mut cadence, 600.0).len() < 63);
    }

    #[test]
    fn a_phone_that_leads_speaks_every_second() {
        let mut cadence = Cadence::new(USUAL);
        cadence.lead(true);
        assert!(gaps(&beats(&mut cadence, 60.0)).all(|gap| gap <= 1.001));
    }

    #[test]
    fn many_members_together_stay_under_twenty_events_a_second_without_a_gap_over_fifteen() {
        for members in [1, 20, 100, 160, 200, 280] {
            for shown in [false, true] {
                let mut cadence = Cadence::new(SHORTEST);
                cadence.screen(shown);
                cadence.count(members);
                let said = beats(&mut cadence, 1000.0);
                let together = said.len() as f64 * members as f64 / 1000.0;
                assert!(together < LIMIT, "{members} members say {together} events a second");
                assert!(gaps(&said).all(|gap| gap < 15.0));
                assert!(!cadence.is_crowded());
            }
        }
    }

    #[test]
    fn a_crowd_that_joins_at_once_is_spread_evenly_also_while_its_members_learn_how_many_they_are() {
        let mut random = Random::seeded(3);
        let mut seconds = [0; 15];
        for _ in 0..10_000 {
            let mut cadence = Cadence::new(USUAL);
            cadence.start(at(0.0), &mut random);
            (1..=250).for_each(|members| cadence.count(members));
            seconds[cadence.deadline().unwrap().since_start().as_secs() as usize] += 1;
        }
        assert!(seconds[..14].iter().all(|beats| (600..800).contains(beats)), "{seconds:?}");
    }

    #[test]
    fn a_crowd_keeps_its_place_and_says_so() {
        let mut cadence = Cadence::new(USUAL);
        cadence.count(1000);
        assert!(cadence.is_crowded());
        assert!(gaps(&beats(&mut cadence, 600.0)).all(|gap| gap < 15.0));
    }

    #[test]
    fn a_probe_that_does_not_answer_costs_a_second_and_no_more() {
        let mut cadence = Cadence::new(USUAL);
        cadence.start(at(0.0), &mut Random::seeded(1));
        let now = cadence.deadline().unwrap();
        assert_eq!(cadence.due(now), Some(Due::Measure));
        assert_eq!(cadence.due(now), None);
        let late = cadence.deadline().unwrap();
        assert_eq!(late, now + PROBE);
        assert_eq!(cadence.due(late), Some(Due::Beat));
    }

    #[test]
    fn a_probe_that_is_late_never_makes_a_gap_of_fifteen_seconds() {
        let mut cadence = Cadence::new(USUAL);
        cadence.count(1000);
        cadence.start(at(0.0), &mut Random::seeded(3));
        let (mut last, mut longest) = (at(0.0), Duration::ZERO);
        for _ in 0..200 {
            let now = cadence.deadline().unwrap();
            if cadence.due(now) == Some(Due::Beat) {
                longest = longest.max(now.since(last));
                last = now;
                cadence.beaten(now);
            }
        }
        assert!(longest > LONGEST && longest < Duration::from_secs(15), "{longest:?}");
    }
}
