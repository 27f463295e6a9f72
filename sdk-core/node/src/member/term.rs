//! One term of a master: all that belongs to one session and ends with it.
//!
//! A new session means an empty state and a new log, so nothing here survives one: not an index, not an origin, not
//! a line of the replica. What must be said again is handed on by [`Term::end`].

use std::{net::Ipv4Addr, time::Duration};

use exo_wire::{
    CommandId, ForwardedCommand, InstanceId, NodeId, Refusal, Sealed, SessionId, SystemId, Topic,
    command::{DeleteInstance, RequestEventLog},
    heard::{self, Event, Global, Snapshot},
    seal,
};

use super::{
    ClusterView,
    outbox::Outbox,
    recognition::Recognition,
    replica::Replica,
    saying::Saying,
    sequencer::{Place, Sequencer},
    snapshots::Snapshots,
    stats::Stats,
};
use crate::{
    Random,
    now::Moment,
    worker::{self, Worker},
};

/// How far ahead of what we heard a state may be and still be of our session: it is the answering node's replica, and
/// that node may hear a little more, a little earlier.
const AHEAD: u64 = 200;
/// Between two registrations: whoever says that we timed out, again and again, does not make us shout.
const AGAIN: Duration = Duration::from_secs(10);

/// Why a state was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistrust {
    /// It is not one.
    Unreadable,
    /// It does not know the master, or knows more than the master said, or does not know us though it should.
    OtherSession,
}

/// What one event meant to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Noted {
    /// One of our own came back.
    pub(super) acknowledged: bool,
    /// The view is different now.
    pub(super) applied: bool,
}

/// Who else hears what is applied, in the order of the log.
#[derive(Debug)]
pub(super) struct Witnesses<'a> {
    pub(super) stats: &'a mut Stats,
    /// Only where there is an engine.
    pub(super) worker: Option<&'a mut Worker>,
}

impl Witnesses<'_> {
    /// The same, for as long as this is borrowed.
    pub(super) fn again(&mut self) -> Witnesses<'_> {
        Witnesses { stats: self.stats, worker: self.worker.as_deref_mut() }
    }

    fn tell(&mut self, now: Moment, input: worker::Input<'_>) {
        if let Some(worker) = &mut self.worker {
            worker.handle(now, input);
        }
    }
}

/// All that belongs to one session.
#[derive(Debug)]
pub(super) struct Term {
    node: NodeId,
    pub(super) session: SessionId,
    pub(super) started: Moment,
    pub(super) outbox: Outbox,
    pub(super) sequencer: Sequencer,
    pub(super) snapshots: Snapshots,
    pub(super) recognition: Recognition,
    replica: Replica,
    /// Whom our commands come from.
    commands: SystemId,
    /// Whether the replica counts us as present; asked for with every event that is heard.
    here: bool,
    registered: Option<Moment>,
    /// The master said that we are gone.
    forgotten: bool,
    /// The first index under which one of our events came back.
    acknowledged: Option<u64>,
    /// The first index under which something came back that we said since the last registration began.
    told: Option<u64>,
    /// The index at which we were last said to be gone.
    gone: Option<u64>,
    /// How often a state did not know us though it should.
    unknown_to: u32,
    cleaned: bool,
}

/// What an earlier run of ours left in the state.
#[derive(Debug)]
pub(super) struct Leftovers {
    /// What has to be said to be rid of it.
    pub(super) sayings: Vec<Saying>,
    /// Whether exo counts on memory of ours.
    pub(super) memory: bool,
}

impl Term {
    /// The term of that session, with nothing said and nothing known.
    pub(super) fn new(node: NodeId, session: SessionId, now: Moment, random: &mut Random) -> Self {
        Self {
            outbox: Outbox::new(node.clone(), session.clone(), random),
            node,
            session,
            started: now,
            sequencer: Sequencer::new(now),
            snapshots: Snapshots::wanted(now),
            recognition: Recognition::new(),
            replica: Replica::default(),
            commands: SystemId::from_random(random.wide()),
            here: false,
            registered: None,
            forgotten: false,
            acknowledged: None,
            told: None,
            gone: None,
            unknown_to: 0,
            cleaned: false,
        }
    }

    /// What was important and did not come back.
    pub(super) fn end(self) -> impl Iterator<Item = Saying> {
        self.outbox.into_unsaid().filter(Saying::outlives_its_session)
    }

    /// Whether the cluster knows us.
    pub(super) const fn is_acknowledged(&self) -> bool {
        self.acknowledged.is_some()
    }

