//! The one task that owns the machines. It carries inputs to them and does what they ask; it decides nothing.

mod wishes;

use std::{future::pending, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use exo_telemetry::{protocol::DeviceId, topology::Order as ProbeOrder};
use exo_wire::Namespace;
use tokio::{
    sync::{mpsc, oneshot},
    time::{self, Instant, Sleep},
};

use super::{
    clock::Clock,
    engine::EngineRoom,
    hosts::PastHosts,
    http::Inquiry,
    link::{Heard, Link, LinkEvent, Losses},
    links::Links,
    looks::{Look, Looks},
    network::{Network, NetworkEvent},
    phones::{Phones, PhonesEvent},
    task::{Running, ended},
    told::{NodeStats, Told},
};
use crate::{
    Now,
    discovery::{self, Discovery, Locator},
    member::{self, Acquaintance, Member, MemberConfig, MemberState, Request},
    probing::Outcome,
    vitals::{self, Vitals},
    worker::Report,
};

/// The machines are asked again after this long though nothing happened: while the device is suspended tokio's
/// timers stand still, and the wake-up shall be noticed soon.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// A machine that wants to be woken in the past, again and again, costs no more than this.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);
/// How long closing the last link may take.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// Payloads that are read in one go, before anything else gets its turn.
const PAYLOADS_IN_A_ROW: usize = 64;
/// The same for what the engine tells.
const REPORTS_IN_A_ROW: usize = 64;

/// What the node's handle asks.
#[derive(Debug)]
pub(super) enum Order {
    /// For the member.
    Request(Request),
    /// For the vitals.
    Vitals(vitals::Input<'static>),
    /// End at once, without a goodbye.
    Abandon,
}

/// The task's belongings.
pub(super) struct Actor {
    pub(super) clock: Clock,
    pub(super) discovery: Discovery,
    pub(super) member: Member,
    pub(super) config: MemberConfig,
    /// Under which namespace we may advertise the exo that we are joined to, if we may.
    pub(super) advertise: Option<Namespace>,
    pub(super) tag: u64,
    /// Where the exo is that we are joined to.
    pub(super) attached: Option<Locator>,
    /// Where our router is, if we host a cluster of phones.
    pub(super) hosting: Option<u16>,
    /// Whether the app shows its screen: a member that begins anew has to know.
    pub(super) is_shown: bool,
    pub(super) past_hosts: Option<PastHosts>,
    pub(super) network: Network,
    pub(super) vitals: Vitals,
    pub(super) looks: Looks,
    /// Only where something runs models.
    pub(super) engine: Option<EngineRoom>,
    /// What the engine was last said to take of the device.
    pub(super) works: (bool, u64),
    /// Only where links are measured.
    pub(super) links: Option<Links>,
    /// Somebody is asked whether it is a node of exo.
    pub(super) asking: Running<(SocketAddr, Result<Vec<u8>, String>)>,
    pub(super) measuring: Running<(ProbeOrder, Outcome)>,
    /// Who tells other members how it is, if our id can be part of a key.
    pub(super) own: Option<DeviceId>,
    /// Pages that somebody asks for, if we serve any.
    pub(super) inquiries: Option<mpsc::Receiver<Inquiry>>,
    pub(super) losses: Arc<Losses>,
    pub(super) told: Told,
    pub(super) orders: mpsc::Receiver<Order>,
    /// Only where the app wants clusters of phones.
    pub(super) phones: Option<Phones>,
    pub(super) link: Option<Link>,
    pub(super) dialling: Running<Result<Link, String>>,
    pub(super) fetching: Running<Result<Vec<u8>, String>>,
    pub(super) looking: Running<Option<Box<Look>>>,
    /// A link that sends its last words and closes.
    pub(super) closing: Option<oneshot::Receiver<()>>,
    /// Rings no later than the machines' next deadline. One for all waits: each new timer that is the earliest wakes the
    /// thread that keeps the timers, and most deadlines move away with every payload.
    pub(super) alarm: Pin<Box<Sleep>>,
    /// Nobody holds the node any more.
    pub(super) orphaned: bool,
    pub(super) stats: NodeStats,
}

/// What can happen to the task.
enum Happened {
    Ordered(Order),
    Orphaned,
    Linked(Result<Link, String>),
    Link(LinkEvent),
    Fetched(Result<Vec<u8>, String>),
    Looked(Option<Box<Look>>),
    Measured(Option<(ProbeOrder, Outcome)>),
    Introduced(Option<(SocketAddr, Result<Vec<u8>, String>)>),
    Asked(Inquiry),
    Engine(Report),
    Network(NetworkEvent),
    Phones(PhonesEvent),
    Due,
}

impl Actor {
    /// Runs until the member has left or is abandoned; true if the goodbye was heard, or nobody had to hear one.
    pub(super) async fn run(mut self) -> bool {
        let last = loop {
            self.do_as_asked();
            if *self.member.state() == MemberState::Left {
                break MemberState::Left;
            }
            match self.happens().await {
                Happened::Ordered(Order::Abandon) => {
                    break MemberState::Failed { why: "ended without a goodbye".to_owned() };
                }
                happened => self.take(happened),
            }
        };
        self.told.tell_state(last);
        self.hang_up();
        if let Some(closing) = self.closing.take() {
            let _ = time::timeout(CLOSE_WITHIN, closing).await;
        }
        self.member.goodbye_was_heard()
    }

    /// Waits for the next thing, or for the machines' next deadline.
    async fn happens(&mut self) -> Happened {
        self.set_alarm();
        let (link, phones, inquiries) = (self.link.as_mut(), self.phones.as_mut(), self.inquiries.as_mut());
        let engine = self.engine.as_mut();
        // Not biased: a flood on one side shall not starve the others.
        tokio::select! {
            order = self.orders.recv(), if !self.orphaned => match order {
                Some(order) => Happened::Ordered(order),
                None => Happened::Orphaned,
            },
            event = async { match link { Some(link) => link.next().await, None => pending().await } } =>
                Happened::Link(event),
            linked = ended(&mut self.dialling) => {
                Happened::Linked(linked.unwrap_or_else(|| Err("dialling broke off".to_owned())))
            }
            fetched = ended(&mut self.fetching) => {
                Happened::Fetched(fetched.unwrap_or_else(|| Err("asking broke off".to_owned())))
            }
            looked = ended(&mut self.looking) => Happened::Looked(looked.flatten()),
            measured = ended(&mut self.measuring) => Happened::Measured(measured),
            introduced = ended(&mut self.asking) => Happened::Introduced(introduced),
            Some(inquiry) = async { match inquiries { Some(asked) => asked.recv().await, None => pending().await } } =>
                Happened::Asked(inquiry),
            event = async { match phones { Some(phones) => phones.next().await, None => pending().await } } =>
                Happened::Phones(event),
            report = async { match engine { Some(engine) => engine.next().await, None => pending().await } } =>
                Happened::Engine(report),
            event = self.network.next() => Happened::Network(event),
            () = &mut self.alarm => Happened::Due,
        }
    }

    /// An alarm that rings too early costs one look at the deadlines; one that rings too late is set anew.
    fn set_alarm(&mut self) {
        let due = Instant::now() + self.wait();
        if self.alarm.is_elapsed() || due < self.alarm.deadline() {
            self.alarm.as_mut().reset(due);
        }
    }

    fn wait(&self) -> Duration {
        let phones = self.phones.as_ref().and_then(Phones::deadline);
        let now = self.clock.now().mono;
        let links = self.links.as_ref().and_then(|links| links.deadline(now));
        let machines =
            [self.discovery.deadline(), self.member.deadline(), self.vitals.deadline(), phones, links];
        let next = machines.into_iter().chain([self.told.deadline()]).flatten().min();
        next.map_or(LONGEST_WAIT, |due| due.since(now)).clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }

    fn take(&mut self, happened: Happened) {
        let now = self.clock.now();
        match happened {
            Happened::Ordered(Order::Request(request)) => self.requested(now, request),
            Happened::Ordered(Order::Vitals(input)) => self.vitals.handle(now, input),
            Happened::Orphaned => {
                self.orphaned = true;
                self.requested(now, Request::Leave);
            }
            // What follows from these is seen by whoever looks at the link or at the clock.
            Happened::Ordered(Order::Abandon) | Happened::Due | Happened::Link(LinkEvent::Listened) => {}
            Happened::Linked(Ok(link)) => self.linked(now, link),
            Happened::Linked(Err(why)) => self.unlinked(why),
            Happened::Link(LinkEvent::Lost(why)) => {
                self.stats.links_lost += 1;
                self.link = None;
                self.unlinked(why);
            }
            Happened::Link(LinkEvent::Acquainted(told)) => self.acquainted(&told),
            Happened::Link(LinkEvent::Inquired) => self.vitals.handle(now, vitals::Input::Inquired),
            Happened::Link(LinkEvent::Told(told)) => {
                self.vitals.handle(now, vitals::Input::Heard(&told.device, &told.payload));
            }
            Happened::Link(LinkEvent::Heard(first)) => {
                self.heard(now, &first);
                for _ in 1..PAYLOADS_IN_A_ROW {
                    let Some(next) = self.link.as_mut().and_then(Link::waiting) else { break };
                    self.heard(now, &next);
                }
            }
            Happened::Fetched(fetched) => {
                if let Err(why) = &fetched {
                    self.told.tell_trouble(why);
                }
                let state = fetched.as_deref().map_err(Clone::clone);
                self.member.handle(now, member::Input::State(state));
            }
            Happened::Looked(Some(look)) => {
                if let Some(identity) = look.identity {
                    self.vitals.handle(now, vitals::Input::Identified(identity));
                }
                self.vitals.handle(now, vitals::Input::Looked(look.groups, &look.readings));
            }
            Happened::Looked(None) => self.vitals.handle(now, vitals::Input::NotLooked),
            Happened::Measured(measured) => {
                if let (Some(links), Some((order, outcome))) = (&mut self.links, measured) {
                    links.measured(now, &order, &outcome);
                    self.told.tell_links(links.known(now));
                    self.told.vitals_changed();
                }
            }
            Happened::Introduced(introduced) => {
                if let (Some(links), Some((at, answer))) = (&mut self.links, introduced)
                    && links.answered(now.mono, at, answer)
                {
                    self.told.vitals_changed();
                }
            }
            Happened::Asked(inquiry) => self.answer(now, inquiry),
            Happened::Engine(first) => {
                self.member.handle(now, member::Input::Engine(first));
                for _ in 1..REPORTS_IN_A_ROW {
                    let Some(next) = self.engine.as_mut().and_then(EngineRoom::waiting) else { break };
                    self.member.handle(now, member::Input::Engine(next));
                }
            }
            Happened::Network(event) => self.network_event(event),
            Happened::Phones(event) => {
                if let Some(phones) = &mut self.phones {
                    phones.take(event);
                }
            }
        }
        if self.discovery.deadline().is_some_and(|due| due <= now.mono) {
            self.discovery.handle(now, discovery::Input::Tick);
        }
        if self.member.deadline().is_some_and(|due| due <= now.mono) {
            self.member.handle(now, member::Input::Tick);
        }
        if self.vitals.deadline().is_some_and(|due| due <= now.mono) {
            self.vitals.handle(now, vitals::Input::Tick);
        }
        if let Some(phones) = &mut self.phones {
            phones.tick(now);
        }
    }

    fn answer(&self, now: Now, inquiry: Inquiry) {
        // Whoever asked may have gone.
        let _ = match inquiry {
            Inquiry::Metrics(answer) => answer.send(self.vitals.metrics(now).into_bytes()),
            Inquiry::Telemetry(answer) => {
                answer.send(serde_json::to_vec(&self.vitals.cluster(now)).unwrap_or_default())
            }
        };
    }

    fn requested(&mut self, now: Now, request: Request) {
        match request {
            Request::ScreenShown(shown) => {
                self.is_shown = shown;
                self.vitals.handle(now, vitals::Input::Shown(shown));
            }
            Request::AllowUnknownBuild(allowed) => self.config.allow_unknown_build = allowed,
            Request::Leave => self.vitals.handle(now, vitals::Input::Leave),
        }
        self.member.handle(now, member::Input::Request(request));
    }

    fn linked(&mut self, now: Now, link: Link) {
        let (locator, zid) = (link.locator, link.zid);
        if self.phones.as_mut().is_some_and(|phones| !phones.linked(now, zid)) {
            return self.unlinked(format!("not the phone that hosts, but another router is at {locator}"));
        }
        self.link = Some(link);
        self.member.handle(now, member::Input::Linked { locator, zid });
    }

    /// The link that the member wanted is not there, or not any more.
    fn unlinked(&mut self, why: String) {
        let now = self.clock.now();
        self.told.tell_trouble(&why);
        self.member.handle(now, member::Input::Unlinked { why });
        if let Some(phones) = &mut self.phones {
            phones.link_lost(now);
        }
    }

    fn heard(&mut self, now: Now, heard: &Heard) {
        self.stats.heard += 1;
        let (topic, payload) = (heard.topic, heard.payload.as_slice());
        self.member.handle(now, member::Input::Heard { topic, payload });
    }

    /// A router's word about addresses counts as far as the subnets reach that may be searched. Without a network there
    /// is loopback. A phone that hosts knows of no other router; one that says so could send us to exo with what we said
    /// among phones.
    fn acquainted(&mut self, told: &Acquaintance) {
        if self.phones.as_ref().is_some_and(Phones::are_together) {
            return;
        }
        let is_local = self.link.as_ref().is_some_and(|link| link.locator.address().ip().is_loopback());
        let reach = self.discovery.reach();
        let reachable = |address: &SocketAddr| match address.ip() {
            ip if ip.is_loopback() => is_local.then_some(*address),
            ip => reach.neighbour(ip, address.port(), None),
        };
        let locators: Vec<Locator> = told.addresses.iter().filter_map(reachable).map(Locator::new).collect();
        if !locators.is_empty() {
            let now = self.clock.now();
            self.member.handle(now, member::Input::Acquainted { zid: told.zid, locators });
        }
    }

    fn network_event(&mut self, event: NetworkEvent) {
        let now = self.clock.now();
        let discovery = &mut self.discovery;
        match event {
            NetworkEvent::Interfaces(all) => {
                self.member.handle(now, member::Input::NetworkChanged);
                if let Some(phones) = &mut self.phones {
                    phones.follow_interfaces(&all);
                }
                discovery.handle(now, discovery::Input::Interfaces(&all));
            }
            NetworkEvent::Datagram(from, bytes) => {
                discovery.handle(now, discovery::Input::Datagram { from, bytes: &bytes });
            }
            NetworkEvent::Service(service) => {
                if let Some(phones) = &mut self.phones {
                    phones.service(now, &service);
                }
                discovery.handle(now, discovery::Input::Service(service));
            }
            NetworkEvent::Resolved(host, addresses) => {
                let addresses = addresses.as_deref().map_err(Clone::clone);
                discovery.handle(now, discovery::Input::Resolved { host: &host, addresses });
            }
            NetworkEvent::Refused(refused) => discovery.handle(now, refused),
        }
    }
}
