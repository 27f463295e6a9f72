//! The member itself: it composes the machines beside it and owns none of their rules.
//!
//! Every input ends in [`Member::step`], which asks each part what is due, in one fixed order: whom to follow, whom to
//! dial, what to fetch, what to say. So a part never has to know what caused its turn.

use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use exo_wire::{NodeId, Refusal, SessionId, Topic, heard};

use super::{
    ClusterView, Input, MemberConfig, MemberState, Output, Request, Stats,
    cadence::Cadence,
    leaving::Leaving,
    link::Link,
    notice::Notice,
    saying::Saying,
    session::{Belongs, SessionTracker},
    speaking::{DEAF, PROBE},
    standing::Standing,
    telemetry::Telemetry,
    term::{Term, Witnesses},
};
use crate::{
    Now, Random,
    now::Moment,
    worker::{self, Offer, Worker},
};

/// Called that late, we slept.
const SLEPT: Duration = Duration::from_secs(8);
/// After such a sleep, or such a time without a link, the master has very likely forgotten us: what we told it before
/// is gone, and a state that shows us again after our next sign of life does not say so.
const SLEPT_LONG: Duration = Duration::from_secs(25);

/// A link that stays lost for that long is no longer being repaired: we search again.
const MOURNING: Duration = Duration::from_mins(1);
/// Nothing that exo sends comes near; what is larger is not read.
const PAYLOAD: usize = 8 << 20;

/// One membership. See the module for its states.
#[derive(Debug)]
pub struct Member {
    pub(super) config: MemberConfig,
    pub(super) random: Random,
    pub(super) outputs: VecDeque<Output>,
    pub(super) state: MemberState,
    pub(super) standing: Standing,
    pub(super) stats: Stats,
    pub(super) refusal: Option<Refusal>,
    pub(super) link: Link,
    /// Whether the session that we follow was heard on this link, or on another to the same process. Before that we do
    /// not know who is at its other end: the same address may be a restarted exo of another build.
    pub(super) vouched: bool,
    pub(super) tracker: SessionTracker,
    pub(super) term: Option<Term>,
    pub(super) telemetry: Telemetry,
    pub(super) cadence: Cadence,
    pub(super) leaving: Option<Leaving>,
    /// Only where there is an engine.
    pub(super) worker: Option<Worker>,
    /// What the worker last offered.
    pub(super) offered: Option<Offer>,
    /// Important things that a session ended upon.
    pub(super) unsaid: Vec<Saying>,
    /// Whether we were joined, and since when there is no link.
    pub(super) was_joined: bool,
    lost: Option<Moment>,
    searching: bool,
    pub(super) deaf_after: Duration,
    last: Moment,
    notice: Notice,
}

impl Member {
    /// A member that searches.
    pub fn new(config: MemberConfig, random: Random, now: Now) -> Self {
        Self {
            cadence: Cadence::new(config.telemetry_every),
            config,
            random,
            outputs: VecDeque::from([Output::Search(true), Output::Measure]),
            state: MemberState::Searching,
            standing: Standing::Searching,
            stats: Stats::default(),
            refusal: None,
            link: Link::new(),
            vouched: false,
            tracker: SessionTracker::default(),
            term: None,
            telemetry: Telemetry::default(),
            leaving: None,
            worker: None,
            offered: None,
            unsaid: Vec::new(),
            was_joined: false,
            lost: None,
            searching: true,
            deaf_after: DEAF,
            last: now.mono,
            notice: Notice::default(),
        }
    }

