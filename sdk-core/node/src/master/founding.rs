//! Phones with no exo around: who of them opens the cluster.
//!
//! ```text
//!            alone                 smallest zid             router open
//!  Resting --------> Looking -------------------> Opening ------------> Hosting
//!   ^   |               |  ^                                               |
//!   |   |               |  +------- host lost, router failed --------------+  a smaller host appeared
//!   |   |               +------- a host answers -------> Following --------+
//!   |   +-- exo lost: Close, wait until closed, then look    |
//!   +------ exo answers: Close, wait until closed, then Join +   from any state
//! ```
//! Phones see each other by the Hello and `WhatsUp` of exo's discovery, but in a namespace and on a port of their own
//! ([`PORT`]): exo never hears them, and a Hello of exo's namespace is never answered. A `WhatsUp` with port 0 comes
//! from a phone that looks, one with another port from a host.
//!
//! **The order.** A host that answers is followed, whatever its zid: newcomers depose nobody. With no host, the
//! *smallest zid* opens, compared as the 16 little-endian bytes of the `WhatsUp`, which is how exo compares zids when it
//! decides who dials. Of two hosts that meet, the one with the greater zid closes and its phones follow the other.
//!
//! **exo comes first.** When an exo was found and can be reached, the phone cluster is closed and reported closed before
//! the address of exo is given out; when it is lost, everything that the member knows of it is closed and forgotten
//! before phones are looked for. No link to the one exists while one to the other does, and no address, session or
//! event outlives the change: nothing can leak between them, in either direction.

mod contract;
mod guest;
mod peers;

pub use contract::{Input, Output, Role};

