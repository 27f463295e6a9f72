//! The phone that hosts: a zenoh router, the master of its session, and `/state` for those who join late.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use exo_wire::{SessionId, Topic, Zid};
use tokio::sync::oneshot;

use crate::{
    Now,
    discovery::Locator,
    driver::{
        entropy,
        http::{Pages, Server},
        link::{self, Link, LinkEvent, Losses, Role},
    },
    master::{Input, Limits, Master},
    now::Moment,
};

/// What a master hears.
const MASTER: &[Topic] = &[Topic::LocalEvents, Topic::Commands];
/// Pairs of ports that are tried when the system chooses.
const TRIES: usize = 16;
const PAGE_EVERY: Duration = Duration::from_secs(1);

/// A router with its master.
pub(in crate::driver) struct Host {
    link: Link,
    master: Master,
    pages: Arc<Pages>,
    port: u16,
    next_page: Moment,
    shown: Option<u64>,
    _server: Server,
}

/// The HTTP port of a host: the one after its router's, since a `WhatsUp` has room for one port alone.
pub(super) const fn api_port(router: u16) -> u16 {
    router.wrapping_add(1)
}

impl Host {
    /// Opens a router at this address, or at ports that the system chooses (0).
    pub(super) async fn open(
        at: SocketAddr,
        zid: Zid,
        session: SessionId,
        losses: Arc<Losses>,
        now: Now,
    ) -> Result<Box<Self>, String> {
        let pages = Pages::of(None);
        let tries = if at.port() == 0 { TRIES } else { 1 };
        let mut why = String::new();
        for _ in 0..tries {
            match open_pair(at, zid, pages.clone(), losses.clone()).await {
                Ok((link, server, port)) => {
                    let master = Master::new(session, Limits::PHONE, entropy::random(), now);
                    return Ok(Box::new(Self {
                        link,
                        master,
                        pages,
                        port,
                        next_page: now.mono,
                        shown: None,
                        _server: server,
                    }));
                }
                Err(refused) => why = refused,
            }
        }
        Err(why)
    }

    /// Where the router listens.
    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    /// The next thing on the router's topics.
    pub(super) async fn next(&mut self) -> LinkEvent {
        self.link.next().await
    }

    /// Hears a payload, or none, and says what the master has to say.
    pub(super) fn handle(&mut self, now: Now, heard: Option<&link::Heard>) {
        match heard {
            Some(heard) => {
                self.master.handle(now, Input::Heard { topic: heard.topic, payload: &heard.payload });
            }
            None => self.master.handle(now, Input::Tick),
        }
        while let Some(sealed) = self.master.poll() {
            // What the network does not take is asked for again by those who miss it.
            let _ = self.link.publish(sealed);
        }
        let index = self.master.next_index();
        if now.mono >= self.next_page && self.shown != Some(index) {
            self.shown = Some(index);
            self.next_page = now.mono + PAGE_EVERY;
            self.pages.show_state(self.master.snapshot_json().into_bytes().into());
        }
    }

    /// When to call [`Self::handle`], if nothing else happens before.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let page = (self.shown != Some(self.master.next_index())).then_some(self.next_page);
        [self.master.deadline(), page].into_iter().flatten().min()
    }

    /// Closes the router, and tells when it is done.
    pub(super) fn close(self: Box<Self>) -> oneshot::Receiver<()> {
        self.link.close()
    }
}

/// A router and a server at neighbouring ports.
async fn open_pair(
    at: SocketAddr,
    zid: Zid,
    pages: Arc<Pages>,
    losses: Arc<Losses>,
) -> Result<(Link, Server, u16), String> {
    let api = if at.port() == 0 { 0 } else { api_port(at.port()) };
    let server = Server::start(SocketAddr::new(at.ip(), api), pages).await?;
    let port = server.address().port().checked_sub(1).filter(|port| *port != 0).ok_or("no port below")?;
    let locator = Locator::new(SocketAddr::new(at.ip(), port));
    let link = link::open(Role::Router(locator, zid), MASTER, None, losses).await?;
    Ok((link, server, port))
}

/// Where the HTTP interface of the host at this place is. A link-local address keeps its scope: it can't be reached
/// without.
pub(super) fn api_of(locator: Locator) -> Option<SocketAddr> {
    let mut api = locator.address();
    api.set_port(api_port(api.port()));
    Some(api).filter(|api| api.port() != 0)
}