    /// Feeds one input. Never blocks, never fails: bad input is itself an observation.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        if self.has_left() {
            return;
        }
        self.wake(now.mono);
        match input {
            Input::Tick => {}
            Input::Found(found) => {
                if self.link.found(now.mono, &found) {
                    self.ask_again(now.mono);
                }
            }
            Input::Acquainted { zid, locators } => {
                if self.link.acquainted(now.mono, zid, &locators) {
                    self.ask_again(now.mono);
                }
            }
            Input::Linked { locator, zid } => {
                self.vouched &= self.link.linked(now.mono, locator, zid);
                let absent = self.tracker.silent_for(now.mono).unwrap_or_default();
                if let Some(term) = &mut self.term {
                    term.snapshots.want(now.mono);
                    if absent >= SLEPT_LONG {
                        term.forget();
                    }
                }
            }
            Input::Unlinked { why: _ } => self.link.unlinked(now.mono, &mut self.random),
            Input::Heard { topic, payload } => self.hear(now, topic, payload),
            Input::Read { global, event, payload } => {
                self.link.heard(now.mono);
                self.event(now, global, event, payload);
            }
            Input::State(answer) => self.restore(now.mono, answer),
            Input::Readings(readings) => {
                self.telemetry.measured(readings);
                self.report(now.mono);
            }
            Input::NetworkChanged => {
                self.link.moved(now.mono);
                self.outputs.push_back(Output::Measure);
            }
            Input::Engine(report) => self.tell_worker(now.mono, worker::Input::Engine(report)),
            Input::Allowed(allowed) => self.tell_worker(now.mono, worker::Input::Allowed(allowed)),
            Input::Request(Request::Leave) => self.leave(now),
            Input::Request(Request::ScreenShown(shown)) => self.cadence.screen(shown),
            Input::Request(Request::AllowUnknownBuild(allowed)) => self.config.allow_unknown_build = allowed,
        }
        self.step(now);
    }

    /// The next thing that the member wants; `None` until something changes.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front().or_else(|| self.notice.take().then_some(Output::Changed))
    }

    /// When to call [`Self::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        if self.has_left() {
            return None;
        }
        let speaking = self.term.as_ref().filter(|_| self.may_speak());
        let outbox = speaking.and_then(|term| term.outbox.deadline());
        if let Some(leaving) = &self.leaving {
            return outbox.into_iter().chain(self.link.deadline()).chain([leaving.deadline()]).min();
        }
        let linked = self.term.as_ref().filter(|_| self.link.is_up());
        let unmeasured = speaking.filter(|term| !self.telemetry.has_readings() && !term.has_spoken());
        let parts = [
            outbox,
            speaking.and_then(Term::registration),
            speaking.and_then(|_| self.cadence.deadline()),
            unmeasured.map(|term| term.started + PROBE),
            linked.and_then(Term::deadline),
            self.link.deadline(),
            self.tracker.deadline(),
            self.patience_ends(),
            self.works_at(),
        ];
        parts.into_iter().flatten().min()
    }

    /// Gives the member a worker: from now on it runs what is placed on it.
    pub fn employ(&mut self, worker: Worker) {
        self.worker = Some(worker);
    }

    /// Takes the worker away, with what its engine holds.
    pub fn dismiss(&mut self) -> Option<Worker> {
        self.worker.take()
    }

    /// The worker, if there is one.
    pub const fn worker(&self) -> Option<&Worker> {
        self.worker.as_ref()
    }

    /// Who we are.
    pub const fn node_id(&self) -> &NodeId {
        &self.config.node_id
    }

    /// Where the membership stands.
    pub const fn state(&self) -> &MemberState {
        &self.state
    }

    /// The cluster as we see it, built when asked.
    pub fn view(&self) -> ClusterView {
        self.term.as_ref().map(Term::view).unwrap_or_default()
    }

    /// Up to where in the log the view is complete, without building it; `None` while it is partial.
    pub fn complete_to(&self) -> Option<u64> {
        self.term.as_ref().and_then(|term| term.sequencer.complete_to())
    }

    /// Where the exo that we are linked to serves HTTP, if that is known.
    pub fn api(&self) -> Option<SocketAddr> {
        self.link.api()
    }

    /// The nodes of exo that are present, and where each says that it is. Members of this SDK are none of them.
    pub fn exo_nodes(&self) -> impl Iterator<Item = (NodeId, &[Ipv4Addr])> {
        let all = self.term.iter().flat_map(Term::exo_nodes);
        all.filter(|(id, _)| *id != self.config.node_id)
    }

    /// The reign that we follow.
    pub fn session(&self) -> Option<&SessionId> {
        self.term.as_ref().map(|term| &term.session)
    }

    /// What was sent and heard so far.
    pub const fn stats(&self) -> Stats {
        self.stats
    }

    /// Whether we left in order: the goodbye was acknowledged, or nobody knew us.
    pub fn goodbye_was_heard(&self) -> bool {
        self.leaving.as_ref().is_some_and(Leaving::was_heard)
    }

    /// The last thing that the gate kept back. It was not published.
    pub const fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// Whether there are so many members of this SDK that they burden the cluster although each speaks as rarely as
    /// it may.
    pub fn is_crowded(&self) -> bool {
        self.cadence.is_crowded()
    }

    /// A phone that slept finds its link dead, its session changed and itself forgotten, or none of that.
    fn wake(&mut self, now: Moment) {
        let slept = now.since(self.last);
        let late = slept >= SLEPT && self.deadline().is_some_and(|due| now.since(due) >= SLEPT);
        self.last = self.last.max(now);
        if late {
            self.link.woke(now);
            self.outputs.push_back(Output::Measure);
            if slept >= SLEPT_LONG
                && let Some(term) = &mut self.term
            {
                term.forget();
            }
        }
    }

    fn hear(&mut self, now: Now, topic: Topic, payload: &[u8]) {
        self.link.heard(now.mono);
        if payload.len() > PAYLOAD {
            self.stats.unreadable += 1;
            return;
        }
        match topic {
            Topic::GlobalEvents => match heard::global(payload) {
                Ok(global) => self.event(now, &global, &global.event(), payload),
                Err(_) => self.stats.unreadable += 1,
            },
            Topic::ElectionMessages => match heard::election(payload) {
                Ok(election) => self.tracker.election(now.mono, election.to_message()),
                Err(_) => self.stats.unreadable += 1,
            },
            Topic::LocalEvents | Topic::Commands | Topic::DownloadCommands => {}
        }
    }

    fn event(&mut self, now: Now, global: &heard::Global<'_>, event: &heard::Event<'_>, payload: &[u8]) {
        let session = &global.session;
        let from_master = *global.origin == *session.master_node_id;
        let belongs =
            self.tracker.event(now.mono, &session.master_node_id, session.election_clock, from_master);
        if belongs == Belongs::Foreign {
            return;
        }
        self.vouched = true;
        self.follow(now);
        let Some(term) = &mut self.term else { return };
        let witnesses = Witnesses { stats: &mut self.stats, worker: self.worker.as_mut() };
        let noted = term.hear(now.mono, (global, event, payload), &mut self.random, witnesses);
        if noted.acknowledged {
            self.tracker.acknowledged();
            self.deaf_after = DEAF;
        }
        if noted.applied {
            self.cadence.count(term.members());
            self.notice.view();
        }
    }

    fn restore(&mut self, now: Moment, answer: Result<&[u8], String>) {
        let Some(term) = self.term.as_mut().filter(|term| term.snapshots.is_asked()) else { return };
        let mut witnesses = Witnesses { stats: &mut self.stats, worker: self.worker.as_mut() };
        let taken = answer.is_ok_and(|body| term.restore(now, body, witnesses.again()).is_ok());
        if taken {
            term.snapshots.taken();
            self.cadence.count(term.members());
            self.notice.view();
        } else if term.snapshots.failed(now) {
            term.do_without(now, witnesses);
        }
    }

    /// What is due, in a fixed order.
    fn step(&mut self, now: Now) {
        self.tracker.tick(now.mono);
        self.notice_deafness(now.mono);
        self.follow(now);
        if self.leaving.is_some() {
            self.dial(now.mono);
            self.work(now);
            self.say(now);
            self.end_when_said(now.mono);
        } else {
            self.dial(now.mono);
            self.fetch(now.mono);
            self.register(now);
            self.beat(now.mono);
            self.heal(now.mono);
            self.work(now);
            self.say(now);
        }
        self.stand(now.mono);
    }

    /// A new session: nothing of the old one holds.
    fn follow(&mut self, now: Now) {
        let Some(session) = self.tracker.session() else { return };
        if self.term.as_ref().is_some_and(|term| term.session == *session) {
            return;
        }
        self.cadence.lead(session.master_node_id == self.config.node_id);
        let term = Term::new(self.config.node_id.clone(), session.clone(), now.mono, &mut self.random);
        if let Some(old) = self.term.replace(term) {
            self.unsaid.extend(old.end());
        }
        self.tell_worker(now.mono, worker::Input::Session);
        self.telemetry.forget();
        self.cadence.stop();
        self.stats.sessions += 1;
        self.notice.view();
    }

    fn dial(&mut self, now: Moment) {
        if let Some(to) = self.link.dial(now, &mut self.random) {
            self.stats.dials += 1;
            self.outputs.push_back(Output::Dial(to));
        }
    }

    fn fetch(&mut self, now: Moment) {
        let up = self.link.is_up();
        let Some(term) = self.term.as_mut().filter(|term| up && term.may_ask()) else { return };
        let mut witnesses = Witnesses { stats: &mut self.stats, worker: self.worker.as_mut() };
        if term.snapshots.is_overdue(now) && term.snapshots.failed(now) {
            term.do_without(now, witnesses.again());
        }
        if term.snapshots.ask(now) {
            if let Some(api) = self.link.api() {
                self.outputs.push_back(Output::FetchState(api));
            } else {
                term.snapshots.cannot_be_had(now);
                term.do_without(now, witnesses);
            }
        }
    }

    /// Somebody who can answer became known.
    fn ask_again(&mut self, now: Moment) {
        if let Some(term) = self.term.as_mut().filter(|term| !term.is_complete()) {
            term.snapshots.can_be_had(now);
        }
    }

    fn has_left(&self) -> bool {
        self.leaving.as_ref().is_some_and(Leaving::has_left)
    }

    /// Brings the state, the search and the app's notice up to date.
    fn stand(&mut self, now: Moment) {
        self.lost = if self.link.is_up() { None } else { self.lost.or(Some(now)) };
        self.was_joined &= self.lost.is_none_or(|since| now.since(since) < MOURNING);
        let standing = self.stands(now);
        if standing != self.standing {
            self.state = standing.describe();
            self.was_joined |= matches!(standing, Standing::Joined(_));
            self.standing = standing;
            self.notice.state();
        }
        // A link that may be dead is no reason to wait until it is: whoever is here is found meanwhile.
        let search = self.standing.searches() || self.link.is_doubted();
        if search != self.searching {
            self.searching = search;
            self.outputs.push_back(Output::Search(search));
        }
        self.notice.settle(now);
    }
}
