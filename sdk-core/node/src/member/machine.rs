//! The member itself: it composes the machines beside it and owns none of their rules.

use std::{collections::VecDeque, time::Duration};

use exo_wire::{NodeId, SessionId};

use super::{ClusterView, Input, MemberState, Output, Stats};
use crate::{Now, Random, now::Moment};

/// What an app decides once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberConfig {
    /// Who we are. Kept between runs: exo never forgets a node's name within a session, so a new id at each start
    /// would fill its dashboard with ghosts.
    pub node_id: NodeId,
    /// Hear everything, say nothing.
    pub listen_only: bool,
    /// Send although the cluster's build is not known.
    pub allow_unknown_build: bool,
    /// How often something is sent while nobody looks: 5 to 10 s; what lies outside is brought to the nearer end.
    pub telemetry_every: Duration,
}

impl MemberConfig {
    /// The defaults for this node.
    pub const fn of(node_id: NodeId) -> Self {
        Self {
            node_id,
            listen_only: false,
            allow_unknown_build: false,
            telemetry_every: Duration::from_secs(10),
        }
    }
}

/// One membership. See the module for its states.
#[derive(Debug)]
pub struct Member {
    config: MemberConfig,
    random: Random,
    outputs: VecDeque<Output>,
    state: MemberState,
    view: ClusterView,
    stats: Stats,
    started: Moment,
}

impl Member {
    /// A member that searches.
    pub fn new(config: MemberConfig, random: Random, now: Now) -> Self {
        Self {
            config,
            random,
            outputs: VecDeque::from([Output::Search(true)]),
            state: MemberState::Searching,
            view: ClusterView::default(),
            stats: Stats::default(),
            started: now.mono,
        }
    }

    /// Feeds one input. Never blocks, never fails: bad input is itself an observation.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        let _ = (now, input, &mut self.random);
    }

    /// The next thing that the member wants; `None` until something changes.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to call [`Self::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        Some(self.started)
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
        self.view.clone()
    }

    /// The reign that we follow.
    pub const fn session(&self) -> Option<&SessionId> {
        self.view.session.as_ref()
    }

    /// What was sent and heard so far.
    pub const fn stats(&self) -> Stats {
        self.stats
    }
}
