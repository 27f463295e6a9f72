//! Which master, and since when.

use serde::{Deserialize, Serialize};

use crate::id::NodeId;

/// A reign: one master and the election clock at which it began. A new session means an empty state and a new log.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionId {
    /// The node that orders the events.
    pub master_node_id: NodeId,
    /// The clock of the election that it won. After a complete restart of exo clocks begin again at 0, so a lower
    /// clock does not mean an older session.
    pub election_clock: u64,
}