    /// Whether we told everything, and it was not forgotten.
    pub(super) fn is_registered(&self, now: Moment) -> bool {
        self.registered.is_some_and(|when| !self.forgotten || now.since(when) < AGAIN)
    }

    /// Everything is being told.
    pub(super) fn registered(&mut self, now: Moment) {
        self.registered = Some(now);
        self.forgotten = false;
        (self.told, self.gone) = (None, None);
    }

    /// We may have been forgotten while we slept.
    pub(super) fn forget(&mut self) {
        self.forgotten = self.registered.is_some();
    }

    /// Whether anything of ours is in the log, or on its way.
    pub(super) const fn has_spoken(&self) -> bool {
        self.registered.is_some()
    }

    /// No state can be had: the log is entered where we stand.
    pub(super) fn do_without(&mut self, now: Moment, mut witnesses: Witnesses<'_>) {
        self.doubt();
        self.sequencer.start_over(now);
        self.catch_up(now, &mut witnesses);
    }

    /// How many nodes there are, us included.
    pub(super) fn nodes(&self) -> usize {
        let us = usize::from(self.is_acknowledged() && !self.here);
        self.replica.present() + us
    }

    /// How many members of this SDK there are, us included.
    pub(super) fn members(&self) -> usize {
        self.replica.marked().max(1)
    }

    /// The nodes of exo that are present, and where each says that it is.
    pub(super) fn exo_nodes(&self) -> impl Iterator<Item = (NodeId, &[Ipv4Addr])> {
        self.replica.exo_nodes()
    }

    /// An event of this session came.
    pub(super) fn hear(
        &mut self,
        now: Moment,
        (global, event, payload): (&Global<'_>, &Event<'_>, &[u8]),
        random: &mut Random,
        mut witnesses: Witnesses<'_>,
    ) -> Noted {
        self.recognition.event(payload, event);
        let mut noted = Noted::default();
        if let Some(said) = event.event_id().and_then(|id| self.outbox.heard(id, witnesses.stats)) {
            self.acknowledged.get_or_insert(global.origin_idx);
            noted.acknowledged = true;
            if self.registered.is_some_and(|when| said >= when) {
                self.told_at(global.origin_idx);
            }
        }
        if self.sequencer.hear(now, global.origin_idx, payload, random) == Place::Next {
            self.apply(now, global.origin_idx, event, &mut witnesses);
            noted.applied = true;
            self.catch_up(now, &mut witnesses);
        }
        noted
    }

    /// The master put there what we told it. If it had called us gone before that, it did not mean what we told.
    fn told_at(&mut self, index: u64) {
        let told = *self.told.get_or_insert(index);
        if self.gone.take_if(|gone| *gone < told).is_some() {
            self.forgotten = false;
        }
    }

    /// Whether a state could be judged if it came: something of this session was heard.
    pub(super) fn may_ask(&self) -> bool {
        self.sequencer.newest().is_some()
    }

    /// A state came. Takes it if it can be of this session.
    pub(super) fn restore(
        &mut self,
        now: Moment,
        body: &[u8],
        mut witnesses: Witnesses<'_>,
    ) -> Result<(), Mistrust> {
        let snapshot = heard::snapshot(body).map_err(|_| Mistrust::Unreadable)?;
        let last = self.judge(&snapshot)?;
        self.recognition.state(snapshot.keys.iter().map(|key| &**key));
        let known = self.sequencer.complete_to();
        let is_newer = known.is_none_or(|known| last > known.try_into().unwrap_or(i64::MAX));
        if is_newer || self.sequencer.is_astray() {
            self.replica = Replica::restore(&snapshot);
            self.here = self.replica.has(&self.node);
            self.doubt();
            self.sequencer.snapshot(now, last);
            self.forgotten |= self.registered.is_some() && self.acknowledged_by(last) && !self.here;
            witnesses.stats.snapshots += 1;
            witnesses.tell(now, worker::Input::State(&snapshot));
            self.catch_up(now, &mut witnesses);
        }
        Ok(())
    }

    /// What an earlier run of ours left in the state: once, as soon as the state is known.
    pub(super) fn leftovers(&mut self) -> Option<Leftovers> {
        if self.cleaned || self.sequencer.complete_to().is_none() {
            return None;
        }
        self.cleaned = true;
        Some(Leftovers { sayings: self.belongings(), memory: self.replica.offers_memory(&self.node) })
    }

