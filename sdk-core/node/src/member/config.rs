//! What an app decides once.

use std::time::Duration;

use exo_wire::NodeId;

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
