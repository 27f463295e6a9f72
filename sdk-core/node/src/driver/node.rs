//! The node as an app holds it.

use std::{
    any::Any,
    net::Ipv4Addr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError, mpsc as std_mpsc},
    thread,
    time::Duration,
};

use exo_telemetry::{
    aggregator::ClusterState,
    policy::Policy,
    protocol::{DeviceCapabilities, DeviceId},
    reading::Groups,
    topology::Topology,
};
use exo_wire::{NodeId, gathered::Backend};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::{mpsc, watch},
    time,
};

use super::{
    ExoApi, JoinOptions, NodeError, NodeErrorKind, NodeStats, Pulled, WhoAmI,
    actor::{Actor, Order},
    clock::Clock,
    dns_sd,
    engine::EngineRoom,
    entropy,
    hosts::PastHosts,
    http::{Inquiry, Pages, Server},
    identity,
    journal::Scribe,
    link::Losses,
    links::Links,
    looks::Looks,
    network::Network,
    phones::Phones,
    sockets::Bind,
    told::{Reports, Told},
};
use crate::{
    discovery::{Discovery, Provider, ProviderStatus},
    member::{ClusterView, Member, MemberConfig, MemberState, Request},
    vitals::{self, Condition, Vitals, VitalsConfig, Work},
    worker::{Engine, Offer, Worker},
};

const WAITING_ORDERS: usize = 16;
/// How long dropping a node may keep the dropping thread: the goodbye of a healthy link takes some tens of
/// milliseconds. What takes longer goes on without it.
const DROP_WAITS: Duration = Duration::from_millis(250);
/// How long tasks that do not end (a probe, a name that is looked up) are waited for.
const SHUTDOWN_WITHIN: Duration = Duration::from_millis(200);

/// A member of a cluster, or of one that is still searched for. Dropping it leaves.
#[derive(Debug)]
pub struct Node {
    id: NodeId,
    notes: Vec<String>,
    orders: mpsc::Sender<Order>,
    reports: Reports,
    /// Set once nothing of the node runs any more: whether its goodbye was heard.
    over: watch::Receiver<Option<bool>>,
    /// The node's own runtime: callers need none.
    runtime: Handle,
    /// Closed at the same moment; for those who cannot wait asynchronously.
    ended: Mutex<std_mpsc::Receiver<()>>,
}

impl Node {
    /// Starts searching and joins what is found; [`Self::states`] tells how it goes. Returns at once.
    ///
    /// The node has threads of its own and needs no async runtime around it.
    pub fn join(options: JoinOptions) -> Result<Self, NodeError> {
        let (node_id, note, reserved) = match options.who.clone() {
            WhoAmI::Given(id) => (id, None, None),
            WhoAmI::New => (NodeId::from_random(entropy::wide()), None, None),
            WhoAmI::Kept(directory) => {
                let mut stored = identity::load(&directory);
                (stored.node_id.clone(), stored.note.take(), Some(stored))
            }
        };
        let (orders_sender, orders) = mpsc::channel(WAITING_ORDERS);
        let losses = Arc::new(Losses::default());
        let (told, reports) = Told::new(losses.clone(), Scribe(options.journal.clone()));
        let (over_sender, over) = watch::channel(None);
        let (ended_sender, ended) = std_mpsc::channel();
        let (ready_sender, ready) = std_mpsc::channel();
        let id = node_id.clone();
        let body = move || {
            // Held to the end: the id is ours, and the end is noticed.
            let _held = (reserved, ended_sender);
            let heard = live(options, id, (told, losses, orders), &ready_sender);
            over_sender.send_replace(Some(heard));
        };
        let system = |error: std::io::Error| {
            NodeError::new(NodeErrorKind::System, format!("no thread for the node: {error}"))
        };
        thread::Builder::new().name("exo-node".into()).spawn(body).map_err(system)?;
        match ready.recv() {
            Ok(Ok(runtime)) => {
                let notes = note.into_iter().collect();
                Ok(Self {
                    id: node_id,
                    notes,
                    orders: orders_sender,
                    reports,
                    over,
                    runtime,
                    ended: Mutex::new(ended),
                })
            }
            Ok(Err(error)) => Err(error),
            Err(_) => Err(NodeError::new(NodeErrorKind::Fault, "the node ended while it started")),
        }
    }

    /// Who we are.
    pub const fn node_id(&self) -> &NodeId {
        &self.id
    }

    /// What the start has to say to people, such as an id that could not be kept.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where the membership stands now.
    pub fn state(&self) -> MemberState {
        self.reports.state.borrow().clone()
    }