    /// What we have in the state.
    pub(super) fn belongings(&self) -> Vec<Saying> {
        let tasks = self.replica.tasks_of(&self.node).into_iter().map(Saying::TaskDropped);
        let runners = self.replica.runners_of(&self.node).into_iter().map(Saying::RunnerGone);
        tasks.chain(runners).collect()
    }

    /// The request for a part of the log.
    pub(super) fn nack(&self, since_idx: u64, random: &mut Random) -> Result<Sealed, Refusal> {
        let command_id = CommandId::from_random(random.wide());
        let command = RequestEventLog { command_id, since_idx }.into();
        seal(Topic::Commands, &ForwardedCommand { origin: self.commands.clone(), command })
    }

    /// The request that an instance goes.
    pub(super) fn delete(&self, instance_id: InstanceId, random: &mut Random) -> Result<Sealed, Refusal> {
        let command_id = CommandId::from_random(random.wide());
        let command = DeleteInstance { command_id, instance_id }.into();
        seal(Topic::Commands, &ForwardedCommand { origin: self.commands.clone(), command })
    }

    /// Whether the view is the whole cluster.
    pub(super) fn is_complete(&self) -> bool {
        self.sequencer.complete_to().is_some()
    }

    pub(super) fn view(&self) -> ClusterView {
        self.replica.view(&self.session, self.sequencer.complete_to())
    }

    /// When something is to be heard or fetched.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let snapshots = self.snapshots.deadline().filter(|_| self.may_ask());
        self.sequencer.deadline().into_iter().chain(snapshots).min()
    }

    /// When everything is to be told again, if it was forgotten.
    pub(super) fn registration(&self) -> Option<Moment> {
        self.registered.filter(|_| self.forgotten).map(|when| when + AGAIN)
    }

    /// A part of the log is about to be skipped. Before our first place in it nothing is: all was heard, if not in order.
    fn doubt(&mut self) {
        if self.sequencer.is_placed() {
            self.outbox.doubt();
        }
    }

    fn catch_up(&mut self, now: Moment, witnesses: &mut Witnesses<'_>) {
        while let Some(payload) = self.sequencer.release(now) {
            if let Ok(global) = heard::global(&payload) {
                self.apply(now, global.origin_idx, &global.event(), witnesses);
            }
        }
    }

    fn apply(&mut self, now: Moment, index: u64, event: &Event<'_>, witnesses: &mut Witnesses<'_>) {
        // exo then keeps our name and forgets our disk, our addresses and our memory: all is told again. A log that
        // is heard from an earlier place tells of our former life too; what we told since came after that.
        if let Event::NodeTimedOut(gone) = event
            && self.registered.is_some()
            && *gone.node_id == *self.node.as_str()
            && self.told.is_none_or(|told| told < index)
        {
            (self.forgotten, self.gone) = (true, Some(index));
        }
        self.replica.apply(event);
        let us = |id: &heard::Text<'_>| **id == *self.node.as_str();
        let concerns_us = match event {
            Event::NodeGatheredInfo(news) => us(&news.node_id),
            Event::NodeTimedOut(gone) => us(&gone.node_id),
            Event::TopologyEdgeCreated(edge) => us(&edge.conn.source) || us(&edge.conn.sink),
            _ => false,
        };
        if concerns_us {
            self.here = self.replica.has(&self.node);
        }
        witnesses.stats.applied += 1;
        witnesses.tell(now, worker::Input::Event(event));
    }

    fn acknowledged_by(&self, last: i64) -> bool {
        self.acknowledged.is_some_and(|index| i64::try_from(index).is_ok_and(|index| index <= last))
    }

    fn judge(&mut self, snapshot: &Snapshot<'_>) -> Result<i64, Mistrust> {
        let last = snapshot.last_event_applied_idx.ok_or(Mistrust::Unreadable)?.max(-1);
        let node = |id: &NodeId| snapshot.nodes.iter().any(|node| **node == *id.as_str());
        // Before anything of this session was heard, the state of the last one would look just as good.
        let heard = self.sequencer.newest().ok_or(Mistrust::OtherSession)?;
        let beyond = last > heard.saturating_add(AHEAD).try_into().unwrap_or(i64::MAX);
        if beyond || !node(&self.session.master_node_id) {
            return Err(Mistrust::OtherSession);
        }
        // A state that is past our registration and does not know us is another session's, or we were timed out:
        // ask again before believing the latter.
        if self.acknowledged_by(last) && !node(&self.node) {
            self.unknown_to += 1;
            if self.unknown_to < 3 {
                return Err(Mistrust::OtherSession);
            }
        }
        self.unknown_to = 0;
        Ok(last)
    }
}
