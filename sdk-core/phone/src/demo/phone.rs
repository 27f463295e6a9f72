//! One phone of the demonstration: it can be started, killed, started again with the same id, and asked to leave.

use std::{
    collections::BTreeSet,
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    sync::Arc,
    time::{Duration, Instant},
};

use exo_node::{
    discovery::Provider,
    driver::{FoundingOptions, JoinOptions, MeetingPlace, Node, WhoAmI},
};
use exo_wire::{NodeId, gathered::Backend};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

use crate::{
    profiles::{Profile, SimulatedProbe},
    stop::Stop,
    watch::{Ended, Followed, Happening, What, follow},
};

/// No exo has this namespace, so none that happens to run here is found.
const NAMESPACE: &str = "exo-phone demo";
/// Nobody waits for an exo that cannot come.
const ALONE_AFTER: Duration = Duration::from_millis(300);
const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// The network of the demonstration: sockets on loopback, at ports that the system chose.
pub(super) struct Loopback {
    meetings: Vec<Arc<UdpSocket>>,
    /// Held so that nobody else takes its port: the search for exo asks there, and nobody answers.
    nobody: UdpSocket,
}

impl Loopback {
    pub(super) fn for_phones(number: usize) -> Result<Self, String> {
        let socket =
            || UdpSocket::bind((LOOPBACK, 0)).map_err(|error| format!("no socket on loopback: {error}"));
        let meetings = (0..number).map(|_| socket().map(Arc::new)).collect::<Result<_, _>>()?;
        Ok(Self { meetings, nobody: socket()? })
    }

    /// Where this phone hears the others.
    fn place(&self, number: usize) -> Option<MeetingPlace> {
        let socket = self.meetings.get(number)?.clone();
        let others = self.meetings.iter().enumerate().filter(|(other, _)| *other != number);
        let others = others.filter_map(|(_, socket)| socket.local_addr().ok()).collect();
        Some(MeetingPlace::Neighbours { socket, others })
    }

    fn nobodys_port(&self) -> u16 {
        self.nobody.local_addr().map_or(9, |address| address.port())
    }
}

/// A phone, running or not.
pub(super) struct Phone {
    pub(super) name: &'static str,
    number: usize,
    profile: Profile,
    node_id: NodeId,
    running: Option<Running>,
}

struct Running {
    node: Arc<Node>,
    leave: watch::Sender<bool>,
    following: JoinHandle<Ended>,
}

impl Phone {
    pub(super) fn new(name: &'static str, number: usize, profile: Profile, id: u128) -> Self {
        Self { name, number, profile, node_id: NodeId::from_random(id), running: None }
    }

    /// Starts it, with the id that it always has.
    pub(super) fn start(
        &mut self,
        network: &Loopback,
        began: Instant,
        tell: &mpsc::Sender<Happening>,
    ) -> Result<(), String> {
        let node = Node::join(self.options(network)?).map_err(|error| error.to_string())?;
        let node = Arc::new(node);
        let (leave, stop) = Stop::by_hand();
        let started = What::Started {
            node_id: self.node_id.to_string(),
            namespace: NAMESPACE.to_owned(),
            notes: node.notes().to_vec(),
        };
        let name = Some(self.name.to_owned());
        let _ = tell.try_send(Happening { at: began.elapsed(), phone: name.clone(), what: started });
        let (followed, tell) = (node.clone(), tell.clone());
        let following = tokio::spawn(async move {
            let mut show = move |happening| {
                let _ = tell.try_send(happening);
            };
            let followed = Followed { node: &followed, phone: name, began, advise: false };
            follow(followed, &stop, &mut show).await
        });
        self.running = Some(Running { node, leave, following });
        Ok(())
    }

    fn options(&self, network: &Loopback) -> Result<JoinOptions, String> {
        let mut options = JoinOptions::new(WhoAmI::Given(self.node_id.clone()));
        NAMESPACE.clone_into(&mut options.search.namespace);
        options.search.only = Some(BTreeSet::from([Provider::Loopback]));
        options.search.discovery_port = network.nobodys_port();
        options.probe = Box::new(SimulatedProbe::new(self.profile, None));
        // With an engine, simulated too, their memory and temperature are announced. No exo can see it.
        options.backends = vec![Backend::MlxCpu];
        options.telemetry_every = Duration::from_secs(5);
        options.founding = Some(FoundingOptions {
            app: NAMESPACE.to_owned(),
            place: network.place(self.number).ok_or("one phone too many")?,
            router: SocketAddr::from((LOOPBACK, 0)),
            alone_after: ALONE_AFTER,
        });
        Ok(options)
    }

    /// Whether the cluster knows it.
    pub(super) fn is_joined(&self) -> bool {
        use exo_node::member::MemberState::Joined;
        self.running.as_ref().is_some_and(|running| matches!(running.node.state(), Joined { .. }))
    }

    /// Whether it orders the events of the others.
    pub(super) fn is_host(&self) -> bool {
        let view = self.running.as_ref().map(|running| running.node.view());
        view.and_then(|view| view.session.clone())
            .is_some_and(|session| session.master_node_id == self.node_id)
    }

    /// Kills it: no goodbye.
    pub(super) async fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.node.abandon();
            let _ = running.following.await;
        }
    }

    /// Asks it to leave, and waits until it has.
    pub(super) async fn leave(&mut self) -> Ended {
        match self.running.take() {
            Some(running) => {
                running.leave.send_replace(true);
                running.following.await.unwrap_or(Ended::Failed)
            }
            None => Ended::Left,
        }
    }
}
