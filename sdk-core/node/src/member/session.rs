//! Whom to follow, learnt by listening alone.
//!
//! Three things teach a session:
//!
//! 1. the first global event whose origin is its session's master;
//! 2. an election: the messages of its highest clock are collected for 3.3 s, a little longer than exo's own
//!    campaign, and the greatest wins. The winner is followed as soon as the followed master has gone quiet (1.5 s if
//!    the winner talks already, 3 s if it does not), which a master that lost does at once: while the old one talks,
//!    no message can drag us away from it; if it does not talk and another master does, votes were lost, and the one
//!    that talks is followed;
//! 3. silence: after a complete restart clocks begin again at 0, so when the followed master was silent for more
//!    than 4 s and another one talks, that one is followed. The same holds for a master that talks but is deaf to us.
//!
//! Nothing here is authenticated, because nothing on exo's bus is. The rules bound what a liar can do: it cannot
//! win against a master that talks and hears, and it can make nobody switch back and forth.

use std::{cmp::Ordering, time::Duration};

use exo_wire::{ElectionMessage, NodeId, SessionId};

use crate::now::Moment;

/// A little longer than exo's campaign of 3.0 s.
const CAMPAIGN: Duration = Duration::from_millis(3300);
/// A master that lost an election stops at once; one that did not emits at least one event a second.
const QUIET: Duration = Duration::from_millis(1500);
/// The same, while the winner has not talked either.
const GONE: Duration = Duration::from_secs(3);
/// How long the followed master may be silent before another one that talks is taken.
const SILENT: Duration = Duration::from_secs(4);
/// How lately another master must have talked to be taken without a further event.
const FRESH: Duration = Duration::from_secs(2);
/// How long a decided election still outranks stragglers of lower clocks. Clocks may begin again at 0 after that.
const DECIDED: Duration = Duration::from_secs(10);
/// No node has a longer id.
const ID: usize = 64;
/// How many other masters are remembered.
const RIVALS: usize = 8;

#[derive(Debug)]
struct Followed {
    session: SessionId,
    heard: Moment,
    /// Whether it was ever heard; otherwise it is only what an election said.
    talked: bool,
    /// The member's own verdict: it talks, but none of our events came back for long.
    deaf: bool,
}

#[derive(Debug)]
struct Campaign {
    best: ElectionMessage,
    ends: Moment,
    decided: bool,
}

#[derive(Debug)]
struct Rival {
    session: SessionId,
    heard: Moment,
}

/// What a global event is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belongs {
    /// To the session that we follow.
    Ours,
    /// To another session.
    Foreign,
}

/// Learns and keeps the session to follow.
#[derive(Debug, Default)]
pub(super) struct SessionTracker {
    followed: Option<Followed>,
    campaign: Option<Campaign>,
    /// The winner of an election that waits for the followed master to go quiet.
    heir: Option<SessionId>,
    rivals: Vec<Rival>,
}

impl SessionTracker {
    /// The session that we follow.
    pub(super) fn session(&self) -> Option<&SessionId> {
        self.followed.as_ref().map(|followed| &followed.session)
    }

    /// When the followed master last talked.
    pub(super) fn heard(&self) -> Option<Moment> {
        self.followed.as_ref().map(|followed| followed.heard)
    }

    /// How long the followed master has been silent.
    pub(super) fn silent_for(&self, now: Moment) -> Option<Duration> {
        self.followed.as_ref().map(|followed| now.since(followed.heard))
    }

    /// A global event came. `from_master` says that its origin is the master of its session; anything else is noise.
    pub(super) fn event(
        &mut self,
        now: Moment,
        master: &str,
        election_clock: u64,
        from_master: bool,
    ) -> Belongs {
        if !from_master || master.len() > ID {
            return Belongs::Foreign;
        }
        let same = |session: &SessionId| {
            session.election_clock == election_clock && session.master_node_id.as_str() == master
        };
        if let Some(followed) = self.followed.as_mut().filter(|followed| same(&followed.session)) {
            (followed.heard, followed.talked) = (now, true);
            return Belongs::Ours;
        }
        let known = self.rivals.iter_mut().find(|rival| same(&rival.session));
        let session = if let Some(rival) = known {
            rival.heard = now;
            rival.session.clone()
        } else {
            let session = SessionId { master_node_id: NodeId::heard(master), election_clock };
            self.remember(now, &session);
            session
        };
        if self.may_leave(now, self.tolerance()) {
            self.follow(now, session);
            if let Some(followed) = &mut self.followed {
                followed.talked = true;
            }
            return Belongs::Ours;
        }
        Belongs::Foreign
    }

