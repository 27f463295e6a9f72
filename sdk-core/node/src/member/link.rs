//! The link to a router: when to dial, when to doubt, when to dial another.
//!
//! ```text
//! lost ......... dial at once, the others first; then after 0.5, 1, 2, 2 ... s, and 4 s when that went on for long
//! nothing heard  for 6 s: dial again, another if there is one; then 12, 24, 48 s: a cluster may really be quiet
//! doubt ........ the network changed, or we slept: hear something within 2.5 s or dial again
//! ```
//! An exo node emits at least one event a second, so silence is a symptom. The waits are short because a healed
//! network should have us back within 5 s.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use exo_wire::{Zid, datagram::API_PORT};

use super::routers::Routers;
use crate::{
    Random,
    discovery::{Found, Locator},
    now::Moment,
};

const FIRST_WAIT: Duration = Duration::from_millis(500);
const USUAL_WAIT: Duration = Duration::from_secs(2);
const LAST_WAIT: Duration = Duration::from_secs(4);
/// After that many failures in a row (about two minutes) the wait is the last.
const MANY: u32 = 60;
/// The driver should have answered by then.
const DIAL: Duration = Duration::from_secs(6);
/// A dial older than that was begun on the network that was.
const YOUNG: Duration = Duration::from_millis(500);
const SILENCE: Duration = Duration::from_secs(6);
const LONGEST_SILENCE: Duration = Duration::from_secs(48);
const DOUBT: Duration = Duration::from_millis(2500);

#[derive(Debug)]
enum State {
    /// Nobody to dial.
    Idle,
    Resting {
        until: Moment,
    },
    Dialling {
        since: Moment,
        to: Vec<Locator>,
    },
    Up {
        locator: Locator,
        zid: Option<Zid>,
        /// Heard last, or linked.
        heard: Moment,
        /// Something must be heard by then.
        doubt: Option<Moment>,
    },
}

/// One link at a time.
#[derive(Debug)]
pub(super) struct Link {
    state: State,
    routers: Routers,
    failures: u32,
    silence: Duration,
    /// The router of the last link.
    last: Option<Zid>,
}

impl Link {
    pub(super) fn new() -> Self {
        Self { state: State::Idle, routers: Routers::default(), failures: 0, silence: SILENCE, last: None }
    }

    pub(super) const fn is_up(&self) -> bool {
        matches!(self.state, State::Up { .. })
    }

    /// Whether it has to show that it lives.
    pub(super) const fn is_doubted(&self) -> bool {
        matches!(self.state, State::Up { doubt: Some(_), .. })
    }

    /// Where a session is being opened.
    pub(super) fn dialling(&self) -> Option<Locator> {
        match &self.state {
            State::Dialling { to, .. } => to.first().copied(),
            _ => None,
        }
    }

    /// Where the state of the linked router may be asked.
    pub(super) fn api(&self) -> Option<SocketAddr> {
        match self.state {
            State::Up { locator, .. } => self.routers.api(locator),
            _ => None,
        }
    }

    /// Discovery found routers. Says whether the linked one's state can be asked for, now that it could not before.
    pub(super) fn found(&mut self, now: Moment, found: &Found) -> bool {
        let before = self.api();
        self.routers.found(now, found);
        if let Some(zid) = found.zid {
            self.learn_api(zid, found.api);
        }
        if matches!(self.state, State::Idle | State::Resting { .. }) {
            self.state = State::Resting { until: now };
        }
        before.is_none() && self.api().is_some()
    }

    /// The linked router told of another, or of its other addresses. Says the same as [`Self::found`].
    pub(super) fn acquainted(&mut self, now: Moment, zid: Zid, locators: &[Locator]) -> bool {
        let before = self.api();
        let ipv4 = locators.iter().map(|locator| locator.address().ip()).find(IpAddr::is_ipv4);
        let api = ipv4.map(|ip| SocketAddr::new(ip, API_PORT));
        self.routers.acquainted(now, locators, api);
        self.learn_api(zid, api);
        before.is_none() && self.api().is_some()
    }

    fn learn_api(&mut self, of: Zid, api: Option<SocketAddr>) {
        if let State::Up { locator, zid: Some(zid), .. } = self.state
            && zid == of
        {
            self.routers.learn_api(locator, api);
        }
    }

    /// The session is open. Says whether its other end is the process that the last link led to: exo's ids are new at
    /// each start.
    pub(super) fn linked(&mut self, now: Moment, locator: Locator, zid: Option<Zid>) -> bool {
        self.routers.linked(now, locator);
        self.failures = 0;
        self.state = State::Up { locator, zid, heard: now, doubt: None };
        let before = std::mem::replace(&mut self.last, zid);
        zid.is_some() && zid == before
    }

