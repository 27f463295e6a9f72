//! The one task that owns the machines. It carries inputs to them and does what they ask; it decides nothing.

mod wishes;

use std::{
    future::{Future, pending},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use tokio::{sync::mpsc, task::JoinHandle, time};

use super::{
    Probe,
    clock::Clock,
    link::{Link, LinkEvent, Losses},
    network::{Network, NetworkEvent},
    told::{NodeStats, Told},
};
use crate::{
    discovery::{self, Discovery},
    member::{self, Member, MemberState, Readings, Request},
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

/// What the node's handle asks.
#[derive(Debug)]
pub(super) enum Order {
    /// For the member.
    Request(Request),
    /// End at once, without a goodbye.
    Abandon,
}

/// A task that may be running.
type Running<T> = Option<JoinHandle<T>>;

/// The task's belongings.
pub(super) struct Actor {
    pub(super) clock: Clock,
    pub(super) discovery: Discovery,
    pub(super) member: Member,
    pub(super) network: Network,
    pub(super) probe: Arc<dyn Probe>,
    pub(super) losses: Arc<Losses>,
    pub(super) told: Told,
    pub(super) orders: mpsc::Receiver<Order>,
    pub(super) link: Option<Link>,
    pub(super) dialling: Running<Result<Link, String>>,
    pub(super) fetching: Running<Result<Vec<u8>, String>>,
    pub(super) measuring: Running<Readings>,
    pub(super) stats: NodeStats,
}

/// What can happen to the task.
enum Happened {
    Ordered(Order),
    Linked(Result<Link, String>),
    Link(LinkEvent),
    Fetched(Result<Vec<u8>, String>),
    Measured(Readings),
    Network(NetworkEvent),
    Due,
}

impl Actor {
    /// Runs until the member has left or is abandoned.
    pub(super) async fn run(mut self) {
        loop {
            self.do_as_asked();
            if *self.member.state() == MemberState::Left {
                break;
            }
            match self.happens().await {
                Happened::Ordered(Order::Abandon) => break,
                happened => self.take(happened),
            }
        }
        self.told.tell_state(MemberState::Left);
        if let Some(link) = self.link.take() {
            let _ = time::timeout(CLOSE_WITHIN, link.close()).await;
        }
    }

    /// Waits for the next thing, or for the machines' next deadline.
    async fn happens(&mut self) -> Happened {
        let wait = self.wait();
        let link = self.link.as_mut();
        tokio::select! {
            biased;
            Some(order) = self.orders.recv() => Happened::Ordered(order),
            event = async { match link { Some(link) => link.next().await, None => pending().await } } =>
                Happened::Link(event),
            linked = finished(&mut self.dialling, |fault| Err(fault)) => Happened::Linked(linked),
            fetched = finished(&mut self.fetching, |fault| Err(fault)) => Happened::Fetched(fetched),
            readings = finished(&mut self.measuring, |_| Readings::default()) => Happened::Measured(readings),
            event = self.network.next() => Happened::Network(event),
            () = time::sleep(wait) => Happened::Due,
        }
    }

    fn wait(&self) -> Duration {
        let deadlines = [self.discovery.deadline(), self.member.deadline(), self.told.deadline()];
        let now = self.clock.now().mono;
        let next = deadlines.into_iter().flatten().min();
        next.map_or(LONGEST_WAIT, |due| due.since(now)).clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }

    fn take(&mut self, happened: Happened) {
        let now = self.clock.now();
        match happened {
            Happened::Ordered(Order::Request(request)) => {
                self.member.handle(now, member::Input::Request(request));
            }
            Happened::Ordered(Order::Abandon) | Happened::Due => {}
            Happened::Linked(Ok(link)) => {
                let (locator, zid) = (link.locator, link.zid);
                self.link = Some(link);
                self.member.handle(now, member::Input::Linked { locator, zid });
            }
            Happened::Linked(Err(why)) => self.member.handle(now, member::Input::Unlinked { why }),
            Happened::Link(LinkEvent::Lost(why)) => {
                self.stats.links_lost += 1;
                self.link = None;
                self.member.handle(now, member::Input::Unlinked { why });
            }
            Happened::Link(LinkEvent::Heard(first)) => {
                let mut next = Some(first);
                for _ in 0..PAYLOADS_IN_A_ROW {
                    let Some(heard) = next else { break };
                    self.stats.heard += 1;
                    let (topic, payload) = (heard.topic, heard.payload.as_slice());
                    self.member.handle(now, member::Input::Heard { topic, payload });
                    next = self.link.as_mut().and_then(Link::waiting);
                }
            }
            Happened::Fetched(fetched) => {
                let state = fetched.as_deref().map_err(Clone::clone);
                self.member.handle(now, member::Input::State(state));
            }
            Happened::Measured(mut readings) => {
                if readings.interfaces.is_none() {
                    readings.interfaces = Some(self.network.interfaces().to_vec());
                }
                self.member.handle(now, member::Input::Readings(readings));
            }
            Happened::Network(event) => self.network_event(event),
        }
        if self.discovery.deadline().is_some_and(|due| due <= now.mono) {
            self.discovery.handle(now, discovery::Input::Tick);
        }
        if self.member.deadline().is_some_and(|due| due <= now.mono) {
            self.member.handle(now, member::Input::Tick);
        }
    }

    fn network_event(&mut self, event: NetworkEvent) {
        let now = self.clock.now();
        let discovery = &mut self.discovery;
        match event {
            NetworkEvent::Interfaces(all) => {
                self.member.handle(now, member::Input::NetworkChanged);
                discovery.handle(now, discovery::Input::Interfaces(&all));
            }
            NetworkEvent::Datagram(from, bytes) => {
                discovery.handle(now, discovery::Input::Datagram { from, bytes: &bytes });
            }
            NetworkEvent::Service(service) => discovery.handle(now, discovery::Input::Service(service)),
            NetworkEvent::Resolved(host, addresses) => {
                let addresses = addresses.as_deref().map_err(Clone::clone);
                discovery.handle(now, discovery::Input::Resolved { host: &host, addresses });
            }
            NetworkEvent::Refused(refused) => discovery.handle(now, refused),
        }
    }
}

/// The result of a task, once; never, if none runs. A panic in it becomes words.
fn finished<T: Send + 'static>(
    task: &mut Running<T>,
    broken: impl Fn(String) -> T,
) -> impl Future<Output = T> {
    std::future::poll_fn(move |context| {
        let Some(running) = task.as_mut() else { return std::task::Poll::Pending };
        Pin::new(running).poll(context).map(|result| {
            *task = None;
            result.unwrap_or_else(|fault| broken(format!("a task broke off: {fault}")))
        })
    })
}