use std::{
    collections::VecDeque,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use exo_wire::{
    Namespace, NodeId, SessionId, Zid,
    datagram::{Datagram, Nonce},
};

use crate::{
    Now, Random,
    discovery::{Found, Locator, Provider},
    now::Moment,
};
use guest::Guest;
use peers::Peers;

/// Where phones listen for each other's Hello: not exo's port.
pub const PORT: u16 = 52423;
/// The name that all phone namespaces begin with. It ends in a zero byte, which no command line and no environment
/// variable can hold: no exo can have been given such a namespace.
const NAME: &str = "exo-mobile phones\0";

const HELLO_EVERY: Duration = Duration::from_secs(1);
const HOST_HELLO_EVERY: Duration = Duration::from_secs(5);
const SETTLE: Duration = Duration::from_secs(3);
/// How long a lost exo is waited for, and dialled again by its member, before phones are looked for.
const AFTER_EXO: Duration = Duration::from_secs(10);
/// How long we wait for a phone with a smaller zid to open.
const PATIENCE: Duration = Duration::from_secs(8);
const OPEN_WITHIN: Duration = Duration::from_secs(5);
/// Answers within one second, however many ask.
const MAX_ANSWERS: u32 = 64;

/// The namespace of phones, apart by app if the app wants it. `None` if it would meet exo's.
pub fn phone_namespace(app: &str, exo: Namespace) -> Option<Namespace> {
    let phones = Namespace::named(&format!("{NAME}{app}"));
    (phones != exo && phones != Namespace::named(exo_wire::datagram::DEFAULT_NAMESPACE)).then_some(phones)
}

/// One phone's part in founding a cluster of phones.
#[derive(Debug)]
pub struct Founding {
    zid: Zid,
    node: NodeId,
    namespace: Namespace,
    random: Random,
    role: Role,
    /// When the role began, or the settle time ends while looking.
    since: Moment,
    settled: Moment,
    /// Where our router listens, while hosting.
    port: u16,
    /// The exo that comes first, if there is one.
    guest: Guest,
    /// When a lost exo is given up.
    gives_up: Option<Moment>,
    nonces: [Nonce; 2],
    next_hello: Moment,
    peers: Peers,
    answers: (Moment, u32),
    outputs: VecDeque<Output>,
}

impl Founding {
    /// A phone that rests until it is [`Input::Alone`]. `zid` is its router's id, new at each start; `node` is who it
    /// is; `namespace` comes from [`phone_namespace`].
    pub fn new(zid: Zid, node: NodeId, namespace: Namespace, mut random: Random, now: Now) -> Self {
        let nonces = [Nonce(random.bits().to_le_bytes()), Nonce(random.bits().to_le_bytes())];
        Self {
            zid,
            node,
            namespace,
            random,
            role: Role::Resting,
            since: now.mono,
            settled: now.mono,
            port: 0,
            guest: Guest::default(),
            gives_up: None,
            nonces,
            next_hello: now.mono,
            peers: Peers::default(),
            answers: (now.mono, 0),
            outputs: VecDeque::new(),
        }
    }

    /// What this phone is to the others.
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// The next thing that the phone wants.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to call [`Self::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        match self.role {
            Role::Resting => self.gives_up,
            Role::Following(_) => None,
            Role::Looking | Role::Hosting => Some(self.next_hello),
            Role::Opening | Role::Closing => Some(self.since + OPEN_WITHIN),
        }
    }

    /// Feeds one input.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        match input {
            Input::Tick => {}
            Input::Alone => self.alone(now.mono),
            Input::Settled => self.settle(now.mono),
            Input::Exo(found) => self.exo(now.mono, found),
            Input::Knocked { answered } => self.knocked(now.mono, answered),
            Input::Linked => self.guest.linked(),
            Input::Unlinked => self.unlinked(now.mono),
            Input::Datagram { from, bytes } => self.datagram(now.mono, from, bytes),
            Input::Told { at } => self.peers.told(at),
            Input::Opened { port } => self.opened(now.mono, port),
            Input::OpenFailed => {
                if matches!(self.role, Role::Opening | Role::Hosting) {
                    self.close(now.mono);
                }
            }
            Input::Closed => self.closed(now.mono),
        }
        self.advance(now);
    }

    fn advance(&mut self, now: Now) {
        let mono = now.mono;
        match self.role {
            Role::Following(_) => {}
            Role::Resting => {
                if self.gives_up.is_some_and(|due| due <= mono) {
                    self.give_up(mono);
                }
            }
            Role::Looking => {
                let is_due = self.next_hello <= mono;
                if is_due {
                    self.hello(mono);
                }
                if let Some((zid, at)) = self.peers.host(mono) {
                    self.follow(mono, zid, at);
                } else if is_due && self.settled <= mono {
                    self.decide(now);
                }
            }
            Role::Hosting => {
                if self.next_hello <= mono {
                    self.hello(mono);
                }
            }
            // A router that neither opens nor fails is closed; a close that is not answered is asked for again.
            Role::Opening | Role::Closing => {
                if mono.since(self.since) >= OPEN_WITHIN {
                    self.close(mono);
                }
            }
        }
    }

    fn turn(&mut self, now: Moment, role: Role) {
        self.since = now;
        if self.role != role {
            self.role = role;
            self.outputs.push_back(Output::Changed);
        }
    }

    /// A guest's member goes on dialling the exo for a while; whoever is nobody's guest looks at once.
    fn alone(&mut self, now: Moment) {
        if self.role != Role::Resting {
            return;
        }
        if self.guest.of().is_some() {
            self.gives_up.get_or_insert(now + AFTER_EXO);
        } else {
            self.look(now);
        }
    }

    fn settle(&mut self, now: Moment) {
        self.gives_up = None;
        if self.role == Role::Looking {
            self.turn(now, Role::Resting);
        }
    }

    /// The member still knows the exo's routers and session, and would go back to them by itself, with what it said
    /// among phones. So it begins anew, too.
    fn give_up(&mut self, now: Moment) {
        self.guest.give_up(now);
        self.close(now);
    }

    fn look(&mut self, now: Moment) {
        self.turn(now, Role::Looking);
        self.settled = now + SETTLE;
        self.next_hello = now;
    }

    fn hello(&mut self, now: Moment) {
        let every = if self.role == Role::Hosting { HOST_HELLO_EVERY } else { HELLO_EVERY };
        self.next_hello = now + every;
        self.nonces = [Nonce(self.random.bits().to_le_bytes()), self.nonces[0]];
        let hello = Datagram::Hello { nonce: self.nonces[0], namespace: self.namespace };
        let bytes = hello.to_bytes();
        for to in self.peers.ask() {
            self.outputs.push_back(Output::Send { to, bytes: bytes.clone() });
        }
        self.outputs.push_back(Output::Shout(bytes));
    }

    fn follow(&mut self, now: Moment, host: Zid, at: Locator) {
        self.turn(now, Role::Following(host));
        self.outputs.push_back(Output::Follow(found(at, host)));
    }

    /// The settle time is over and no host is in sight: open, or wait for the one that should.
    fn decide(&mut self, now: Now) {
        match self.peers.before(now.mono, self.zid) {
            Some(smaller) if now.mono.since(self.settled) >= PATIENCE => self.peers.shun(now.mono, smaller),
            Some(_) => {}
            None => {
                self.turn(now.mono, Role::Opening);
                // Our node id outlives this process, so the clock has to tell this reign from our last one.
                let session = SessionId {
                    master_node_id: self.node.clone(),
                    election_clock: now.wall.as_secs().max(1),
                };
                self.outputs.push_back(Output::Open { zid: self.zid, session });
            }
        }
    }

    fn opened(&mut self, now: Moment, port: u16) {
        if self.role != Role::Opening {
            return;
        }
        self.port = port;
        self.turn(now, Role::Hosting);
        self.next_hello = now;
        let here = Locator::new(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
        self.outputs.push_back(Output::Follow(found(here, self.zid)));
    }

    fn unlinked(&mut self, now: Moment) {
        match self.role {
            // The host is gone, but not what we said in its cluster: the member still follows its session, and would
            // say the rest to whatever it joins next. So this is a close like any other.
            Role::Following(host) => {
                self.peers.forget(host);
                self.peers.shun(now, host);
                self.close(now);
            }
            Role::Resting if self.guest.unlinked() => self.give_up(now),
            _ => {}
        }
    }

    /// An exo was found. Who has no other cluster tries it at once; phones are left only for one that can be reached.
    fn exo(&mut self, now: Moment, exo: Found) {
        if self.guest.ignores(now, &exo) {
            return;
        }
        let answered = exo.zid.is_some();
        match self.role {
            Role::Resting => {
                if answered {
                    self.gives_up = None;
                }
                self.join(now, exo);
            }
            Role::Closing if answered => self.guest.be_of(exo),
            Role::Closing => {}
            Role::Looking | Role::Opening | Role::Hosting | Role::Following(_) => {
                if self.guest.knocks(&exo) {
                    self.outputs.push_back(Output::Knock(exo));
                }
            }
        }
    }

    fn knocked(&mut self, now: Moment, answered: bool) {
        let Some(exo) = self.guest.knocked(now, answered) else { return };
        match self.role {
            Role::Resting | Role::Looking => self.join(now, exo),
            Role::Closing => self.guest.be_of(exo),
            Role::Opening | Role::Hosting | Role::Following(_) => {
                self.guest.be_of(exo);
                self.close(now);
            }
        }
    }

    fn join(&mut self, now: Moment, exo: Found) {
        self.turn(now, Role::Resting);
        self.guest.be_of(exo.clone());
        self.outputs.push_back(Output::Join(exo));
    }

    fn close(&mut self, now: Moment) {
        (self.port, self.gives_up) = (0, None);
        self.turn(now, Role::Closing);
        self.outputs.push_back(Output::Close);
    }

    fn closed(&mut self, now: Moment) {
        if self.role != Role::Closing {
            return;
        }
        match self.guest.of().cloned() {
            Some(exo) => self.join(now, exo),
            None => self.look(now),
        }
    }

    fn datagram(&mut self, now: Moment, from: SocketAddr, bytes: &[u8]) {
        match Datagram::parse(bytes) {
            Some(Datagram::Hello { nonce, namespace })
                if namespace == self.namespace && !self.nonces.contains(&nonce) =>
            {
                self.answer(now, from, nonce);
            }
            Some(Datagram::WhatsUp { nonce, zid, port }) if self.nonces.contains(&nonce) => {
                let host = (port != 0).then(|| Locator::beside(from, port));
                self.see(now, zid, host);
            }
            _ => {}
        }
    }

    fn answer(&mut self, now: Moment, to: SocketAddr, nonce: Nonce) {
        if !matches!(self.role, Role::Looking | Role::Opening | Role::Hosting) {
            return;
        }
        if now.since(self.answers.0) >= Duration::from_secs(1) {
            self.answers = (now, 0);
        }
        if self.answers.1 < MAX_ANSWERS {
            self.answers.1 += 1;
            let bytes = Datagram::WhatsUp { nonce, zid: self.zid, port: self.port }.to_bytes();
            self.outputs.push_back(Output::Send { to, bytes });
        }
    }

    fn see(&mut self, now: Moment, zid: Zid, host: Option<Locator>) {
        if zid == self.zid || zid == Zid([0; 16]) {
            return;
        }
        match (&self.role, host) {
            (Role::Hosting, Some(_)) if zid < self.zid && self.peers.trusts(now, zid) => {
                self.peers.see(now, zid, host);
                self.close(now);
            }
            (Role::Looking, _) => self.peers.see(now, zid, host),
            _ => {}
        }
    }
}

fn found(locator: Locator, zid: Zid) -> Found {
    Found { locators: vec![locator], zid: Some(zid), api: None, by: Provider::Multicast }
}
