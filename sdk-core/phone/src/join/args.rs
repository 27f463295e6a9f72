//! The flags of `join`, and what they mean to the node.

use std::{
    collections::BTreeSet,
    net::{Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use clap::Args as ClapArgs;
use exo_node::{
    discovery::{Link, Provider, SearchConfig},
    driver::{
        FoundingOptions, HostProbe, JoinOptions, MeetingPlace, Probe, WhoAmI, default_data_dir, interfaces,
    },
};
use exo_wire::datagram::{API_PORT, DEFAULT_NAMESPACE, DISCOVERY_PORT};

use crate::profiles::{Profile, SimulatedProbe};

/// How long no exo must have been found before phones look for each other.
const ALONE_AFTER: Duration = Duration::from_secs(3);

/// Search the network for exo, join it, and stay until Ctrl-C
///
/// All ways of searching run at once. With nothing found in 5 s it says what was tried, what each way saw and what to
/// do next, and goes on searching.
#[derive(ClapArgs, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct JoinArgs {
    #[command(flatten)]
    pub(crate) phone: PhoneArgs,
}

/// Search for exo, and form a cluster of phones while there is none
///
/// Phones that found find each other by multicast, in a namespace of their own that exo never answers to. One of them
/// opens a router and orders the events. When an exo appears, the phones close their cluster before they join it.
#[derive(ClapArgs, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct FoundArgs {
    #[command(flatten)]
    pub(crate) phone: PhoneArgs,
    /// Phones that found under other names are not met
    #[arg(long, value_name = "NAME", default_value = "exo-phone")]
    app: String,
    /// Where the router listens if this phone hosts; /state is served at the port after it [default: the system's choice]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    zenoh_port: u16,
}

/// What all phones can be told.
#[derive(ClapArgs, Debug)]
pub(crate) struct PhoneArgs {
    /// Join the exo there: exo://HOST[:PORT][?ns=TEXT&api=PORT], or just HOST
    #[arg(long, value_name = "LINK")]
    link: Option<String>,
    /// The cluster's namespace, if exo was started with one
    #[arg(long, value_name = "TEXT")]
    namespace: Option<String>,
    /// What exo's dashboard calls this device
    #[arg(long)]
    name: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Be a simulated device instead of this computer
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Hear everything, say nothing
    #[arg(long)]
    listen_only: bool,
    /// Send even if the cluster's build is not one that we know; a message that it does not take ends every exo process
    #[arg(long)]
    allow_unknown_build: bool,
    /// Search on this interface alone
    #[arg(long, value_name = "IFACE")]
    on: Option<String>,
    /// Search in this way alone: loopback, link, dns-sd, unicast or multicast; may be given several times
    #[arg(long, value_name = "WAY")]
    only: Vec<Provider>,
    /// Where the node id is kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Where exo listens for discovery
    #[arg(long, value_name = "PORT", default_value_t = DISCOVERY_PORT)]
    discovery_port: u16,
    /// Serve GET /node_id, so that exo draws links to this device and prefers it for models
    #[arg(long)]
    expose_node_id: bool,
    /// Where /node_id is served: exo asks at its own API port
    #[arg(long, value_name = "PORT", default_value_t = API_PORT, requires = "expose_node_id")]
    api_port: u16,
    /// Leave after so many seconds
    #[arg(long, value_name = "N")]
    pub(crate) seconds: Option<f64>,
}

const AFTER_HELP: &str = "\
JSON lines (--json): every line has `at` (seconds since the start) and `kind`:
  started    schema, version, node_id, namespace, notes
  state      state: searching, connecting, joining, joined, listening_only, degraded, draining, left, failed;
             with `to`, `nodes` or `why` where it has one
  discovery  providers: [{provider, activity: off|searching|blocked|found, note}]
  view       session, complete_to, nodes: {id: {...}}, instances, links
  stats      sent, acked, resent, nacks, refused, applied, unreadable, sessions, snapshots, dials,
             heard, overrun, oversized, unsent, links_lost
  advice     text: nothing was found for 5 s
  note       text

Ends with:
  0  left: the goodbye was acknowledged, or there was nobody to say it to
  1  a fault; the message says which
  2  a flag or link that cannot be used; the message says what to write instead
  3  left, but the cluster did not acknowledge the goodbye in time

Examples:
  exo-phone join
  exo-phone join --link exo://192.168.1.7 --name 'Ada'
  exo-phone join --only unicast --on wlan0 --json";

impl FoundArgs {
    /// What the node is told, or what to write instead.
    pub(crate) fn options(&self) -> Result<JoinOptions, String> {
        if self.zenoh_port == u16::MAX {
            return Err(
                "--zenoh-port 65535 leaves no port for /state after it: write a smaller one".to_owned()
            );
        }
        let mut options = self.phone.options()?;
        options.founding = Some(FoundingOptions {
            app: self.app.clone(),
            place: MeetingPlace::Lan,
            router: SocketAddr::from((Ipv6Addr::UNSPECIFIED, self.zenoh_port)),
            alone_after: ALONE_AFTER,
        });
        Ok(options)
    }
}

impl PhoneArgs {
    /// What the node is told, or what to write instead.
    pub(crate) fn options(&self) -> Result<JoinOptions, String> {
        let who = match self.data_dir.clone().or_else(default_data_dir) {
            Some(directory) => WhoAmI::Kept(directory),
            None => return Err("no home directory to keep the node id in; write --data-dir DIR".to_owned()),
        };
        let mut options = JoinOptions::new(who);
        options.search = self.search()?;
        options.probe = self.probe();
        options.listen_only = self.listen_only;
        options.allow_unknown_build = self.allow_unknown_build;
        options.expose_node_id = self.expose_node_id.then(|| SocketAddr::from(([0, 0, 0, 0], self.api_port)));
        Ok(options)
    }

    fn search(&self) -> Result<SearchConfig, String> {
        // Typing a link is agreeing to it.
        let link = self.link.as_deref().map(Link::parse).transpose().map_err(|error| error.to_string())?;
        let link = link.map(|link| link.confirm());
        let only: BTreeSet<Provider> = self.only.iter().copied().collect();
        if only.contains(&Provider::Link) && link.is_none() {
            return Err("--only link needs a link: add --link exo://HOST".to_owned());
        }
        if !only.is_empty() && !only.contains(&Provider::Link) && link.is_some() {
            return Err("--link is given but left out by --only: add --only link".to_owned());
        }
        if let Some(on) = &self.on {
            check_interface(on)?;
        }
        Ok(SearchConfig {
            namespace: self.namespace.clone().unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned()),
            on: self.on.clone(),
            only: (!only.is_empty()).then_some(only),
            discovery_port: self.discovery_port,
            link,
            ..SearchConfig::default()
        })
    }

    fn probe(&self) -> Arc<dyn Probe> {
        if let Some(profile) = self.profile {
            return Arc::new(SimulatedProbe::new(profile, self.name.clone()));
        }
        let probe = HostProbe::default();
        match &self.name {
            Some(name) => Arc::new(probe.named(name.as_str())),
            None => Arc::new(probe),
        }
    }
}

fn check_interface(on: &str) -> Result<(), String> {
    let known: Vec<String> =
        interfaces::list().unwrap_or_default().into_iter().map(|interface| interface.name).collect();
    if known.iter().any(|name| name == on) {
        return Ok(());
    }
    Err(format!("no interface {on:?} is up; write one of: {}", known.join(", ")))
}
