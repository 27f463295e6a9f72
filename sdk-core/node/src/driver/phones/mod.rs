//! A cluster of phones alone: the driver's side of [`founding`](crate::master::founding).
//!
//! It owns what the member must not know of: the socket on which phones meet, the router and the master of the phone
//! that hosts. Which cluster the member belongs to is decided by the founding machine; here it is only carried out,
//! and in order: what belongs to the phones is closed, all of it, before exo's address is given to the member.

mod host;
mod meeting;

pub use meeting::MeetingPlace;

use std::{
    future::pending,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use exo_wire::{Namespace, NodeId, Zid};
use tokio::{net::TcpStream, task::JoinSet, time};

use super::{
    clock::Clock,
    entropy,
    error::{NodeError, NodeErrorKind},
    link::{Link, LinkEvent, Losses},
    task::{Running, ended},
};
use crate::{
    Now,
    discovery::{self, Advertisement, Found, Locator, Provider, Reach, SearchConfig, Service, Txt},
    interface::Interface,
    master::founding::{Founding, Input, Output, PORT, Role, phone_namespace},
    now::Moment,
};
use host::Host;
use meeting::Meeting;

/// How long an exo has to take a connection before it counts as not there.
const KNOCK_WITHIN: Duration = Duration::from_millis(1500);
/// Addresses that one announced service may have.
const MOST_OF_ONE: usize = 4;

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
    Knocked(bool),
    Closed,
}