    /// An election message came.
    pub(super) fn election(&mut self, now: Moment, candidate: ElectionMessage) {
        if candidate.proposed_session.master_node_id.as_str().len() > ID {
            return;
        }
        match &mut self.campaign {
            Some(campaign) => {
                let straggler = campaign.decided && now.since(campaign.ends) >= DECIDED;
                match candidate.clock.cmp(&campaign.best.clock) {
                    _ if straggler => self.campaign = Some(Campaign::opened(now, candidate)),
                    Ordering::Greater => self.campaign = Some(Campaign::opened(now, candidate)),
                    Ordering::Equal if campaign.best < candidate => {
                        campaign.best = candidate;
                        if campaign.decided {
                            campaign.decided = false;
                            campaign.ends = now + CAMPAIGN;
                        }
                    }
                    Ordering::Equal | Ordering::Less => {}
                }
            }
            None => self.campaign = Some(Campaign::opened(now, candidate)),
        }
    }

    /// None of our events came back for long although the master talks: prefer one that hears, now or when one talks.
    pub(super) fn deaf(&mut self, now: Moment) {
        if let Some(followed) = &mut self.followed {
            followed.deaf = true;
        }
        self.tick(now);
    }

    /// One of our events came back.
    pub(super) fn acknowledged(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.deaf = false;
        }
    }

    /// Time passed: ends campaigns and leaves silent masters.
    pub(super) fn tick(&mut self, now: Moment) {
        if let Some(campaign) = self.campaign.as_mut().filter(|c| !c.decided && c.ends <= now) {
            campaign.decided = true;
            self.heir = Some(campaign.best.proposed_session.clone());
        }
        self.rivals.retain(|rival| now.since(rival.heard) < FRESH);
        if let Some(heir) = &self.heir {
            if self.session() == Some(heir) {
                self.heir = None;
            } else if self.may_leave(now, self.patience(heir)) {
                // Votes may have been lost: one who talks is master, whoever we think was elected.
                let talks = self.rivals.iter().any(|rival| rival.session == *heir);
                let heir = heir.clone();
                let successor = self.latest().filter(|_| !talks).unwrap_or(heir);
                self.follow(now, successor);
            }
        }
        if self.followed.is_some()
            && self.may_leave(now, self.tolerance())
            && let Some(session) = self.latest()
        {
            self.follow(now, session);
        }
    }

    /// When [`Self::tick`] could change something.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let campaign = self.campaign.as_ref().filter(|c| !c.decided).map(|c| c.ends);
        let followed = self.followed.as_ref();
        let quiet = self.heir.as_ref().zip(followed).map(|(heir, f)| f.heard + self.patience(heir));
        // A rival's last word expires: a switch by the clock is possible only while it is fresh.
        let silent = followed.and_then(|followed| {
            let last = self.rivals.iter().map(|rival| rival.heard + FRESH).max()?;
            let leave = followed.heard + self.tolerance();
            (leave < last).then_some(leave)
        });
        [campaign, quiet, silent].into_iter().flatten().min()
    }

    fn patience(&self, heir: &SessionId) -> Duration {
        if self.rivals.iter().any(|rival| rival.session == *heir) { QUIET } else { GONE }
    }

    /// The master that talked last, of those that we do not follow.
    fn latest(&self) -> Option<SessionId> {
        self.rivals.iter().max_by_key(|rival| rival.heard).map(|rival| rival.session.clone())
    }

    /// How long the followed master may be silent while another one talks. One that was elected, as far as we heard,
    /// but has never talked gets less.
    fn tolerance(&self) -> Duration {
        if self.followed.as_ref().is_some_and(|followed| !followed.talked) { QUIET } else { SILENT }
    }

    fn may_leave(&self, now: Moment, silence: Duration) -> bool {
        self.followed.as_ref().is_none_or(|f| f.deaf || now.since(f.heard) >= silence)
    }

    fn follow(&mut self, now: Moment, session: SessionId) {
        let before = self.rivals.len();
        self.rivals.retain(|rival| rival.session != session);
        self.heir = None;
        let talked = self.rivals.len() < before;
        self.followed = Some(Followed { session, heard: now, talked, deaf: false });
    }

    /// Full of masters that still talk, the list takes no newcomer: inventing sessions displaces nobody.
    fn remember(&mut self, now: Moment, session: &SessionId) {
        self.rivals.retain(|rival| now.since(rival.heard) < FRESH);
        if self.rivals.len() < RIVALS {
            self.rivals.push(Rival { session: session.clone(), heard: now });
        }
    }
}

