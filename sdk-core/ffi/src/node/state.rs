//! Where the membership stands.

use exo_node::{
    discovery::{Activity, Provider, ProviderStatus},
    driver,
    member::MemberState,
};

/// A way of finding a cluster.
#[uniffi::remote(Enum)]
pub enum Provider {
    /// A Hello to this very device.
    Loopback,
    /// exo's Hello to its multicast group.
    Multicast,
    /// exo's Hello to each host of the own subnet: needs no multicast right.
    Unicast,
    /// `_exo._tcp`, by the system's own daemon.
    DnsSd,
    /// An address or a link that a person gave.
    Link,
}

/// What a way of searching is doing.
#[uniffi::remote(Enum)]
pub enum Activity {
    /// Not asked for, or nothing to do.
    Off,
    /// Searching.
    Searching,
    /// It cannot search; the note says why.
    Blocked,
    /// It found a cluster.
    Found,
}

/// Where the membership stands.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Enum)]
pub enum NodeState {
    /// No cluster yet. The search says why.
    Searching,
    /// A cluster was found and is being dialled.
    Connecting {
        /// Where.
        to: String,
    },
    /// Linked; waiting for the first acknowledgement.
    Joining,
    /// The cluster knows us.
    Joined {
        /// How many nodes it has, us included.
        nodes: u32,
    },
    /// Linked, but nothing is sent: the cluster's build is not one that we know.
    ListeningOnly {
        /// What we saw that we do not know.
        why: String,
    },
    /// We were joined and something is wrong. Being repaired.
    Degraded {
        /// What.
        why: String,
    },
    /// Saying goodbye.
    Draining,
    /// Over.
    Left,
    /// Over through a fault of our own. Join again, and report it.
    Failed {
        /// What is known of it.
        why: String,
    },
}

impl From<MemberState> for NodeState {
    fn from(state: MemberState) -> Self {
        match state {
            MemberState::Searching => Self::Searching,
            MemberState::Connecting { to } => Self::Connecting { to },
            MemberState::Joining => Self::Joining,
            MemberState::Joined { nodes } => Self::Joined { nodes: nodes as u32 },
            MemberState::ListeningOnly { why } => Self::ListeningOnly { why },
            MemberState::Degraded { why } => Self::Degraded { why },
            MemberState::Draining => Self::Draining,
            MemberState::Left => Self::Left,
            MemberState::Failed { why } => Self::Failed { why },
        }
    }
}

/// What one way of searching did and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct SearchStatus {
    /// Which.
    pub provider: Provider,
    /// What it is doing.
    pub activity: Activity,
    /// One line for people.
    pub note: String,
}

pub(super) fn searched(statuses: &[ProviderStatus]) -> Vec<SearchStatus> {
    let told = |status: &ProviderStatus| SearchStatus {
        provider: status.provider,
        activity: status.activity,
        note: status.note.clone(),
    };
    statuses.iter().map(told).collect()
}

/// What a node did so far. Counters never go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Record)]
pub struct NodeStats {
    /// Payloads that were heard.
    pub heard: u64,
    /// Payloads that came faster than they could be read.
    pub overrun: u64,
    /// Payloads that were too large to be kept.
    pub oversized: u64,
    /// Payloads that could not be handed to the network.
    pub unsent: u64,
    /// Links that were lost.
    pub links_lost: u64,
}

impl From<driver::NodeStats> for NodeStats {
    fn from(stats: driver::NodeStats) -> Self {
        let driver::NodeStats { heard, overrun, oversized, unsent, links_lost, .. } = stats;
        Self { heard, overrun, oversized, unsent, links_lost }
    }
}
