//! Phones with no exo around: who of them opens the cluster.
//!
//! ```text
//!            alone                 smallest zid             router open
//!  Resting --------> Looking -------------------> Opening ------------> Hosting
//!     ^                 |  ^                                               |
//!     |                 |  +------- host lost, router failed --------------+  a smaller host appeared
//!     |                 +------- a host answers -------> Following --------+
//!     |                                                      |
//!     +---- exo: Close, wait until closed, then Join --------+   from any state
//! ```
//! Phones see each other by the Hello and `WhatsUp` of exo's discovery, but in a namespace and on a port of their own
//! ([`PORT`]): exo never hears them, and a Hello of exo's namespace is never answered. A `WhatsUp` with port 0 comes
//! from a phone that looks, one with another port from a host.
//!
//! **The order.** A host that answers is followed, whatever its zid: newcomers depose nobody. With no host, the
//! *smallest zid* opens, compared as the 16 little-endian bytes of the `WhatsUp`, which is how exo compares zids when it
//! decides who dials. Of two hosts that meet, the one with the greater zid closes and its phones follow the other.
//!
//! **exo comes first.** When an exo was found, the phone cluster is closed and reported closed before the address of
//! exo is given out: no link to the one exists while one to the other does, so nothing can leak between them.

use std::{
    collections::{BTreeMap, VecDeque},
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

/// Where phones listen for each other's Hello: not exo's port.
pub const PORT: u16 = 52423;
/// The name that all phone namespaces begin with. It ends in a zero byte, which no command line and no environment
/// variable can hold: no exo can have been given such a namespace.
const NAME: &str = "exo-mobile phones\0";

const HELLO_EVERY: Duration = Duration::from_secs(1);
const HOST_HELLO_EVERY: Duration = Duration::from_secs(5);
const SETTLE: Duration = Duration::from_secs(3);
/// After an exo was lost phones wait longer: it may be back soon.
const SETTLE_AFTER_EXO: Duration = Duration::from_secs(10);
/// How long one that was seen counts as there.
const FRESH: Duration = Duration::from_secs(4);
/// How long we wait for a phone with a smaller zid to open.
const PATIENCE: Duration = Duration::from_secs(8);
const OPEN_WITHIN: Duration = Duration::from_secs(5);
const MAX_PEERS: usize = 128;
/// Answers within one second, however many ask.
const MAX_ANSWERS: u32 = 64;

/// The namespace of phones, apart by app if the app wants it. `None` if it would meet exo's.
pub fn phone_namespace(app: &str, exo: Namespace) -> Option<Namespace> {
    let phones = Namespace::named(&format!("{NAME}{app}"));
    (phones != exo && phones != Namespace::named(exo_wire::datagram::DEFAULT_NAMESPACE)).then_some(phones)
}

/// What happens to a founding phone.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Founding::deadline`].
    Tick,
    /// No exo is around, or the one that was is lost: look for phones.
    Alone,
    /// An exo was found and verified.
    Exo(Found),
    /// Bytes came to the phones' discovery socket.
    Datagram {
        /// From where.
        from: SocketAddr,
        /// What.
        bytes: &'a [u8],
    },
    /// Another provider (DNS-SD) saw a phone of our namespace.
    Seen {
        /// Who.
        zid: Zid,
        /// Where its router listens, if it hosts.
        host: Option<Locator>,
    },
    /// The router that [`Output::Open`] asked for listens there.
    Opened {
        /// Its TCP port.
        port: u16,
    },
    /// It could not be opened, or it broke.
    OpenFailed,
    /// The link to the host that we follow is lost, or could not be made.
    HostLost,
    /// All that [`Output::Close`] asked for is closed.
    Closed,
}

/// What a founding phone wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Send this to all phones: multicast to exo's group at [`PORT`], on every interface where that is allowed.
    Shout(Vec<u8>),
    /// Send this to one.
    Send {
        /// Where.
        to: SocketAddr,
        /// What.
        bytes: Vec<u8>,
    },
    /// Open a zenoh router with this id and be master of this session.
    Open {
        /// The router's id.
        zid: Zid,
        /// The reign that begins.
        session: SessionId,
    },
    /// Be a member of the phone cluster there.
    Follow(Found),
    /// Close the router and every link to the phone cluster, then say [`Input::Closed`].
    Close,
    /// The phone cluster is closed: be a member of exo.
    Join(Found),
    /// [`Founding::role`] changed.
    Changed,
}

/// What this phone is to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Not asked for, or a guest of an exo: nothing is sent and nothing answered.
    Resting,
    /// Looking for others.
    Looking,
    /// The router is being opened.
    Opening,
    /// Router and master.
    Hosting,
    /// A member of this host's cluster.
    Following(Zid),
    /// Closing, because an exo was found or because another host comes first.
    Closing,
}