impl Campaign {
    fn opened(now: Moment, best: ElectionMessage) -> Self {
        Self { best, ends: now + CAMPAIGN, decided: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A story in seconds: who talks when, and whom we follow then.
    #[derive(Default)]
    struct Story {
        tracker: SessionTracker,
    }

    fn at(seconds: f64) -> Moment {
        Moment::after_start(Duration::from_secs_f64(seconds))
    }

    fn session(master: &str, clock: u64) -> SessionId {
        SessionId { master_node_id: NodeId::heard(master), election_clock: clock }
    }

    impl Story {
        fn talks(&mut self, t: f64, master: &str, clock: u64) -> &mut Self {
            self.tracker.event(at(t), master, clock, true);
            self.tracker.tick(at(t));
            self
        }

        fn talks_each_second(&mut self, from: u32, to: u32, master: &str, clock: u64) -> &mut Self {
            for t in from..to {
                self.talks(f64::from(t), master, clock);
            }
            self
        }

        fn proposes(&mut self, t: f64, clock: u64, seniority: i64, master: &str) -> &mut Self {
            let candidate = ElectionMessage {
                clock,
                seniority,
                commands_seen: 0,
                proposed_session: session(master, clock),
            };
            self.tracker.election(at(t), candidate);
            self.tracker.tick(at(t));
            self
        }

        /// Lets the clock run as a driver does: only deadlines wake it, and each must lie ahead.
        fn until(&mut self, t: f64) -> &mut Self {
            let mut last = None;
            while let Some(deadline) = self.tracker.deadline().filter(|deadline| *deadline <= at(t)) {
                assert_ne!(last, Some(deadline), "the deadline {deadline} does not move");
                last = Some(deadline);
                self.tracker.tick(deadline);
            }
            self
        }

        fn follows(&mut self, master: &str, clock: u64) -> &mut Self {
            assert_eq!(self.tracker.session(), Some(&session(master, clock)));
            self
        }
    }

    #[test]
    fn the_first_global_event_of_a_master_gives_the_session() {
        let mut story = Story::default();
        assert_eq!(story.tracker.event(at(0.0), "a", 0, false), Belongs::Foreign, "not from its master");
        assert!(story.tracker.session().is_none());
        story.talks(0.1, "a", 0).follows("a", 0);
    }

    #[test]
    fn an_election_gives_the_session_when_no_master_talks() {
        let mut story = Story::default();
        story
            .proposes(0.0, 1, 1, "a")
            .proposes(0.1, 2, 1, "b")
            .proposes(0.2, 2, 1, "c")
            .proposes(3.0, 1, 9, "d");
        story.until(3.3);
        assert!(story.tracker.session().is_none(), "the window began again with clock 2");
        story.until(3.5).follows("c", 2);
    }

    #[test]
    fn a_killed_masters_heir_is_followed_when_the_campaign_ends() {
        let mut story = Story::default();
        story.talks_each_second(0, 5, "a", 0);
        story.proposes(4.2, 4, 1, "b").proposes(7.2, 4, 1, "b").until(7.4).follows("a", 0);
        story.until(7.5).follows("b", 4);
    }

    #[test]
    fn a_master_that_loses_its_office_is_left_when_it_stops_talking() {
        let mut story = Story::default();
        story.talks_each_second(0, 4, "a", 0);
        story.proposes(0.2, 1, 1, "b").proposes(0.3, 1, 1, "a").proposes(3.1, 1, 1, "b");
        story.talks(3.4, "b", 1).follows("a", 0);
        story.talks(4.4, "b", 1).until(4.6).follows("b", 1);
    }

    #[test]
    fn an_election_cannot_drag_us_from_a_master_that_talks() {
        let mut story = Story::default();
        story.talks(0.0, "a", 0);
        for second in 1..60u32 {
            let t = f64::from(second);
            story.talks(t, "a", 0);
            story.proposes(t + 0.1, 1000 + u64::from(second) / 5, 1_000_000, "f00d").talks(
                t + 0.2,
                "f00d",
                1000,
            );
            story.until(t + 0.9).follows("a", 0);
        }
    }

    #[test]
    fn an_election_won_by_the_followed_master_changes_nothing() {
        let mut story = Story::default();
        story.talks_each_second(0, 3, "b", 0);
        let own =
            ElectionMessage { clock: 5, seniority: 3, commands_seen: 0, proposed_session: session("b", 0) };
        story.proposes(2.1, 5, 1, "c").tracker.election(at(2.2), own);
        story.until(60.0).follows("b", 0);
    }

    #[test]
    fn when_votes_were_lost_the_master_that_talks_is_followed_and_not_the_one_that_we_think_was_elected() {
        let mut story = Story::default();
        story.talks_each_second(0, 3, "old", 0).proposes(2.5, 1, 1, "loser");
        story.talks(5.2, "winner", 1).talks(5.4, "winner", 1).until(5.8);
        story.follows("winner", 1);
        let mut story = Story::default();
        story.talks_each_second(0, 3, "old", 0).proposes(2.5, 1, 1, "loser").until(6.0).follows("loser", 1);
        story.talks(6.5, "winner", 1).talks(7.0, "winner", 1).follows("loser", 1);
        story.talks(7.6, "winner", 1).follows("winner", 1);
    }

    #[test]
    fn stragglers_of_a_decided_election_do_not_reopen_it() {
        let mut story = Story::default();
        story.talks(0.0, "a", 0).proposes(0.5, 4, 2, "c").proposes(0.6, 4, 1, "b").until(4.0).follows("c", 4);
        story.proposes(4.1, 4, 1, "b").proposes(4.2, 3, 9, "d").until(20.0).follows("c", 4);
    }

    #[test]
    fn after_a_complete_restart_the_lower_clock_is_followed() {
        let mut story = Story::default();
        story.talks_each_second(0, 10, "e8", 7);
        story.talks(24.9, "c9", 0).follows("c9", 0);
    }

    #[test]
    fn a_master_that_restarts_at_once_is_followed_after_four_seconds_of_the_old_ones_silence() {
        let mut story = Story::default();
        story.talks_each_second(0, 3, "e8", 0);
        story.talks(3.0, "c9", 0).talks(4.0, "c9", 0).talks(5.0, "c9", 0).follows("e8", 0);
        story.until(5.9).follows("e8", 0).until(6.0).follows("c9", 0);
    }

    #[test]
    fn two_masters_that_both_talk_do_not_make_us_flap() {
        let mut story = Story::default();
        for second in 0..100 {
            let t = f64::from(second);
            story
                .talks(t, "a", 0)
                .talks(t + 0.1, "b", 0)
                .talks(t + 0.2, "b", 1)
                .until(t + 0.9)
                .follows("a", 0);
        }
    }

    #[test]
    fn a_host_that_invents_sessions_neither_displaces_a_master_nor_fills_our_memory() {
        let mut story = Story::default();
        story.talks(0.0, "a", 0);
        for n in 0..10_000u32 {
            let t = f64::from(n) / 1000.0;
            story.talks(t, &format!("{n:x}"), n.into());
            if n % 1000 == 0 {
                story.talks(t, "a", 0);
            }
            assert!(story.tracker.rivals.len() <= RIVALS);
        }
        story.follows("a", 0);
    }

    #[test]
    fn a_deaf_master_is_left_for_one_that_talks() {
        let mut story = Story::default();
        story.talks_each_second(0, 20, "a", 0);
        story.tracker.deaf(at(20.0));
        story.until(30.0).follows("a", 0);
        story.talks(30.0, "b", 0).follows("b", 0);
    }
}
