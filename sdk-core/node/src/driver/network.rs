//! The network below the membership: discovery's sockets, DNS-SD and the list of interfaces.
//!
//! A task of its own owns the sockets, so that a slow system call never keeps the machines waiting. What comes in is
//! bounded: a flood of datagrams is dropped here, which is what a network does anyway.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{
    net::lookup_host,
    sync::mpsc::{self, Receiver, Sender},
    task::JoinHandle,
    time::{self, Instant},
};

use super::{
    dns_sd::{DiscoveryProvider, DnsSdError, ServiceListener},
    interfaces,
    sockets::{Bind, LARGEST_DATAGRAM, Sockets},
    window::Window,
};
use crate::{
    discovery::{Advertisement, Input, Obstacle, Provider, Service},
    interface::Interface,
};

const WAITING_EVENTS: usize = 256;
const WAITING_WISHES: usize = 512;
/// Sockets that broke are opened again, but not faster than this.
const REOPEN_AFTER: Duration = Duration::from_secs(1);
const RESOLVE_WITHIN: Duration = Duration::from_secs(5);

/// What happens on the network.
#[derive(Debug)]
pub(super) enum NetworkEvent {
    /// The interfaces that are up now.
    Interfaces(Vec<Interface>),
    /// Bytes came.
    Datagram(SocketAddr, Vec<u8>),
    /// DNS-SD resolved a service.
    Service(Service),
    /// A name was looked up.
    Resolved(String, Result<Vec<IpAddr>, String>),
    /// The system refused something.
    Refused(Input<'static>),
}

#[derive(Debug)]
enum Wish {
    Send(Provider, SocketAddr, Vec<u8>),
    Resolve(String),
}

/// The network's side of the driver. Dropping it closes everything.
pub(super) struct Network {
    events: Receiver<NetworkEvent>,
    tell: Sender<NetworkEvent>,
    wishes: Sender<Wish>,
    dns_sd: Arc<dyn DiscoveryProvider>,
    interfaces: Vec<Interface>,
    advertised: Option<Advertisement>,
    advertising: Option<JoinHandle<()>>,
    task: JoinHandle<()>,
}

impl Network {
    /// Opens sockets and watches the interfaces.
    pub(super) fn start(bind: Bind, dns_sd: Arc<dyn DiscoveryProvider>) -> Self {
        let (tell, events) = mpsc::channel(WAITING_EVENTS);
        let (wishes, asked) = mpsc::channel(WAITING_WISHES);
        let task = tokio::spawn(run(bind, asked, tell.clone()));
        Self {
            events,
            tell,
            wishes,
            dns_sd,
            interfaces: Vec::new(),
            advertised: None,
            advertising: None,
            task,
        }
    }

    /// The next thing that happens. Safe to drop while it waits.
    pub(super) async fn next(&mut self) -> NetworkEvent {
        match self.events.recv().await {
            Some(event) => {
                if let NetworkEvent::Interfaces(all) = &event {
                    self.interfaces.clone_from(all);
                }
                event
            }
            // We hold a sender ourselves, so this does not happen.
            None => std::future::pending().await,
        }
    }

    /// The interfaces that were last heard of.
    pub(super) fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// Sends a datagram, as reliably as datagrams are.
    pub(super) fn send(&self, provider: Provider, to: SocketAddr, bytes: Vec<u8>) {
        let _ = self.wishes.try_send(Wish::Send(provider, to, bytes));
    }

    /// Looks a name up.
    pub(super) fn resolve(&self, host: String) {
        let _ = self.wishes.try_send(Wish::Resolve(host));
    }

