//! mDNS of our own, for hosts without a daemon that we may use.
//!
//! It has no socket until it is asked to browse or to advertise, sends on no interface that may not be searched, and
//! gives up browsing on a network that floods it. (The library below joins its multicast groups on all interfaces for a
//! moment when it starts, point-to-point ones excepted; no query or answer of ours goes out there.)

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use mdns_sd::{
    IfKind, IfPredicate, Receiver, ResolvedService, ScopedIp, ServiceDaemon, ServiceEvent, ServiceInfo,
};

use super::{DiscoveryProvider, DnsSdError, ServiceListener};
use crate::{
    discovery::{Advertisement, Service},
    driver::interfaces,
    interface::InterfaceKind,
};

const IN_DOMAIN: &str = "_exo._tcp.local.";
/// What a search may see in a minute. The daemon keeps what it hears until it expires, so a network with more than this
/// is shut out.
const MOST_EVENTS: usize = 1000;
const A_MINUTE: Duration = Duration::from_mins(1);
const MOST_ADDRESSES: usize = 16;
const MOST_ENTRIES: usize = 32;
const GOODBYE: Duration = Duration::from_millis(500);

/// mDNS of our own, for hosts without a daemon that we may use.
#[derive(Default)]
pub struct Mdns {
    on: Option<String>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    daemon: Option<ServiceDaemon>,
    browsing: bool,
    /// The full name of what is advertised.
    advertised: Option<String>,
}

impl Mdns {
    /// For all interfaces that may be searched, or for this one of them. Opens nothing yet.
    pub fn new(on: Option<String>) -> Self {
        Self { on, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// The daemon, started if it is not running.
    fn daemon(&self, state: &mut State) -> Result<ServiceDaemon, DnsSdError> {
        if let Some(daemon) = &state.daemon {
            return Ok(daemon.clone());
        }
        let daemon = ServiceDaemon::new()?;
        let on = self.on.clone();
        let forbidden = IfPredicate::new(move |entry| {
            on.as_ref().is_some_and(|on| *on != entry.name) || !may_be_searched(entry)
        });
        daemon.disable_interface(IfKind::Predicate(forbidden))?;
        Ok(state.daemon.insert(daemon).clone())
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn may_be_searched(entry: &if_addrs::Interface) -> bool {
    use InterfaceKind::{Cellular, Loopback, PointToPoint};
    !matches!(interfaces::kind(entry), Cellular | Loopback | PointToPoint)
}

impl State {
    /// Without anything to do there is no daemon, and no socket.
    fn settle(&mut self) {
        if !self.browsing
            && self.advertised.is_none()
            && let Some(daemon) = self.daemon.take()
        {
            // If it is gone already, all is well.
            let _ = daemon.shutdown();
        }
    }

    fn stop_browsing(&mut self) {
        if std::mem::take(&mut self.browsing)
            && let Some(daemon) = &self.daemon
        {
            let _ = daemon.stop_browse(IN_DOMAIN);
        }
        self.settle();
    }

    fn withdraw(&mut self) {
        if let (Some(name), Some(daemon)) = (self.advertised.take(), &self.daemon)
            && let Ok(done) = daemon.unregister(&name)
        {
            // The goodbye has to leave before the daemon ends.
            let _ = done.recv_timeout(GOODBYE);
        }
    }
}

impl DiscoveryProvider for Mdns {
    fn browse(&self, listener: Arc<dyn ServiceListener>) -> Result<(), DnsSdError> {
        let mut state = self.state();
        let events = self.daemon(&mut state)?.browse(IN_DOMAIN)?;
        state.browsing = true;
        let failed = |error: std::io::Error| DnsSdError::Failed { why: error.to_string() };
        let thread = thread::Builder::new().name("exo-dns-sd".to_owned());
        let ours = Arc::downgrade(&self.state);
        let listening = move || {
            if listen(&events, listener.as_ref()) == Heard::TooMuch {
                ours.upgrade().iter().for_each(|state| locked(state).stop_browsing());
                let why = format!("more than {MOST_EVENTS} announcements in a minute, not browsed further");
                listener.failed(DnsSdError::Failed { why });
            }
        };
        thread.spawn(listening).map_err(failed)?;
        Ok(())
    }

    fn stop_browsing(&self) {
        self.state().stop_browsing();
    }

    fn advertise(&self, advertisement: Advertisement) -> Result<(), DnsSdError> {
        let mut state = self.state();
        state.withdraw();
        let Advertisement { name, port, txt } = advertisement;
        let host = format!("{name}.local.");
        let service = ServiceInfo::new(IN_DOMAIN, &name, &host, "", port, &txt[..])?.enable_addr_auto();
        let full_name = service.get_fullname().to_owned();
        self.daemon(&mut state)?.register(service)?;
        state.advertised = Some(full_name);
        Ok(())
    }

    fn withdraw(&self) {
        let mut state = self.state();
        state.withdraw();
        state.settle();
    }
}

impl Drop for Mdns {
    fn drop(&mut self) {
        self.withdraw();
        self.stop_browsing();
    }
}

/// How listening ended.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    All,
    TooMuch,
}

/// Passes on what the daemon resolves, until it stops or has said too much.
fn listen(events: &Receiver<ServiceEvent>, listener: &dyn ServiceListener) -> Heard {
    let (mut since, mut seen) = (Instant::now(), 0);
    while seen < MOST_EVENTS {
        match events.recv() {
            Ok(ServiceEvent::ServiceResolved(service)) => listener.resolved(told(&service)),
            Ok(ServiceEvent::SearchStopped(_)) | Err(_) => return Heard::All,
            Ok(_) => {}
        }
        if since.elapsed() >= A_MINUTE {
            (since, seen) = (Instant::now(), 0);
        }
        seen += 1;
    }
    Heard::TooMuch
}

fn told(service: &ResolvedService) -> Service {
    let index = |address: &ScopedIp| match address {
        ScopedIp::V4(v4) => v4.interface_ids().first().map(|id| id.index),
        ScopedIp::V6(v6) => Some(v6.scope_id().index).filter(|index| *index != 0),
        _ => None,
    };
    let mut addresses: Vec<IpAddr> = service.addresses.iter().map(ScopedIp::to_ip_addr).collect();
    addresses.sort_unstable();
    addresses.truncate(MOST_ADDRESSES);
    let text = |value: &str| value.to_owned();
    let entries = service.txt_properties.iter().take(MOST_ENTRIES);
    Service {
        name: service.fullname.clone(),
        addresses,
        interface: service.addresses.iter().find_map(index),
        port: service.port,
        txt: entries.map(|entry| (text(entry.key()), text(entry.val_str()))).collect(),
    }
}

impl From<mdns_sd::Error> for DnsSdError {
    fn from(error: mdns_sd::Error) -> Self {
        Self::Failed { why: error.to_string() }
    }
}