    /// It could not be opened, or was lost.
    pub(super) fn unlinked(&mut self, now: Moment, random: &mut Random) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Up { locator, .. } => {
                self.routers.failed(now, locator);
                self.state = State::Resting { until: now };
            }
            State::Dialling { to, .. } => {
                for locator in to {
                    self.routers.failed(now, locator);
                }
                self.failures = self.failures.saturating_add(1);
                self.state = State::Resting { until: now + self.wait(random) };
            }
            resting => self.state = resting,
        }
    }

    /// Something was heard, whatever it was.
    pub(super) fn heard(&mut self, now: Moment) {
        if let State::Up { locator, heard, doubt, .. } = &mut self.state {
            *heard = now;
            self.silence = SILENCE;
            if doubt.take().is_some() {
                self.routers.linked(now, *locator);
            }
        }
    }

    /// The link may be dead though nobody said so.
    pub(super) fn doubt(&mut self, now: Moment) {
        self.silence = SILENCE;
        self.failures = 0;
        match &mut self.state {
            State::Up { doubt, .. } => *doubt = Some(doubt.unwrap_or(now + DOUBT)),
            State::Resting { until } => *until = now,
            State::Dialling { since, .. } if now.since(*since) >= YOUNG => {
                self.state = State::Resting { until: now }
            }
            State::Idle | State::Dialling { .. } => {}
        }
    }

    /// The network changed: what was found on the old one may be somebody else's here.
    pub(super) fn moved(&mut self, now: Moment) {
        self.routers.moved();
        self.doubt(now);
    }

    /// We slept: that nothing was heard meanwhile says nothing, and the link must show that it lives.
    pub(super) fn woke(&mut self, now: Moment) {
        if let State::Up { heard, doubt, .. } = &mut self.state {
            (*heard, *doubt) = (now, None);
        }
        self.doubt(now);
    }

    /// Whom to dial now, if anybody.
    pub(super) fn dial(&mut self, now: Moment, random: &mut Random) -> Option<Vec<Locator>> {
        match &self.state {
            State::Dialling { since, .. } if now.since(*since) >= DIAL => self.unlinked(now, random),
            State::Up { locator, heard, doubt, .. } => {
                let doubtful = doubt.is_some_and(|by| by <= now);
                if doubtful || now.since(*heard) >= self.silence {
                    let dead = *locator;
                    self.routers.failed(now, dead);
                    self.silence = (self.silence * 2).min(LONGEST_SILENCE);
                    self.state = State::Resting { until: now };
                }
            }
            _ => {}
        }
        let State::Resting { until } = self.state else { return None };
        if until > now {
            return None;
        }
        let to = self.routers.best(now);
        self.state = if to.is_empty() { State::Idle } else { State::Dialling { since: now, to: to.clone() } };
        (!to.is_empty()).then_some(to)
    }

    /// When [`Self::dial`] could want something.
    pub(super) fn deadline(&self) -> Option<Moment> {
        match &self.state {
            State::Idle => None,
            State::Resting { until } => (!self.routers.is_empty()).then_some(*until),
            State::Dialling { since, .. } => Some(*since + DIAL),
            State::Up { heard, doubt, .. } => {
                let silent = *heard + self.silence;
                Some(doubt.map_or(silent, |by| by.min(silent)))
            }
        }
    }

    fn wait(&self, random: &mut Random) -> Duration {
        let usual = FIRST_WAIT.saturating_mul(1 << (self.failures.saturating_sub(1)).min(8)).min(USUAL_WAIT);
        let wait = if self.failures > MANY { LAST_WAIT } else { usual };
        wait.mul_f64(0.75 + random.fraction() / 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Provider;

    struct Story {
        link: Link,
        random: Random,
        clock: Moment,
        dials: Vec<(f64, Vec<Locator>)>,
    }

    fn at(seconds: f64) -> Moment {
        Moment::after_start(Duration::from_secs_f64(seconds))
    }

    fn router(host: u8) -> Locator {
        Locator::new(std::net::SocketAddr::from(([10, 0, 0, host], 52414)))
    }

    impl Story {
        fn found(hosts: &[u8]) -> Self {
            let mut story =
                Self { link: Link::new(), random: Random::seeded(5), clock: at(0.0), dials: Vec::new() };
            let locators = hosts.iter().copied().map(router).collect();
            story.link.found(at(0.0), &Found { locators, zid: None, api: None, by: Provider::Link });
            story
        }

        fn until(&mut self, seconds: f64) -> &mut Self {
            for _ in 0..10_000 {
                if let Some(to) = self.link.dial(self.clock, &mut self.random) {
                    self.dials.push((self.clock.since_start().as_secs_f64(), to));
                    continue;
                }
                let Some(deadline) = self.link.deadline().filter(|deadline| *deadline <= at(seconds)) else {
                    self.clock = self.clock.max(at(seconds));
                    return self;
                };
                self.clock = self.clock.max(deadline);
            }
            panic!("the deadline does not move");
        }

        fn linked(&mut self, host: u8) -> &mut Self {
            self.link.linked(self.clock, router(host), None);
            self
        }

        fn lost(&mut self) -> &mut Self {
            self.link.unlinked(self.clock, &mut self.random);
            self
        }

        fn heard(&mut self) -> &mut Self {
            self.link.heard(self.clock);
            self
        }

        fn dials(&mut self) -> Vec<(f64, Vec<Locator>)> {
            std::mem::take(&mut self.dials)
        }
    }

    #[test]
    fn what_is_found_is_dialled_at_once() {
        assert_eq!(Story::found(&[1, 2]).until(0.0).dials(), [(0.0, vec![router(1), router(2)])]);
    }

    #[test]
    fn a_lost_link_is_replaced_at_once_by_another_router() {
        let mut story = Story::found(&[1, 2]);
        story.until(0.0).linked(1).heard().until(3.0).dials();
        assert_eq!(story.lost().until(3.0).dials(), [(3.0, vec![router(2), router(1)])]);
    }

    #[test]
    fn a_router_that_does_not_answer_is_dialled_at_least_every_two_seconds() {
        let mut story = Story::found(&[1]);
        story.until(0.0);
        for second in 0..600 {
            story.lost().until(f64::from(second) / 10.0);
        }
        let times: Vec<f64> = story.dials().iter().map(|(t, _)| *t).collect();
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps[0] <= 0.6 && gaps[1] > gaps[0], "{gaps:?}");
        assert!(gaps.iter().all(|gap| *gap <= 2.2), "{gaps:?}");
        assert!(gaps[4..].iter().all(|gap| *gap >= 1.4), "{gaps:?}");
    }

    #[test]
    fn a_silent_link_is_left_for_another_and_then_more_patiently() {
        let mut story = Story::found(&[1, 2]);
        story.until(0.0).linked(1).heard().dials();
        assert_eq!(story.until(7.0).dials(), [(6.0, vec![router(2), router(1)])]);
        story.linked(2).until(18.9);
        assert!(story.dials().is_empty());
        assert_eq!(story.until(19.0).dials(), [(19.0, vec![router(1), router(2)])]);
    }

    #[test]
    fn a_link_that_talks_is_kept() {
        let mut story = Story::found(&[1, 2]);
        story.until(0.0).linked(1).dials();
        for second in 1..100 {
            story.until(f64::from(second)).heard();
        }
        assert!(story.dials().is_empty());
    }

    #[test]
    fn a_doubted_link_must_talk_within_two_and_a_half_seconds() {
        let mut story = Story::found(&[1]);
        story.until(0.0).linked(1).heard().until(1.0).dials();
        story.link.doubt(story.clock);
        story.until(2.0).heard().until(5.0);
        assert!(story.dials().is_empty(), "it talked");
        story.heard();
        story.link.doubt(story.clock);
        assert_eq!(story.until(7.5).dials(), [(7.5, vec![router(1)])]);
    }

    #[test]
    fn a_change_of_the_network_ends_every_wait() {
        let mut story = Story::found(&[1]);
        story.until(0.0);
        for _ in 0..200 {
            let now = story.clock.since_start().as_secs_f64();
            story.lost().until(now + 4.0);
        }
        story.lost().dials();
        let now = story.clock.since_start().as_secs_f64();
        story.link.doubt(story.clock);
        assert_eq!(story.until(now).dials().len(), 1);
    }

    #[test]
    fn a_dial_that_was_begun_on_the_old_network_is_begun_again() {
        let mut story = Story::found(&[1]);
        story.until(0.1);
        story.link.doubt(story.clock);
        assert_eq!(story.until(0.2).dials().len(), 1, "it has just begun");
        story.until(1.0);
        story.link.doubt(story.clock);
        assert_eq!(story.until(1.0).dials().len(), 1);
    }

    #[test]
    fn a_driver_that_never_answers_is_asked_again() {
        let mut story = Story::found(&[1]);
        assert_eq!(story.until(20.0).dials().len(), 3);
    }
}