    /// Browses for `_exo._tcp`, or stops.
    pub(super) fn browse(&self, browsing: bool) {
        if !browsing {
            self.dns_sd.stop_browsing();
        } else if let Err(error) = self.dns_sd.browse(Arc::new(Listener(self.tell.clone()))) {
            Listener(self.tell.clone()).failed(error);
        }
    }
}

impl Network {
    /// Advertises this and nothing else, or nothing. The system may take its time, so it is not waited for.
    pub(super) fn advertise(&mut self, wanted: Option<Advertisement>) {
        if self.advertised == wanted {
            return;
        }
        self.advertised.clone_from(&wanted);
        let (dns_sd, before) = (self.dns_sd.clone(), self.advertising.take());
        self.advertising = Some(tokio::spawn(async move {
            if let Some(before) = before {
                let _ = before.await;
            }
            let advertise = move || match wanted {
                // Nobody depends on it: what cannot be advertised is not.
                Some(advertisement) => drop(dns_sd.advertise(advertisement)),
                None => dns_sd.withdraw(),
            };
            let _ = tokio::task::spawn_blocking(advertise).await;
        }));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.task.abort();
        self.dns_sd.stop_browsing();
        self.dns_sd.withdraw();
    }
}

/// Carries what DNS-SD sees to the driver.
struct Listener(Sender<NetworkEvent>);

impl ServiceListener for Listener {
    fn resolved(&self, service: Service) {
        let _ = self.0.try_send(NetworkEvent::Service(service));
    }

    fn failed(&self, error: DnsSdError) {
        let (obstacle, why) = match error {
            DnsSdError::NotPermitted { why } => (Obstacle::NotPermitted, why),
            DnsSdError::Failed { why } => (Obstacle::Other, why),
        };
        let refused = Input::Refused { provider: Provider::DnsSd, interface: None, obstacle, why };
        let _ = self.0.try_send(NetworkEvent::Refused(refused));
    }
}

/// Owns the sockets, and opens them again when they broke.
async fn run(bind: Bind, mut wishes: Receiver<Wish>, tell: Sender<NetworkEvent>) {
    let mut watch = interfaces::Watch::default();
    loop {
        match Sockets::open(bind) {
            Ok(sockets) => {
                let error = use_sockets(&sockets, &mut watch, &mut wishes, &tell).await;
                if error.is_none() {
                    return;
                }
            }
            Err(error) => {
                for provider in [Provider::Multicast, Provider::Unicast] {
                    let why = format!("no socket: {error}");
                    let refused =
                        Input::Refused { provider, interface: None, obstacle: Obstacle::Other, why };
                    let _ = tell.try_send(NetworkEvent::Refused(refused));
                }
            }
        }
        time::sleep(REOPEN_AFTER).await;
    }
}

/// Works until the sockets break, or until nobody wishes anything any more (`None`).
async fn use_sockets(
    sockets: &Sockets,
    watch: &mut interfaces::Watch,
    wishes: &mut Receiver<Wish>,
    tell: &Sender<NetworkEvent>,
) -> Option<std::io::Error> {
    let mut buffer = [0; LARGEST_DATAGRAM];
    let mut window = Window::new(Instant::now());
    loop {
        tokio::select! {
            received = async { window.has_room().await; sockets.receive(&mut buffer).await } => match received {
                Ok((length, from)) => {
                    window.took();
                    let bytes = buffer.get(..length).unwrap_or_default().to_vec();
                    let _ = tell.try_send(NetworkEvent::Datagram(from, bytes));
                }
                Err(error) => return Some(error),
            },
            wish = wishes.recv() => match wish? {
                Wish::Send(provider, to, bytes) => {
                    if let Some(refused) = sockets.send(provider, to, &bytes).await {
                        let _ = tell.try_send(NetworkEvent::Refused(refused));
                    }
                }
                Wish::Resolve(host) => {
                    tokio::spawn(resolve(host, tell.clone()));
                }
            },
            all = watch.changed() => {
                // The one event that must not be lost.
                tell.send(NetworkEvent::Interfaces(all)).await.ok()?;
            }
        }
    }
}

async fn resolve(host: String, tell: Sender<NetworkEvent>) {
    let addresses = match time::timeout(RESOLVE_WITHIN, lookup_host((host.as_str(), 0))).await {
        Ok(Ok(found)) => Ok(found.map(|address| address.ip()).take(16).collect()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer".to_owned()),
    };
    let _ = tell.try_send(NetworkEvent::Resolved(host, addresses));
}
