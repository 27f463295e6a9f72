//! What an SDK node says of itself by DNS-SD, so that those who may not multicast find the cluster through it.

use exo_wire::Namespace;

use super::{Locator, Role, Txt};

/// The discard port: a client has no listener, DNS-SD wants a number, and nobody dials a client.
const NO_PORT: u16 = 9;

/// A record to advertise as `_exo._tcp`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advertisement {
    /// The instance name. Random: it says nothing of the phone's owner.
    pub name: String,
    /// The port of the SRV record.
    pub port: u16,
    /// The TXT record.
    pub txt: Vec<(String, String)>,
}

impl Advertisement {
    /// A member that is attached to an exo at these places, the one that it dialled first. `None` if others could
    /// not use any of them: a member on loopback is on no real network and does not advertise.
    pub fn of_member(tag: u64, namespace: Namespace, via: &[Locator]) -> Option<Self> {
        let usable = |locator: &Locator| !locator.address().ip().to_canonical().is_loopback();
        let via: Vec<Locator> = via.iter().copied().filter(usable).collect();
        let txt = Txt::of(namespace, Role::Client, &via, None);
        (!via.is_empty()).then(|| Self { name: name(tag), port: NO_PORT, txt })
    }

    /// The founder of a cluster of phones, which listens for zenoh sessions and answers Hellos at these ports.
    pub fn of_founder(tag: u64, namespace: Namespace, zenoh_port: u16, hello_port: u16) -> Self {
        let txt = Txt::of(namespace, Role::Router, &[], Some(hello_port));
        Self { name: name(tag), port: zenoh_port, txt }
    }
}

fn name(tag: u64) -> String {
    format!("exo-mobile-{:08x}", tag as u32)
}