    /// Where the membership stands, each time it changes. Ends when the node is over.
    pub fn states(&self) -> Pulled<MemberState> {
        Pulled::new(self.reports.state.clone())
    }

    /// The cluster now.
    pub fn view(&self) -> Arc<ClusterView> {
        self.reports.view.borrow().clone()
    }

    /// The cluster, each time it changes, a few times a second at most.
    pub fn views(&self) -> Pulled<Arc<ClusterView>> {
        Pulled::new(self.reports.view.clone())
    }

    /// What each way of searching did and what came of it.
    pub fn discovery(&self) -> Arc<[ProviderStatus]> {
        self.reports.discovery.borrow().clone()
    }

    /// The same, each time it changes.
    pub fn discoveries(&self) -> Pulled<Arc<[ProviderStatus]>> {
        Pulled::new(self.reports.discovery.clone())
    }

    /// What was sent and heard so far.
    pub fn stats(&self) -> NodeStats {
        *self.reports.stats.borrow()
    }

    /// What the network said when something last did not work, for people: a dial that failed, a link that was lost.
    pub fn trouble(&self) -> Option<Arc<str>> {
        self.reports.trouble.borrow().clone()
    }

    /// The same, each time there is something.
    pub fn troubles(&self) -> Pulled<Option<Arc<str>>> {
        Pulled::new(self.reports.trouble.clone())
    }

    /// How this device is: readings, allowance and heat. `None` until it was looked at.
    pub fn condition(&self) -> Option<Arc<Condition>> {
        self.reports.condition.borrow().clone()
    }

    /// The same, each time it changes, once a second at most.
    pub fn conditions(&self) -> Pulled<Option<Arc<Condition>>> {
        Pulled::new(self.reports.condition.clone())
    }

    /// How all members of this SDK are that told it, this device among them while somebody listens or watches.
    pub fn telemetry(&self) -> Arc<ClusterState> {
        self.reports.telemetry.borrow().clone()
    }

    /// The same, each time it changes, once a second at most.
    pub fn telemetries(&self) -> Pulled<Arc<ClusterState>> {
        Pulled::new(self.reports.telemetry.clone())
    }

    /// The links between members of this SDK, and from them to nodes of exo, as they measured and told them. Our own are
    /// among them though nobody listens.
    pub fn topology(&self) -> Topology {
        let view = self.view();
        let is_present = |id: &str| view.nodes.get(id).is_some_and(|node| node.present);
        let mut topology = self.telemetry().topology_with(is_present);
        for link in self.reports.links.borrow().iter() {
            topology.add_link(link.clone());
        }
        topology
    }

    /// Changes what the owner allows. Holds from the next look at the device on, which comes at once.
    pub fn set_policy(&self, policy: Policy) -> Result<(), NodeError> {
        policy.check().map_err(|error| NodeError::new(NodeErrorKind::BadOptions, error.to_string()))?;
        self.order(Order::Vitals(vitals::Input::Policy(policy)))
    }

    /// Says what the device can do, once that was measured. Other members of this SDK hear of it.
    pub fn set_capabilities(&self, capabilities: DeviceCapabilities) -> Result<(), NodeError> {
        self.order(Order::Vitals(vitals::Input::Capable(Box::new(capabilities))))
    }

    /// Says what the engine takes of the device. While it computes, the heat is looked at twice a second.
    pub fn set_work(&self, work: Work) -> Result<(), NodeError> {
        self.order(Order::Vitals(vitals::Input::Work(work)))
    }

    /// The system says that these readings changed: the device is looked at now, not when it is due.
    pub fn noticed(&self, groups: Groups) -> Result<(), NodeError> {
        self.order(Order::Vitals(vitals::Input::Noticed(groups)))
    }

    /// The HTTP interface of the exo that we are linked to now, if it is known where that is.
    pub fn exo_api(&self) -> Option<ExoApi> {
        let address = *self.reports.api.borrow();
        address.map(|address| ExoApi::new(address, self.runtime.clone()))
    }

    pub(super) fn watched_views(&self) -> watch::Receiver<Arc<ClusterView>> {
        self.reports.view.clone()
    }

    pub(super) const fn own_runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Asks something of the member.
    pub fn request(&self, request: Request) -> Result<(), NodeError> {
        self.order(Order::Request(request))
    }