/// The founding phone.
pub(super) struct Phones {
    founding: Founding,
    zid: Zid,
    namespace: Namespace,
    options: FoundingOptions,
    meeting: Meeting,
    search: SearchConfig,
    reach: Reach,
    clock: Clock,
    losses: Arc<Losses>,
    host: Option<Box<Host>>,
    opening: Running<Result<Box<Host>, String>>,
    closing: Running<()>,
    knocking: Running<bool>,
    searching: bool,
    /// Since when the member searches in vain, until the founding machine is told.
    alone_since: Option<Moment>,
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
        let bad = |message: &str| NodeError::new(NodeErrorKind::BadOptions, message);
        let namespace = phone_namespace(&options.app, search.searched())
            .ok_or_else(|| bad("the phones' namespace would be exo's: change the app's name"))?;
        if matches!(options.place, MeetingPlace::Lan) && !search.wants(Provider::Multicast) {
            return Err(bad(
                "phones that found a cluster meet by multicast, and the search is confined to other ways: add \
                 `--only multicast`, or leave `--only` out",
            ));
        }
        let meeting = Meeting::open(&options.place).map_err(|error| {
            NodeError::new(NodeErrorKind::Port, format!("no socket for phones to meet at: {error}"))
        })?;
        let zid = Zid(entropy::wide().max(1).to_le_bytes());
        let founding = Founding::new(zid, node, namespace, entropy::random(), clock.now());
        Ok(Self {
            founding,
            zid,
            namespace,
            options,
            meeting,
            search,
            reach: Reach::default(),
            clock,
            losses,
            host: None,
            opening: None,
            closing: None,
            knocking: None,
            searching: false,
            alone_since: None,
        })
    }

    /// Whether this phone belongs to a cluster of phones, or is about to: the search for exo goes on meanwhile.
    pub(super) fn are_together(&self) -> bool {
        matches!(self.founding.role(), Role::Opening | Role::Hosting | Role::Following(_) | Role::Closing)
    }

    /// The member searches, or has what it needs.
    pub(super) fn searches(&mut self, now: Now, searching: bool) {
        self.searching = searching;
        self.alone_since = if searching { self.alone_since.or(Some(now.mono)) } else { None };
        if !searching {
            self.founding.handle(now, Input::Settled);
        }
    }

    /// The interfaces changed.
    pub(super) fn follow_interfaces(&mut self, all: &[Interface]) {
        self.meeting.follow(all, &self.search);
        let allowed: Vec<Interface> =
            all.iter().filter(|interface| self.search.allows(interface)).cloned().collect();
        self.reach = Reach::of(&allowed);
    }

    /// DNS-SD saw a service. A host of phones among our neighbours is asked, and only its answer counts.
    pub(super) fn service(&mut self, now: Now, service: &Service) {
        let Some(txt) = Txt::parse(&service.txt) else { return };
        let is_host =
            txt.role == discovery::Role::Router && txt.namespace == Some(self.namespace.to_string());
        if !is_host || !matches!(self.options.place, MeetingPlace::Lan) {
            return;
        }
        let port = txt.hello.unwrap_or(PORT);
        let near = |ip: &IpAddr| self.reach.neighbour(ip.to_canonical(), port, service.interface);
        let places: Vec<SocketAddr> = service.addresses.iter().filter_map(near).take(MOST_OF_ONE).collect();
        for at in places {
            self.founding.handle(now, Input::Told { at });
        }
    }

    /// Where our router takes sessions that others may open, if we host.
    pub(super) fn hosts_at(&self) -> Option<u16> {
        let is_open =
            matches!(self.options.place, MeetingPlace::Lan) && !self.options.router.ip().is_loopback();
        let hosts = is_open && *self.founding.role() == Role::Hosting;
        self.host.as_ref().filter(|_| hosts).map(|host| host.port())
    }

    /// What a host says of itself to those who do not hear its shouts.
    pub(super) fn advertisement(&self, tag: u64) -> Option<Advertisement> {
        Some(Advertisement::of_founder(tag, self.namespace, self.hosts_at()?, PORT))
    }

    /// An exo was found.
    pub(super) fn exo(&mut self, now: Now, found: Found) {
        self.founding.handle(now, Input::Exo(found));
    }

    /// The member could be linked to the router with this id. False if it must not be: among phones there is one
    /// router that we may speak to, and at its address may be another by now.
    pub(super) fn linked(&mut self, now: Now, router: Option<Zid>) -> bool {
        let expected = match self.founding.role() {
            Role::Resting | Role::Looking => router,
            Role::Hosting => Some(self.zid),
            Role::Following(host) => Some(*host),
            Role::Opening | Role::Closing => None,
        };
        let may = expected == router && router.is_some();
        if may {
            self.founding.handle(now, Input::Linked);
        }
        may
    }

    /// The member's link is lost or could not be made.
    pub(super) fn link_lost(&mut self, now: Now) {
        self.founding.handle(now, Input::Unlinked);
    }

    /// Takes over what the member was linked to, closes it together with our own router, and goes on then. What is
    /// still being closed is waited for: closed means all of it.
    pub(super) fn close(&mut self, link: Option<Link>, dialling: Running<Result<Link, String>>) {
        let (before, host, opening) = (self.closing.take(), self.host.take(), self.opening.take());
        self.closing = Some(tokio::spawn(async move {
            if let Some(before) = before {
                let _ = before.await;
            }
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
        self.alone_since.filter(|_| rests).map(|since| since + self.options.alone_after)
    }

    /// Gives the machines their time.
    pub(super) fn tick(&mut self, now: Now) {
        if self.alone_at().is_some_and(|due| due <= now.mono) {
            self.alone_since = None;
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
            answered = ended(&mut self.knocking) => PhonesEvent::Knocked(answered.unwrap_or(false)),
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
            // A host is no member: its own member is a guest of it, as all others are.
            PhonesEvent::Host(
                LinkEvent::Acquainted(_) | LinkEvent::Told(_) | LinkEvent::Listened | LinkEvent::Inquired,
            ) => {}
            PhonesEvent::Host(LinkEvent::Lost(_)) => {
                self.host = None;
                self.founding.handle(now, Input::OpenFailed);
            }
            PhonesEvent::Knocked(answered) => self.founding.handle(now, Input::Knocked { answered }),
            PhonesEvent::Closed => self.founding.handle(now, Input::Closed),
        }
    }

    /// The next thing that the actor shall do.
    pub(super) fn poll(&mut self) -> Option<Wish> {
        loop {
            match self.founding.poll()? {
                Output::Shout(bytes) => self.meeting.shout(bytes),
                Output::Send { to, bytes } => self.meeting.send(to, bytes),
                Output::Knock(found) => self.knocking = Some(tokio::spawn(is_there(found.locators))),
                Output::Open { zid, session } => {
                    let (losses, now) = (self.losses.clone(), self.clock.now());
                    self.opening =
                        Some(tokio::spawn(Host::open(self.options.router, zid, session, losses, now)));
                }
                Output::Follow(mut found) => {
                    found.api = found.locators.first().and_then(|locator| host::api_of(*locator));
                    return Some(Wish::Join(found));
                }
                Output::Join(found) => {
                    self.hope(&found);
                    return Some(Wish::Join(found));
                }
                Output::Close => return Some(Wish::Part),
                Output::Changed => {}
            }
        }
    }

    /// An exo is being tried: we are not alone from now on, if it answered; or not yet, if nothing is known of it.
    fn hope(&mut self, exo: &Found) {
        if self.searching && (exo.zid.is_some() || self.alone_since.is_none()) {
            self.alone_since = Some(self.clock.now().mono);
        }
    }
}

/// Whether somebody takes a connection at one of these places. Nothing is said to it.
async fn is_there(places: Vec<Locator>) -> bool {
    let mut knocks = JoinSet::new();
    for place in places {
        knocks.spawn(time::timeout(KNOCK_WITHIN, TcpStream::connect(place.address())));
    }
    while let Some(knock) = knocks.join_next().await {
        if matches!(knock, Ok(Ok(Ok(_)))) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, net::UdpSocket};

    use tokio::{net::TcpListener, sync::oneshot, task::yield_now};

    use super::*;

    fn options(place: MeetingPlace) -> FoundingOptions {
        let router = SocketAddr::from(([127, 0, 0, 1], 0));
        FoundingOptions { app: "test".to_owned(), place, router, alone_after: Duration::ZERO }
    }

    fn start(place: MeetingPlace, search: SearchConfig) -> Result<Phones, NodeError> {
        let node = NodeId::from_random(7);
        Phones::start(options(place), node, search, Clock::start(), Arc::new(Losses::default()))
    }

    fn on_loopback() -> Phones {
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").unwrap());
        start(MeetingPlace::Neighbours { socket, others: Vec::new() }, SearchConfig::default()).unwrap()
    }

    #[tokio::test]
    async fn closed_means_all_of_it_though_it_was_asked_for_twice() {
        let mut phones = on_loopback();
        let (release, held) = oneshot::channel::<()>();
        phones.opening = Some(tokio::spawn(async move {
            let _ = held.await;
            Err("too late".to_owned())
        }));
        phones.close(None, None);
        phones.close(None, None);
        for _ in 0..20 {
            yield_now().await;
        }
        assert!(!phones.closing.as_ref().unwrap().is_finished(), "a router may still open");
        release.send(()).unwrap();
        assert!(matches!(phones.next().await, PhonesEvent::Closed));
    }

    #[tokio::test]
    async fn phones_do_not_meet_on_a_network_that_the_search_is_kept_from() {
        for only in [Provider::Loopback, Provider::DnsSd, Provider::Unicast] {
            let search = SearchConfig { only: Some(BTreeSet::from([only])), ..SearchConfig::default() };
            let error = start(MeetingPlace::Lan, search).err().unwrap();
            assert_eq!(error.kind(), NodeErrorKind::BadOptions);
            assert!(error.message().contains("--only multicast"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_knock_tells_whether_somebody_is_there() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let open = Locator::new(listener.local_addr().unwrap());
        let closed = {
            let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
            Locator::new(closed.local_addr().unwrap())
        };
        assert!(is_there(vec![closed, open]).await);
        assert!(!is_there(vec![closed]).await);
        assert!(!is_there(Vec::new()).await);
    }
}
