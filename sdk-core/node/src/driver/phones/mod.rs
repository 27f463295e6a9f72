//! A cluster of phones alone: the driver's side of [`founding`](crate::master::founding).
//!
//! It owns what the member must not know of: the socket on which phones meet, the router and the master of the phone
//! that hosts. Which cluster the member belongs to is decided by the founding machine; here it is only carried out,
//! and in order: what belongs to the phones is closed, all of it, before exo's address is given to the member.

mod host;
mod meeting;

pub use meeting::MeetingPlace;

use std::{future::pending, net::SocketAddr, sync::Arc, time::Duration};

use exo_wire::{Namespace, NodeId, Zid};

use super::{
    clock::Clock,
    entropy,
    error::{NodeError, NodeErrorKind},
    link::{Link, LinkEvent, Losses},
    task::{Running, ended},
};
use crate::{
    Now,
    discovery::{Found, SearchConfig},
    interface::Interface,
    master::founding::{Founding, Input, Output, Role, phone_namespace},
    now::Moment,
};
use host::Host;
use meeting::Meeting;

/// How to found a cluster of phones when no exo is around. Off unless an app asks for it.
#[derive(Debug, Clone)]
pub struct FoundingOptions {
    /// Phones of other apps are not met.
    pub app: String,
    /// How phones hear each other.
    pub place: MeetingPlace,
    /// Where the router listens if this phone hosts; port 0 lets the system choose. `/state` is at the port after it.
    pub router: SocketAddr,
    /// How long no exo must have been found before phones look for each other.
    pub alone_after: Duration,
}

/// What the actor shall do.
#[derive(Debug)]
pub(super) enum Wish {
    /// Be a member there: of the phones, or of exo.
    Join(Found),
    /// Begin anew as a member of nothing, give up every link, and hand it over to be closed.
    Part,
}

/// What happens among phones.
pub(super) enum PhonesEvent {
    Datagram(SocketAddr, Vec<u8>),
    Opened(Result<Box<Host>, String>),
    Host(LinkEvent),
    Closed,
}

/// The founding phone.
pub(super) struct Phones {
    founding: Founding,
    options: FoundingOptions,
    meeting: Arc<Meeting>,
    search: SearchConfig,
    clock: Clock,
    losses: Arc<Losses>,
    host: Option<Box<Host>>,
    opening: Running<Result<Box<Host>, String>>,
    closing: Running<()>,
    searching_since: Option<Moment>,
}

impl Phones {
    /// A phone that rests until no exo was found for a while.
    pub(super) fn start(
        options: FoundingOptions,
        node: NodeId,
        search: SearchConfig,
        clock: Clock,
        losses: Arc<Losses>,
    ) -> Result<Self, NodeError> {
        let exo: Namespace = search.searched();
        let namespace = phone_namespace(&options.app, exo).ok_or_else(|| {
            NodeError::new(
                NodeErrorKind::BadOptions,
                "the phones' namespace would be exo's: change the app's name",
            )
        })?;
        let meeting = Meeting::open(&options.place).map_err(|error| {
            NodeError::new(NodeErrorKind::Port, format!("no socket for phones to meet at: {error}"))
        })?;
        let zid = Zid(entropy::wide().max(1).to_le_bytes());
        let founding = Founding::new(zid, node, namespace, entropy::random(), clock.now());
        Ok(Self {
            founding,
            options,
            meeting: Arc::new(meeting),
            search,
            clock,
            losses,
            host: None,
            opening: None,
            closing: None,
            searching_since: None,
        })
    }

    /// Whether this phone belongs to a cluster of phones, or is about to: the search for exo goes on meanwhile.
    pub(super) fn are_together(&self) -> bool {
        matches!(self.founding.role(), Role::Opening | Role::Hosting | Role::Following(_) | Role::Closing)
    }

    /// The member searches, or has what it needs.
    pub(super) fn searches(&mut self, now: Now, searching: bool) {
        self.searching_since = if searching { self.searching_since.or(Some(now.mono)) } else { None };
    }

    /// The interfaces changed.
    pub(super) fn follow_interfaces(&self, all: &[Interface]) {
        self.meeting.follow(all, &self.search);
    }

    /// An exo was found.
    pub(super) fn exo(&mut self, now: Now, found: Found) {
        self.searching_since = None;
        self.founding.handle(now, Input::Exo(found));
    }

    /// The member's link is lost or could not be made.
    pub(super) fn link_lost(&mut self, now: Now) {
        if matches!(self.founding.role(), Role::Following(_)) {
            self.founding.handle(now, Input::HostLost);
        }
    }