    fn order(&self, order: Order) -> Result<(), NodeError> {
        self.orders.try_send(order).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                NodeError::new(NodeErrorKind::System, "the node is busy: ask again")
            }
            mpsc::error::TrySendError::Closed(_) => NodeError::new(NodeErrorKind::Over, "the node is over"),
        })
    }

    /// Says goodbye and waits until the cluster has seen it, at most about this long. Calling it again waits again.
    pub async fn leave(&self, within: Duration) -> Result<(), NodeError> {
        // An error means that it is over already, which is what we want.
        let _ = self.orders.send(Order::Request(Request::Leave)).await;
        // The clock is the node's own: the caller may be on any executor. Where that runtime ends, all is over soon.
        let mut over = self.over.clone();
        let waiting = async move { drop(time::timeout(within, over.wait_for(Option::is_some)).await) };
        let _ = self.runtime.spawn(waiting).await;
        let mut over = self.over.clone();
        if self.orders.is_closed() {
            let _ = over.wait_for(Option::is_some).await;
        }
        let heard = *over.borrow();
        match heard {
            Some(true) => Ok(()),
            Some(false) => {
                Err(NodeError::new(NodeErrorKind::Unheard, "the cluster did not acknowledge the goodbye"))
            }
            None => {
                let seconds = within.as_secs_f32();
                let message = format!("the goodbye takes longer than {seconds} s");
                Err(NodeError::new(NodeErrorKind::Unheard, message))
            }
        }
    }

    /// Ends without a goodbye, as a process that is killed. For tests and demonstrations: exo keeps showing the node
    /// for half a minute.
    pub fn abandon(&self) {
        let _ = self.orders.try_send(Order::Abandon);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.orders.try_send(Order::Request(Request::Leave));
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(DROP_WAITS);
    }
}

/// What is asked of us by people and scrapers, at most so many at a time.
const WAITING_INQUIRIES: usize = 16;

type Belongings = (Told, Arc<Losses>, mpsc::Receiver<Order>);
type Ready = std_mpsc::Sender<Result<Handle, NodeError>>;

/// The life of the node's thread. A panic ends the node, not the app.
fn live(options: JoinOptions, node_id: NodeId, (told, losses, orders): Belongings, ready: &Ready) -> bool {
    // zenoh wants the multi-thread scheduler; one worker beside this thread is enough.
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(4)
        .thread_name("exo-node-io")
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = NodeError::new(NodeErrorKind::System, format!("no runtime for the node: {error}"));
            let _ = ready.send(Err(error));
            return false;
        }
    };
    let (last_word, scribe) = told.last_word();
    let lived = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            match start(options, node_id, (told, losses, orders)).await {
                Ok((actor, _servers)) => {
                    // Only changes are written down later, and this is the state that it begins with.
                    scribe.state(&last_word.borrow().clone());
                    // Who joins and looks at once sees every way of searching, and not an empty list.
                    actor.told.tell_discovery(actor.discovery.statuses());
                    let _ = ready.send(Ok(Handle::current()));
                    actor.run().await
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                    false
                }
            }
        })
    }));
    if let Err(panic) = &lived {
        let failed = MemberState::Failed { why: in_words(panic.as_ref()) };
        scribe.state(&failed);
        last_word.send_replace(failed);
    }
    end(runtime);
    lived.unwrap_or(false)
}

fn end(runtime: Runtime) {
    runtime.shutdown_timeout(SHUTDOWN_WITHIN);
}

