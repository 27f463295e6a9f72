//! A vote. A member never sends one while an exo master exists; a cluster of phones alone elects by them.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::session::SessionId;

/// "I propose this session." The greatest message of a round wins; see [`ElectionMessage::cmp`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ElectionMessage {
    /// The round.
    pub clock: u64,
    /// How many the proposed master has led; -1 for one who does not stand.
    pub seniority: i64,
    /// Who should lead.
    pub proposed_session: SessionId,
    /// How many commands it has seen.
    pub commands_seen: u64,
}

impl Ord for ElectionMessage {
    /// exo's order: clock, seniority, commands seen, then the master's id as a string.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |m: &Self| (m.clock, m.seniority, m.commands_seen);
        let masters = || self.proposed_session.master_node_id.cmp(&other.proposed_session.master_node_id);
        let clocks = || self.proposed_session.election_clock.cmp(&other.proposed_session.election_clock);
        key(self).cmp(&key(other)).then_with(masters).then_with(clocks)
    }
}

impl PartialOrd for ElectionMessage {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
