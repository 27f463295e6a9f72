//! The flags of `join` and `found`, and what they mean to the node.

mod rehearse;
mod search;

use std::{
    net::{Ipv6Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use clap::Args as ClapArgs;
use exo_node::{
    driver::{FoundingOptions, JoinOptions, MeetingPlace, WhoAmI, default_data_dir},
    probe::LinuxProbe,
    worker::rehearsal::{Rehearsal, Script},
};
use exo_telemetry::probe::Probe;
use exo_wire::datagram::API_PORT;

use crate::{
    profiles::{Profile, SimulatedProbe},
    stop,
};
pub(crate) use search::SearchArgs;

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
    phone: PhoneArgs,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
}

/// Search for exo, and form a cluster of phones while there is none
///
/// Phones that found find each other by multicast, in a namespace of their own that exo never answers to. One of them
/// opens a router and orders the events. When an exo appears, the phones close their cluster before they join it.
#[derive(ClapArgs, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct FoundArgs {
    #[command(flatten)]
    phone: PhoneArgs,
    /// Phones that found under other names are not met
    #[arg(long, value_name = "NAME", default_value = "exo-phone")]
    app: String,
    /// Where the router listens if this phone hosts; the port after it serves the state [default: the system's choice]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    zenoh_port: u16,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
}

/// How it is shown.
#[derive(ClapArgs, Debug)]
pub(crate) struct ShowArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Leave after so many seconds
    #[arg(long, value_name = "N", value_parser = stop::seconds)]
    pub(crate) seconds: Option<Duration>,
}

/// What all phones can be told.
#[derive(ClapArgs, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people write")]
pub(crate) struct PhoneArgs {
    #[command(flatten)]
    search: SearchArgs,
    /// What exo's dashboard calls this device
    #[arg(long)]
    name: Option<String>,
    /// Be a simulated device instead of this computer
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Hear everything, say nothing
    #[arg(long)]
    listen_only: bool,
    /// Send even if the cluster's build is not one that we know; a message that it does not take ends every exo process
    #[arg(long)]
    allow_unknown_build: bool,
    /// Where the node id is kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Measure what this device can do, for a third of a second, and tell other members of this SDK
    #[arg(long)]
    calibrate: bool,
    /// Do not measure the links to other members of this SDK
    #[arg(long)]
    no_link_probes: bool,
    /// Serve GET /metrics (Prometheus) and GET /telemetry there, for programs on this computer
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:9473",
        value_parser = address)]
    metrics: Option<SocketAddr>,
    #[arg(
        long,
        help = "Serve GET /node_id, so that exo draws links to this device and prefers it for models"
    )]
    expose_node_id: bool,
    /// Run no model, but serve as if: for tests
    #[arg(long, value_name = "SCRIPT", num_args = 0..=1, default_missing_value = "", value_parser = rehearse::script,
        hide = true)]
    rehearse: Option<Script>,
    /// Where it is served: exo asks at its own API port
    #[arg(long, value_name = "PORT", default_value_t = API_PORT, requires = "expose_node_id")]
    api_port: u16,
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
  note       text: what the network said when something did not work

Ends with:
  0  left: the goodbye was acknowledged, or there was nobody to say it to
  1  a fault; the message says which
  2  a flag or link that cannot be used; the message says what to write instead
  3  left, but the cluster did not acknowledge the goodbye in time
  130  Ctrl-C was pressed twice: ended at once, without a goodbye

Examples:
  exo-phone join
  exo-phone join --link exo://192.168.1.7 --name 'Ada'
  exo-phone join --only unicast --on wlan0 --json";

impl JoinArgs {
    /// Whether the device is to be measured.
    pub(crate) const fn calibrates(&self) -> bool {
        self.phone.calibrate
    }

    /// What the node is told, or what to write instead.
    pub(crate) fn options(&self) -> Result<JoinOptions, String> {
        self.phone.options()
    }
}

impl FoundArgs {
    /// Whether the device is to be measured.
    pub(crate) const fn calibrates(&self) -> bool {
        self.phone.calibrate
    }

    /// What the node is told, or what to write instead.
    pub(crate) fn options(&self) -> Result<JoinOptions, String> {
        if self.zenoh_port == u16::MAX {
            return Err(
                "--zenoh-port 65535 leaves no port for the state after it: write a smaller one".to_owned()
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
    /// Whether the device is to be measured.
    pub(crate) const fn calibrates(&self) -> bool {
        self.calibrate
    }

    /// What the node is told, or what to write instead.
    pub(crate) fn options(&self) -> Result<JoinOptions, String> {
        let who = match self.data_dir.clone().or_else(default_data_dir) {
            Some(directory) => WhoAmI::Kept(directory),
            None => return Err("no home directory to keep the node id in; write --data-dir DIR".to_owned()),
        };
        let mut options = JoinOptions::new(who);
        options.search = self.search.config()?;
        options.probe = self.probe();
        options.metrics = self.metrics;
        if let Some(script) = &self.rehearse {
            options.engine = Some(Box::new(Rehearsal::new(script.clone())));
        }
        options.probe_links.take_if(|_| self.no_link_probes);
        options.listen_only = self.listen_only;
        options.allow_unknown_build = self.allow_unknown_build;
        options.expose_node_id = self.expose_node_id.then(|| SocketAddr::from(([0, 0, 0, 0], self.api_port)));
        Ok(options)
    }

    fn probe(&self) -> Box<dyn Probe> {
        if let Some(profile) = self.profile {
            return Box::new(SimulatedProbe::new(profile, self.name.clone()));
        }
        let probe = LinuxProbe::default();
        match &self.name {
            Some(name) => Box::new(probe.named(name.as_str())),
            None => Box::new(probe),
        }
    }
}

/// An address to serve at, as people write it.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an address with a port, such as 127.0.0.1:9473".to_owned())
}