async fn start(
    mut options: JoinOptions,
    node_id: NodeId,
    (told, losses, orders): Belongings,
) -> Result<(Actor, Vec<Server>), NodeError> {
    options.policy.check().map_err(|error| NodeError::new(NodeErrorKind::BadOptions, error.to_string()))?;
    let clock = Clock::start();
    let mut servers = Vec::new();
    if let Some(address) = options.expose_node_id {
        servers.push(serve(address, Pages::of(Some(node_id.as_str()))).await?);
    }
    let inquiries = match options.metrics {
        Some(address) => {
            let (asked, inquiries) = mpsc::channel::<Inquiry>(WAITING_INQUIRIES);
            servers.push(serve(address, Pages::asking(asked)).await?);
            Some(inquiries)
        }
        None => None,
    };
    let (backends, offer, engine) =
        hire(options.engine.take(), std::mem::take(&mut options.backends), clock)?;
    let looks = Looks::new(options.probe, clock.now());
    let own = DeviceId::new(node_id.as_str());
    let mut vitals = Vitals::new(
        clock.now(),
        VitalsConfig {
            device_id: own.clone().unwrap_or_else(DeviceId::nameless),
            policy: options.policy,
            governor: options.governor,
            backends,
            offer,
            utc_offset: options.utc_offset,
        },
        entropy::random(),
    );
    vitals.handle(clock.now(), vitals::Input::Watched(inquiries.is_some()));
    let local = options.search.is_confined_to_loopback().then_some(Ipv4Addr::LOCALHOST);
    let probed = options.probe_links.map(|at| local.unwrap_or(at));
    let links = own.clone().zip(probed).map(|(own, at)| Links::new(own, clock, at));
    let bind = if options.search.is_confined_to_loopback() { Bind::Loopback } else { Bind::Anywhere };
    let dns_sd = options.dns_sd.clone().unwrap_or_else(|| dns_sd::by_default(options.search.on.clone()));
    let network = Network::start(bind, dns_sd);
    let past_hosts = match &options.who {
        WhoAmI::Kept(directory) => Some(PastHosts::load(directory)),
        WhoAmI::Given(_) | WhoAmI::New => None,
    };
    if let Some(past) = &past_hosts {
        options.search.past_hosts.extend_from_slice(past.hosts());
    }
    let config = MemberConfig {
        listen_only: options.listen_only,
        allow_unknown_build: options.allow_unknown_build,
        telemetry_every: options.telemetry_every,
        ..MemberConfig::of(node_id)
    };
    let phones = match options.founding {
        Some(founding) => {
            let search = options.search.clone();
            Some(Phones::start(founding, config.node_id.clone(), search, clock, losses.clone())?)
        }
        None => None,
    };
    let mut member = Member::new(config.clone(), entropy::random(), clock.now());
    if engine.is_some() && !config.listen_only {
        member.employ(Worker::new(config.node_id.clone(), entropy::random()));
    }
    let advertise = options.search.wants(Provider::DnsSd).then(|| options.search.searched());
    let actor = Actor {
        clock,
        past_hosts,
        advertise,
        attached: None,
        hosting: None,
        is_shown: false,
        tag: entropy::random().bits(),
        discovery: Discovery::new(options.search, entropy::random()),
        member,
        config,
        phones,
        network,
        vitals,
        looks,
        engine,
        works: (false, 0),
        links,
        asking: None,
        measuring: None,
        own,
        inquiries,
        alarm: Box::pin(time::sleep(Duration::ZERO)),
        losses,
        told,
        orders,
        link: None,
        dialling: None,
        fetching: None,
        looking: None,
        closing: None,
        orphaned: false,
        stats: NodeStats::default(),
    };
    Ok((actor, servers))
}

/// What is offered, and the engine on its thread, if there is one: then it alone says what.
fn hire(
    engine: Option<Box<dyn Engine>>,
    backends: Vec<Backend>,
    clock: Clock,
) -> Result<(Vec<Backend>, Offer, Option<EngineRoom>), NodeError> {
    let Some(engine) = engine else { return Ok((backends, Offer::UNLIMITED, None)) };
    let system = |error: std::io::Error| {
        NodeError::new(NodeErrorKind::System, format!("no thread for the engine: {error}"))
    };
    let backends = engine.backends();
    Ok((backends, Offer::NOTHING, Some(EngineRoom::start(engine, clock).map_err(system)?)))
}

async fn serve(address: std::net::SocketAddr, pages: Arc<Pages>) -> Result<Server, NodeError> {
    Server::start(address, pages).await.map_err(|why| NodeError::new(NodeErrorKind::Port, why))
}

fn in_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a fault in the node: {}", text.unwrap_or_else(|| "no reason given".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::driver::journal::{Journal, Level};

    #[test]
    fn a_node_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Node>();
    }

    struct Lines(std_mpsc::Sender<String>);

    impl Journal for Lines {
        fn note(&self, _: Level, about: &'static str, line: &str) {
            let _ = self.0.send(format!("{about}: {line}"));
        }
    }

    #[test]
    fn the_first_line_of_a_journal_is_the_state_that_a_node_begins_with() {
        let (sender, lines) = std_mpsc::channel();
        let mut options = JoinOptions::new(WhoAmI::New);
        options.search.only = Some(BTreeSet::new());
        options.journal = Some(Arc::new(Lines(sender)));
        let _node = Node::join(options).unwrap();
        assert_eq!(lines.try_recv().as_deref(), Ok("node: searching for a cluster"));
    }

    #[test]
    fn a_new_node_tells_of_every_way_of_searching_at_once() {
        let mut options = JoinOptions::new(WhoAmI::New);
        options.search.only = Some(BTreeSet::new());
        let node = Node::join(options).unwrap();
        assert_eq!(node.discovery().len(), Provider::ALL.len());
    }

    #[test]
    fn a_panic_becomes_words() {
        assert_eq!(in_words(&"broken"), "a fault in the node: broken");
        assert_eq!(in_words(&String::from("broken")), "a fault in the node: broken");
        assert_eq!(in_words(&7), "a fault in the node: no reason given");
    }
}