#[derive(Debug)]
struct Peer {
    seen: Moment,
    host: Option<Locator>,
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
    /// What to do once closed: join this exo, or look again.
    then: Option<Found>,
    nonces: [Nonce; 2],
    next_hello: Moment,
    peers: BTreeMap<Zid, Peer>,
    /// Phones that are not counted on until then, and how often each disappointed us.
    shunned: BTreeMap<Zid, (Moment, u32)>,
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
            then: None,
            nonces,
            next_hello: now.mono,
            peers: BTreeMap::new(),
            shunned: BTreeMap::new(),
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
            Role::Resting | Role::Following(_) => None,
            Role::Looking | Role::Hosting => Some(self.next_hello),
            Role::Opening | Role::Closing => Some(self.since + OPEN_WITHIN),
        }
    }

    /// Feeds one input.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        match input {
            Input::Tick => {}
            Input::Alone => {
                if self.role == Role::Resting {
                    let was_a_guest = self.then.take().is_some();
                    self.look(now.mono, if was_a_guest { SETTLE_AFTER_EXO } else { SETTLE });
                }
            }
            Input::Exo(found) => self.make_way(now.mono, found),
            Input::Datagram { from, bytes } => self.datagram(now.mono, from, bytes),
            Input::Seen { zid, host } => self.see(now.mono, zid, host),
            Input::Opened { port } => self.opened(now.mono, port),
            Input::OpenFailed => {
                if matches!(self.role, Role::Opening | Role::Hosting) {
                    self.close(now.mono);
                }
            }
            Input::HostLost => self.host_lost(now.mono),
            Input::Closed => self.closed(now.mono),
        }
        self.advance(now);
    }

    fn advance(&mut self, now: Now) {
        let mono = now.mono;
        match self.role {
            Role::Resting | Role::Following(_) => {}
            Role::Looking | Role::Hosting => {
                if self.next_hello <= mono {
                    self.hello(mono);
                    if self.role == Role::Looking && self.settled <= mono {
                        self.decide(now);
                    }
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

    fn look(&mut self, now: Moment, settle: Duration) {
        self.turn(now, Role::Looking);
        self.settled = now + settle;
        self.next_hello = now;
    }

    fn hello(&mut self, now: Moment) {
        let every = if self.role == Role::Hosting { HOST_HELLO_EVERY } else { HELLO_EVERY };
        self.next_hello = now + every;
        self.nonces = [Nonce(self.random.bits().to_le_bytes()), self.nonces[0]];
        let hello = Datagram::Hello { nonce: self.nonces[0], namespace: self.namespace };
        self.outputs.push_back(Output::Shout(hello.to_bytes()));
    }

    /// Looking, and the settle time is over: follow a host, open, or wait for the one that should.
    fn decide(&mut self, now: Now) {
        self.peers.retain(|_, peer| now.mono.since(peer.seen) <= FRESH);
        let shunned = &self.shunned;
        let trusted = |zid: &Zid| shunned.get(zid).is_none_or(|(until, _)| *until <= now.mono);
        let host =
            self.peers.iter().find_map(|(zid, peer)| peer.host.filter(|_| trusted(zid)).map(|at| (*zid, at)));
        if let Some((zid, locator)) = host {
            self.turn(now.mono, Role::Following(zid));
            self.outputs.push_back(Output::Follow(found(locator, zid)));
            return;
        }
        let waits_for = self.peers.keys().find(|zid| **zid < self.zid && trusted(zid)).copied();
        match waits_for {
            Some(smaller) if now.mono.since(self.settled) >= PATIENCE => self.shun(now.mono, smaller),
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

    /// The host is gone, but not what we said in its cluster: the member still follows its session, and would say the
    /// rest to whatever it joins next. So this is a close like any other.
    fn host_lost(&mut self, now: Moment) {
        if let Role::Following(host) = self.role {
            self.peers.remove(&host);
            self.shun(now, host);
            self.close(now);
        }
    }

    /// Each disappointment doubles the time in which we do not count on a phone: 1 s to 64 s.
    fn shun(&mut self, now: Moment, zid: Zid) {
        if self.shunned.len() >= MAX_PEERS {
            self.shunned.retain(|_, (until, _)| *until > now);
        }
        if self.shunned.len() < MAX_PEERS || self.shunned.contains_key(&zid) {
            let (until, times) = self.shunned.entry(zid).or_insert((now, 0));
            *until = now + Duration::from_secs(1 << (*times).min(6));
            *times += 1;
        }
    }

    fn make_way(&mut self, now: Moment, exo: Found) {
        self.then = Some(exo.clone());
        match self.role {
            Role::Resting | Role::Looking => {
                self.turn(now, Role::Resting);
                self.outputs.push_back(Output::Join(exo));
            }
            Role::Opening | Role::Hosting | Role::Following(_) => self.close(now),
            Role::Closing => {}
        }
    }

    fn close(&mut self, now: Moment) {
        self.port = 0;
        self.turn(now, Role::Closing);
        self.outputs.push_back(Output::Close);
    }

    fn closed(&mut self, now: Moment) {
        if self.role != Role::Closing {
            return;
        }
        if let Some(exo) = self.then.clone() {
            self.turn(now, Role::Resting);
            self.outputs.push_back(Output::Join(exo));
        } else {
            self.look(now, SETTLE);
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
            (Role::Hosting, Some(_)) if zid < self.zid => {
                self.peers.insert(zid, Peer { seen: now, host });
                self.close(now);
            }
            (Role::Looking, _) => {
                self.peers.insert(zid, Peer { seen: now, host });
                if self.peers.len() > MAX_PEERS {
                    // Hosts and small zids matter most.
                    let least = self.peers.iter().max_by_key(|(zid, peer)| (peer.host.is_none(), **zid));
                    if let Some(least) = least.map(|(zid, _)| *zid) {
                        self.peers.remove(&least);
                    }
                }
            }
            _ => {}
        }
    }
}

fn found(locator: Locator, zid: Zid) -> Found {
    Found { locators: vec![locator], zid: Some(zid), api: None, by: Provider::Multicast }
}
