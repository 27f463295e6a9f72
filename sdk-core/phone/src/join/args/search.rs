//! The flags that say what is searched, and where.

use std::collections::BTreeSet;

use clap::Args as ClapArgs;
use exo_node::{
    discovery::{Link, Provider, SearchConfig, UnconfirmedLink},
    driver::interfaces,
};
use exo_wire::datagram::{DEFAULT_NAMESPACE, DISCOVERY_PORT};

/// What is searched, and where.
#[derive(ClapArgs, Debug)]
pub(crate) struct SearchArgs {
    #[arg(
        long,
        value_name = "LINK",
        help = "Join the exo there: exo://HOST[:PORT][?ns=TEXT&api=PORT], or just HOST"
    )]
    link: Option<String>,
    /// The cluster's namespace, if exo was started with one
    #[arg(long, value_name = "TEXT")]
    namespace: Option<String>,
    /// Search on this interface alone
    #[arg(long, value_name = "IFACE")]
    on: Option<String>,
    /// Search in this way alone: loopback, link, dns-sd, unicast or multicast; may be given several times
    #[arg(long, value_name = "WAY")]
    only: Vec<Provider>,
    /// Where exo listens for discovery
    #[arg(long, value_name = "PORT", default_value_t = DISCOVERY_PORT)]
    discovery_port: u16,
}

impl SearchArgs {
    /// What discovery is told, or what to write instead.
    pub(crate) fn config(&self) -> Result<SearchConfig, String> {
        // Typing a link is agreeing to it.
        let link = self.link.as_deref().map(Link::parse).transpose().map_err(|error| error.to_string())?;
        let link = link.map(UnconfirmedLink::confirm);
        let only: BTreeSet<Provider> = self.only.iter().copied().collect();
        if only.contains(&Provider::Link) && link.is_none() {
            return Err("--only link needs a link: add --link exo://HOST".to_owned());
        }
        if !only.is_empty() && !only.contains(&Provider::Link) && link.is_some() {
            return Err("--link is given but left out by --only: add --only link".to_owned());
        }
        let named = link.as_ref().and_then(Link::namespace);
        if let (Some(of_link), Some(given)) = (named, self.namespace.as_deref())
            && of_link != given
        {
            return Err(format!(
                "the link says ns={of_link}, --namespace says {given}: leave one of them out"
            ));
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
}

fn check_interface(on: &str) -> Result<(), String> {
    let known: Vec<String> =
        interfaces::list().unwrap_or_default().into_iter().map(|interface| interface.name).collect();
    if known.iter().any(|name| name == on) {
        return Ok(());
    }
    Err(format!("no interface {on:?} is up; write one of: {}", known.join(", ")))
}
