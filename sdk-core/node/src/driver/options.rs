//! What an app decides when it joins.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use exo_telemetry::{policy::Policy, probe::Probe, thermal::GovernorConfig};
use exo_wire::{NodeId, gathered::Backend};

use super::{FoundingOptions, dns_sd::DiscoveryProvider, journal::Journal};
use crate::{discovery::SearchConfig, probe::LinuxProbe, worker::Engine};

/// Who this device is to the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhoAmI {
    /// The id that is kept in this directory; made at the first start.
    Kept(PathBuf),
    /// This id: the app keeps it.
    Given(NodeId),
    /// A new id for this run alone. exo remembers each until its session ends, so this is for tests.
    New,
}

/// How to join. [`JoinOptions::new`] is what an app wants.
pub struct JoinOptions {
    /// Who we are.
    pub who: WhoAmI,
    /// What is searched, and where.
    pub search: SearchConfig,
    /// Who does DNS-SD: the system of a phone, through the app. Without one the node does it itself.
    pub dns_sd: Option<Arc<dyn DiscoveryProvider>>,
    /// How the device is. Asked on a thread of its own, never twice at once; one that hangs or panics is not waited for.
    pub probe: Box<dyn Probe>,
    /// What the owner of the device allows. A device that may not work offers no backend and no memory to exo.
    pub policy: Policy,
    /// Which heat is too much. `None`: what suits the type of device that the probe says it is.
    pub governor: Option<GovernorConfig>,
    /// What runs models on this device: with it the node serves what exo places on it, and offers what it can. `None`: this
    /// device runs nothing for exo.
    pub engine: Option<Box<dyn Engine>>,
    /// What is offered without an engine of the node's own, in exo's words: the app answers for it. With one, the engine's
    /// own word counts.
    pub backends: Vec<Backend>,
    /// By how many minutes the owner's clock is ahead of UTC, for quiet hours.
    pub utc_offset: Option<i16>,
    /// Answer probes of links at this address, at a port that the system chooses, and probe the links to other members of
    /// this SDK, and how long it takes to connect to exo's nodes: within 1% of each link and 64 KiB/s, and never where
    /// bytes cost money. `None`: nothing is measured.
    pub probe_links: Option<Ipv4Addr>,
    /// Serve `GET /metrics` for Prometheus and `GET /telemetry` here. Nothing in them is secret, but only who runs on
    /// this device needs them: use a loopback address.
    pub metrics: Option<SocketAddr>,
    /// Hear everything, say nothing.
    pub listen_only: bool,
    /// Send although the cluster's build is not known.
    pub allow_unknown_build: bool,
    /// How often something is sent while nobody looks: 5 to 10 s.
    pub telemetry_every: Duration,
    /// Serve `GET /node_id` here. Each exo node that asks makes an edge of it, and with edges exo prefers this
    /// device to its own machines: only for a device that can serve.
    pub expose_node_id: Option<SocketAddr>,
    /// Form a cluster of phones while no exo is around. Off by default.
    pub founding: Option<FoundingOptions>,
    /// Where what happens is written, line by line.
    pub journal: Option<Arc<dyn Journal>>,
}

impl JoinOptions {
    /// Joins a stock exo that is found in any way, and describes the host.
    pub fn new(who: WhoAmI) -> Self {
        Self {
            who,
            search: SearchConfig::default(),
            dns_sd: None,
            probe: Box::new(LinuxProbe::default()),
            policy: Policy::default(),
            governor: None,
            engine: None,
            backends: Vec::new(),
            utc_offset: None,
            probe_links: Some(Ipv4Addr::UNSPECIFIED),
            metrics: None,
            listen_only: false,
            allow_unknown_build: false,
            telemetry_every: Duration::from_secs(10),
            expose_node_id: None,
            founding: None,
            journal: None,
        }
    }
}

impl std::fmt::Debug for JoinOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JoinOptions")
            .field("who", &self.who)
            .field("search", &self.search)
            .field("policy", &self.policy)
            .field("backends", &self.backends)
            .field("metrics", &self.metrics)
            .field("listen_only", &self.listen_only)
            .field("allow_unknown_build", &self.allow_unknown_build)
            .field("telemetry_every", &self.telemetry_every)
            .field("expose_node_id", &self.expose_node_id)
            .field("founding", &self.founding)
            .finish_non_exhaustive()
    }
}
