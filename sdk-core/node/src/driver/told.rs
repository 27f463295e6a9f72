//! What the app is told: the newest of everything, and no history.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use exo_telemetry::{aggregator::ClusterState, topology};
use tokio::sync::watch;

use super::{journal::Scribe, link::Losses};
use crate::{
    Now,
    discovery::ProviderStatus,
    member::{ClusterView, Member, MemberState, Stats},
    now::Moment,
    vitals::{Condition, Vitals},
};

/// A view is built from the whole replica: a few times a second is enough for any screen.
const VIEW_EVERY: Duration = Duration::from_millis(250);

/// A forecast takes a fraction of a millisecond, and every member's telemetry is copied.
const TELEMETRY_EVERY: Duration = Duration::from_secs(1);

/// What a node did so far. Counters never go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeStats {
    /// Of the membership.
    pub member: Stats,
    /// Payloads that were heard.
    pub heard: u64,
    /// Payloads that came faster than they could be read; lost global events are asked for again.
    pub overrun: u64,
    /// Payloads that were too large to be kept.
    pub oversized: u64,
    /// Payloads that could not be handed to the network: it took none for seconds. Events are sent again.
    pub unsent: u64,
    /// Links that were lost.
    pub links_lost: u64,
}

/// The receiving ends, for the node's handle.
#[derive(Debug, Clone)]
pub(super) struct Reports {
    pub(super) state: watch::Receiver<MemberState>,
    pub(super) view: watch::Receiver<Arc<ClusterView>>,
    pub(super) discovery: watch::Receiver<Arc<[ProviderStatus]>>,
    pub(super) stats: watch::Receiver<NodeStats>,
    pub(super) trouble: watch::Receiver<Option<Arc<str>>>,
    pub(super) condition: watch::Receiver<Option<Arc<Condition>>>,
    pub(super) telemetry: watch::Receiver<Arc<ClusterState>>,
    pub(super) links: watch::Receiver<Arc<[topology::Link]>>,
    pub(super) api: watch::Receiver<Option<SocketAddr>>,
}

/// The sending ends, for the driver.
#[derive(Debug)]
pub(super) struct Told {
    state: watch::Sender<MemberState>,
    view: watch::Sender<Arc<ClusterView>>,
    discovery: watch::Sender<Arc<[ProviderStatus]>>,
    stats: watch::Sender<NodeStats>,
    trouble: watch::Sender<Option<Arc<str>>>,
    condition: watch::Sender<Option<Arc<Condition>>>,
    telemetry: watch::Sender<Arc<ClusterState>>,
    links: watch::Sender<Arc<[topology::Link]>>,
    api: watch::Sender<Option<SocketAddr>>,
    losses: Arc<Losses>,
    scribe: Scribe,
    view_is_old: bool,
    next_view: Moment,
    vitals_are_old: bool,
    next_vitals: Moment,
}

impl Told {
    pub(super) fn new(losses: Arc<Losses>, scribe: Scribe) -> (Self, Reports) {
        let state = watch::Sender::new(MemberState::Searching);
        let view = watch::Sender::new(Arc::default());
        let discovery = watch::Sender::new(Arc::default());
        let stats = watch::Sender::new(NodeStats::default());
        let trouble = watch::Sender::new(None);
        let condition = watch::Sender::new(None);
        let telemetry = watch::Sender::new(Arc::default());
        let links = watch::Sender::new(Arc::default());
        let api = watch::Sender::new(None);
        let reports = Reports {
            state: state.subscribe(),
            view: view.subscribe(),
            discovery: discovery.subscribe(),
            stats: stats.subscribe(),
            trouble: trouble.subscribe(),
            condition: condition.subscribe(),
            telemetry: telemetry.subscribe(),
            links: links.subscribe(),
            api: api.subscribe(),
        };
        let told = Self {
            state,
            view,
            discovery,
            stats,
            trouble,
            condition,
            telemetry,
            links,
            api,
            losses,
            scribe,
            view_is_old: false,
            next_view: Moment::default(),
            vitals_are_old: false,
            next_vitals: Moment::default(),
        };
        (told, reports)
    }

    /// The member said that something changed; [`Self::refresh`] tells it.
    pub(super) const fn member_changed(&mut self) {
        self.view_is_old = true;
    }

    /// The vitals said that something changed; [`Self::refresh_vitals`] tells it.
    pub(super) const fn vitals_changed(&mut self) {
        self.vitals_are_old = true;
    }

    /// The state, if it is a new one.
    pub(super) fn tell_state(&self, state: MemberState) {
        self.state.send_if_modified(|told| {
            let is_new = *told != state;
            if is_new {
                self.scribe.state(&state);
            }
            *told = state;
            is_new
        });
    }

    /// For the one that outlives the driver: the state after a fault.
    pub(super) fn last_word(&self) -> (watch::Sender<MemberState>, Scribe) {
        (self.state.clone(), self.scribe.clone())
    }

    /// What discovery's providers say.
    pub(super) fn tell_discovery(&self, statuses: Vec<ProviderStatus>) {
        self.scribe.discovery(&self.discovery.borrow(), &statuses);
        self.discovery.send_replace(statuses.into());
    }

    /// What the network said when something did not work.
    pub(super) fn tell_trouble(&self, why: &str) {
        self.scribe.trouble(why);
        self.trouble.send_replace(Some(why.into()));
    }

    /// The links that we measured ourselves.
    pub(super) fn tell_links(&self, links: Vec<topology::Link>) {
        self.links.send_replace(links.into());
    }

    /// Everything that changed, the state last: who sees *joined* finds the figures and the view that go with it. A
    /// view waits for its time, unless there is a new state. `stats` holds what earlier members of this node did.
    pub(super) fn refresh(&mut self, now: Moment, member: &Member, mut stats: NodeStats) {
        stats.member += member.stats();
        stats.overrun = self.losses.overrun.load(Relaxed);
        stats.oversized = self.losses.oversized.load(Relaxed);
        self.stats.send_if_modified(|told| {
            let is_new = *told != stats;
            *told = stats;
            is_new
        });
        let api = member.api();
        self.api.send_if_modified(|told| std::mem::replace(told, api) != api);
        let is_new = *self.state.borrow() != *member.state();
        if self.view_is_old && (is_new || now >= self.next_view) {
            self.view_is_old = false;
            self.next_view = now + VIEW_EVERY;
            self.view.send_replace(Arc::new(member.view()));
        }
        if is_new {
            self.tell_state(member.state().clone());
        }
    }

    /// How we and the others are, if that changed and it is time.
    pub(super) fn refresh_vitals(
        &mut self,
        now: Now,
        vitals: &mut Vitals,
    ) -> Option<(Arc<Condition>, Arc<ClusterState>)> {
        if !self.vitals_are_old || now.mono < self.next_vitals {
            return None;
        }
        self.vitals_are_old = false;
        self.next_vitals = now.mono + TELEMETRY_EVERY;
        let (condition, cluster) = (Arc::new(vitals.condition(now)), Arc::new(vitals.cluster(now)));
        self.condition.send_replace(Some(condition.clone()));
        self.telemetry.send_replace(cluster.clone());
        Some((condition, cluster))
    }

    /// When [`Self::refresh`] or [`Self::refresh_vitals`] has something to do.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let view = self.view_is_old.then_some(self.next_view);
        let vitals = self.vitals_are_old.then_some(self.next_vitals);
        view.into_iter().chain(vitals).min()
    }
}