    /// Takes over what the member was linked to, closes it together with our own router, and goes on then.
    pub(super) fn close(&mut self, link: Option<Link>, dialling: Running<Result<Link, String>>) {
        let host = self.host.take();
        let opening = self.opening.take();
        self.closing = Some(tokio::spawn(async move {
            if let Some(link) = link {
                let _ = link.close().await;
            }
            if let Some(dialling) = dialling
                && let Ok(Ok(link)) = dialling.await
            {
                let _ = link.close().await;
            }
            if let Some(host) = host {
                let _ = host.close().await;
            }
            if let Some(opening) = opening
                && let Ok(Ok(host)) = opening.await
            {
                let _ = host.close().await;
            }
        }));
    }

    /// When to call [`Self::tick`], if nothing else happens before.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let host = self.host.as_ref().and_then(|host| host.deadline());
        [self.founding.deadline(), self.alone_at(), host].into_iter().flatten().min()
    }

    fn alone_at(&self) -> Option<Moment> {
        let rests = *self.founding.role() == Role::Resting;
        self.searching_since.filter(|_| rests).map(|since| since + self.options.alone_after)
    }

    /// Gives the machines their time.
    pub(super) fn tick(&mut self, now: Now) {
        if self.alone_at().is_some_and(|due| due <= now.mono) {
            self.searching_since = None;
            self.founding.handle(now, Input::Alone);
        }
        if self.founding.deadline().is_some_and(|due| due <= now.mono) {
            self.founding.handle(now, Input::Tick);
        }
        if let Some(host) = &mut self.host
            && host.deadline().is_some_and(|due| due <= now.mono)
        {
            host.handle(now, None);
        }
    }

    /// The next thing that happens. Safe to drop while it waits.
    pub(super) async fn next(&mut self) -> PhonesEvent {
        let host = self.host.as_mut();
        tokio::select! {
            event = async { match host { Some(host) => host.next().await, None => pending().await } } =>
                PhonesEvent::Host(event),
            (from, bytes) = self.meeting.next() => PhonesEvent::Datagram(from, bytes),
            opened = ended(&mut self.opening) => {
                PhonesEvent::Opened(opened.unwrap_or_else(|| Err("opening the router broke off".to_owned())))
            }
            _ = ended(&mut self.closing) => PhonesEvent::Closed,
        }
    }

    /// Takes what happened.
    pub(super) fn take(&mut self, event: PhonesEvent) {
        let now = self.clock.now();
        match event {
            PhonesEvent::Datagram(from, bytes) => {
                self.founding.handle(now, Input::Datagram { from, bytes: &bytes });
            }
            PhonesEvent::Opened(Ok(mut host)) => {
                host.handle(now, None);
                let port = host.port();
                self.host = Some(host);
                self.founding.handle(now, Input::Opened { port });
            }
            PhonesEvent::Opened(Err(_)) => self.founding.handle(now, Input::OpenFailed),
            PhonesEvent::Host(LinkEvent::Heard(heard)) => {
                if let Some(host) = &mut self.host {
                    host.handle(now, Some(&heard));
                }
            }
            // A router asks nobody.
            PhonesEvent::Host(LinkEvent::Acquainted(_)) => {}
            PhonesEvent::Host(LinkEvent::Lost(_)) => {
                self.host = None;
                self.founding.handle(now, Input::OpenFailed);
            }
            PhonesEvent::Closed => self.founding.handle(now, Input::Closed),
        }
    }

    /// The next thing that the actor shall do.
    pub(super) fn poll(&mut self) -> Option<Wish> {
        loop {
            match self.founding.poll()? {
                Output::Shout(bytes) => {
                    let meeting = self.meeting.clone();
                    tokio::spawn(async move { meeting.shout(&bytes).await });
                }
                Output::Send { to, bytes } => {
                    let meeting = self.meeting.clone();
                    tokio::spawn(async move { meeting.send(to, &bytes).await });
                }
                Output::Open { zid, session } => {
                    let (losses, now) = (self.losses.clone(), self.clock.now());
                    self.opening =
                        Some(tokio::spawn(Host::open(self.options.router, zid, session, losses, now)));
                }
                Output::Follow(mut found) => {
                    found.api = found.locators.first().and_then(|locator| host::api_of(*locator));
                    return Some(Wish::Join(found));
                }
                Output::Join(found) => return Some(Wish::Join(found)),
                Output::Close => return Some(Wish::Part),
                Output::Changed => {}
            }
        }
    }
}
