//! What an app decides when it joins.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use exo_node::{
    Now,
    discovery::{self, Provider},
    driver::{self, FoundingOptions, MeetingPlace, WhoAmI},
    probe::LinuxProbe,
};
use exo_serving::{Host, ModelEngine};
use exo_telemetry::{
    Readings,
    probe::{Identity, Probe},
    reading::Groups,
};

use crate::{
    ExoError, Result,
    platform::{Asked, Journal, OnItsThread, Platform, identity},
    telemetry::Policy,
};

/// A cluster of phones, formed while no exo is around.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Founding {
    /// Phones of other apps are not met.
    pub app: String,
    /// Where the router listens if this phone hosts: `0.0.0.0:0` lets the system choose the port.
    #[uniffi(default = "0.0.0.0:0")]
    pub router: String,
    /// How long no exo must have been found before phones look for each other; 10 s if left out.
    #[uniffi(default = None)]
    pub alone_after: Option<Duration>,
}

/// How to join. Everything may be left out: then a stock exo is found in any way.
#[derive(Debug, Clone, uniffi::Record)]
pub struct JoinOptions {
    /// What people see in exo's dashboard; the platform's own name if left out.
    #[uniffi(default = None)]
    pub name: Option<String>,
    /// Where the node keeps its identity and the hosts that it met. Left out, and without a key store, each run is a new
    /// node.
    #[uniffi(default = None)]
    pub data_dir: Option<String>,
    /// The cluster's name, where it has one.
    #[uniffi(default = None)]
    pub namespace: Option<String>,
    /// A link that a person saw and agreed to: see `readLink`.
    #[uniffi(default = None)]
    pub confirmed_link: Option<String>,
    /// Search on this interface alone.
    #[uniffi(default = None)]
    pub interface: Option<String>,
    /// Search in these ways alone.
    #[uniffi(default = None)]
    pub only: Option<Vec<Provider>>,
    /// Where exo listens for a Hello, if not at its usual port.
    #[uniffi(default = None)]
    pub discovery_port: Option<u16>,
    /// What the owner allows.
    pub policy: Policy,
    /// By how many minutes the owner's clock is ahead of UTC, for quiet hours.
    #[uniffi(default = None)]
    pub utc_offset_minutes: Option<i16>,
    /// Measure the links to other members of this SDK.
    #[uniffi(default = true)]
    pub measure_links: bool,
    /// Serve `GET /metrics` and `GET /telemetry` at this address, such as `127.0.0.1:9473`.
    #[uniffi(default = None)]
    pub metrics: Option<String>,
    /// Hear everything, say nothing.
    #[uniffi(default = false)]
    pub listen_only: bool,
    /// Send although the cluster's build is not known.
    #[uniffi(default = false)]
    pub allow_unknown_build: bool,
    /// Form a cluster of phones while no exo is around.
    #[uniffi(default = None)]
    pub founding: Option<Founding>,
}

const ALONE_AFTER: Duration = Duration::from_secs(10);

impl JoinOptions {
    /// The core's options, with what the platform provides, and what there is to say about it.
    pub(super) fn with(self, platform: Platform) -> Result<(driver::JoinOptions, Vec<String>)> {
        let mut notes = Vec::new();
        let who = match (&platform.keys, self.data_dir) {
            (Some(keys), _) => {
                let (who, note) = identity(&**keys)?;
                notes.extend(note);
                who
            }
            (None, Some(directory)) => WhoAmI::Kept(directory.into()),
            (None, None) => WhoAmI::New,
        };
        let mut options = driver::JoinOptions::new(who);
        let search = &mut options.search;
        if let Some(namespace) = self.namespace {
            search.namespace = namespace;
        }
        search.on = self.interface;
        search.only = self.only.map(|only| only.into_iter().collect());
        if let Some(port) = self.discovery_port {
            search.discovery_port = port;
        }
        if let Some(link) = self.confirmed_link {
            search.link = Some(discovery::Link::parse(&link).map_err(ExoError::invalid)?.confirm());
        }
        if let Some(provider) = platform.discovery {
            options.dns_sd = Some(Arc::new(OnItsThread::new(provider)?));
        }
        let probe: Box<dyn Probe> = match platform.probe {
            Some(probe) => Box::new(Asked { probe }),
            None => Box::new(LinuxProbe::default()),
        };
        options.probe = match self.name {
            Some(name) => Box::new(Named { name, probe }),
            None => probe,
        };
        if let Some(sink) = platform.log {
            options.journal = Some(Arc::new(Journal::new(sink)?));
        }
        if let Some(models) = platform.models {
            options.engine = Some(Box::new(ModelEngine::new(Host::clone(&*models.inner()?))));
        }
        options.policy = self.policy.into();
        options.utc_offset = self.utc_offset_minutes;
        if !self.measure_links {
            options.probe_links = None;
        }
        options.metrics = self.metrics.as_deref().map(|text| address("metrics", text)).transpose()?;
        options.listen_only = self.listen_only;
        options.allow_unknown_build = self.allow_unknown_build;
        options.founding = self.founding.map(FoundingOptions::try_from).transpose()?;
        Ok((options, notes))
    }
}

impl TryFrom<Founding> for FoundingOptions {
    type Error = ExoError;

    fn try_from(founding: Founding) -> Result<Self> {
        Ok(Self {
            app: founding.app,
            place: MeetingPlace::Lan,
            router: address("the founding router", &founding.router)?,
            alone_after: founding.alone_after.unwrap_or(ALONE_AFTER),
        })
    }
}

fn address(what: &str, text: &str) -> Result<SocketAddr> {
    let bad =
        |_| ExoError::invalid(format!("{what}: {text:?} is no address with a port, such as 127.0.0.1:9473"));
    text.parse().map_err(bad)
}

/// A device that its owner calls differently.
struct Named {
    name: String,
    probe: Box<dyn Probe>,
}

impl Probe for Named {
    fn identity(&mut self) -> Identity {
        Identity { name: self.name.clone(), ..self.probe.identity() }
    }

    fn read(&mut self, now: Now, wanted: Groups, into: &mut Readings) {
        self.probe.read(now, wanted, into);
    }
}
