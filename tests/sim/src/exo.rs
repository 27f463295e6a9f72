//! One simulated exo node: a router whose process votes, may be master, reports its memory each second and follows.
//!
//! It is made of our own election and master machines with exo's limits, and of a stream of its own events with exo's
//! habit of sending again what was not acknowledged after 5 s.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use exo_node::{
    Now, Random,
    master::{
        Input, Limits, Master,
        election::{Election, Input as Vote, Output as Voted},
    },
    now::Moment,
};
use exo_wire::{CommandId, EventId, NodeId, SessionId, SystemId, Topic, heard};
use serde_json::json;

use crate::follower::Follower;

const EVERY: Duration = Duration::from_secs(1);
const RESEND_AFTER: Duration = Duration::from_secs(5);

/// A payload that a node wants to publish.
#[derive(Debug)]
pub struct Said {
    /// Where.
    pub topic: Topic,
    /// What.
    pub bytes: Vec<u8>,
}

/// One run of an exo process, from start to kill.
#[derive(Debug)]
pub struct Exo {
    id: NodeId,
    random: Random,
    election: Election,
    master: Option<Master>,
    follower: Follower,
    stream: Stream,
    said: VecDeque<Said>,
}

/// Its own events of one session.
#[derive(Debug)]
struct Stream {
    origin: SystemId,
    next: u64,
    unacked: BTreeMap<String, (Moment, Vec<u8>)>,
    emit_at: Moment,
    retry_at: Moment,
}

impl Stream {
    fn new(now: Moment, random: &mut Random) -> Self {
        let origin = SystemId::from_random(random.wide());
        Self { origin, next: 0, unacked: BTreeMap::new(), emit_at: now, retry_at: now + EVERY }
    }
}

impl Exo {
    /// A process that has just started: a new id, clocks from 0, its own master.
    pub fn start(now: Now, mut random: Random) -> Self {
        let id = NodeId::from_random(random.wide());
        let election = Election::new(now.mono, id.clone(), true);
        let session = election.session().clone();
        let stream = Stream::new(now.mono, &mut random);
        let mut exo = Self {
            id,
            election,
            master: None,
            follower: Follower::new(session.clone()),
            stream,
            random,
            said: VecDeque::new(),
        };
        exo.reign(now, &session);
        exo
    }

    /// Its id, which is also its router's.
    pub const fn id(&self) -> &NodeId {
        &self.id
    }

    /// The reign that it believes in.
    pub fn session(&self) -> &SessionId {
        self.election.session()
    }

    /// Its master, if it is one.
    pub const fn master(&self) -> Option<&Master> {
        self.master.as_ref()
    }

    /// Whether a campaign runs.
    pub fn is_campaigning(&self) -> bool {
        self.election.is_campaigning() || self.election.deadline().is_some()
    }

    /// The answer to `GET /state`.
    pub fn state_json(&self) -> String {
        self.follower.state_json()
    }

    /// Somebody's token came or went.
    pub fn liveness(&mut self, now: Now) {
        self.election.handle(now.mono, Vote::Liveness);
    }

    /// A payload came from the network.
    pub fn hear(&mut self, now: Now, topic: Topic, payload: &[u8]) {
        match topic {
            Topic::ElectionMessages => {
                if let Ok(ballot) = heard::election(payload) {
                    self.election.handle(now.mono, Vote::Ballot(ballot.to_message()));
                }
            }
            Topic::GlobalEvents => {
                if let Some(id) = self.follower.hear(now.mono, payload) {
                    self.stream.unacked.remove(&*id);
                }
            }
            Topic::Commands | Topic::LocalEvents => {
                if topic == Topic::Commands {
                    self.election.handle(now.mono, Vote::Command);
                }
                if let Some(master) = &mut self.master {
                    master.handle(now, Input::Heard { topic, payload });
                }
            }
            Topic::DownloadCommands => {}
        }
        self.settle(now);
    }

    /// Time passed.
    pub fn tick(&mut self, now: Now) {
        self.election.handle(now.mono, Vote::Tick);
        if let Some(master) = &mut self.master {
            master.handle(now, Input::Tick);
        }
        if self.stream.emit_at <= now.mono {
            self.stream.emit_at = now.mono + EVERY;
            self.emit(now, &self.memory());
        }
        if self.stream.retry_at <= now.mono {
            self.stream.retry_at = now.mono + EVERY.mul_f64(1.0 + self.random.fraction());
            for (sent, bytes) in self.stream.unacked.values_mut() {
                if now.mono.since(*sent) > RESEND_AFTER {
                    *sent = now.mono;
                    self.said.push_back(Said { topic: Topic::LocalEvents, bytes: bytes.clone() });
                }
            }
        }
        if let Some(since) = self.follower.nack(now.mono) {
            let command_id = CommandId::from_random(self.random.wide());
            let command = json!({ "RequestEventLog": { "command_id": command_id, "since_idx": since } });
            let command = json!({ "origin": self.stream.origin, "command": command });
            self.said.push_back(Said { topic: Topic::Commands, bytes: command.to_string().into() });
        }
        self.settle(now);
    }

    /// When to call [`Self::tick`].
    pub fn deadline(&self) -> Moment {
        let master = self.master.as_ref().and_then(Master::deadline);
        let others = [self.election.deadline(), master, self.follower.deadline()];
        let stream = self.stream.emit_at.min(self.stream.retry_at);
        others.into_iter().flatten().fold(stream, Moment::min)
    }

    /// The next payload for the network. A node hears its own words without it.
    pub fn poll(&mut self, now: Now) -> Option<Said> {
        self.settle(now);
        let said = self.said.pop_front()?;
        if said.topic != Topic::ElectionMessages {
            self.hear(now, said.topic, &said.bytes);
        }
        Some(said)
    }

    fn settle(&mut self, now: Now) {
        while let Some(voted) = self.election.poll() {
            match voted {
                Voted::Say(ballot) => {
                    let bytes = serde_json::to_vec(&ballot).unwrap_or_default();
                    self.said.push_back(Said { topic: Topic::ElectionMessages, bytes });
                }
                Voted::Elected { session, is_new: true, .. } => self.reign(now, &session),
                Voted::Elected { .. } => {}
            }
        }
        while let Some(sealed) = self.master.as_mut().and_then(Master::poll) {
            self.said.push_back(Said { topic: sealed.topic(), bytes: sealed.payload().to_vec() });
        }
    }

    /// A new session: everything begins again.
    fn reign(&mut self, now: Now, session: &SessionId) {
        let is_ours = session.master_node_id == self.id;
        let random = Random::seeded(self.random.bits());
        self.master = is_ours.then(|| Master::new(session.clone(), Limits::EXO, random, now));
        self.follower = Follower::new(session.clone());
        self.stream = Stream::new(now.mono, &mut self.random);
        let name = format!("mac {}", &self.id.as_str()[..self.id.as_str().len().min(4)]);
        let identity =
            json!({ "model": "Mac", "chip": "M4", "os_version": "26.0", "os_build_version": "25A" });
        self.emit(now, &json!({ "NodeBackends": { "backends": ["MlxMetal"] } }));
        self.emit(now, &json!({ "MiscData": { "friendly_name": name } }));
        self.emit(now, &json!({ "StaticNodeInformation": identity }));
    }

    fn memory(&self) -> serde_json::Value {
        let bytes = |n: u64| json!({ "in_bytes": n });
        let available = 10_000_000_000 + self.stream.next;
        json!({ "ram_total": bytes(64_000_000_000), "ram_available": bytes(available),
            "swap_total": bytes(0), "swap_available": bytes(0) })
    }

    fn emit(&mut self, now: Now, info: &serde_json::Value) {
        let event_id = EventId::from_random(self.random.wide());
        let event = json!({ "NodeGatheredInfo": { "event_id": event_id, "node_id": self.id,
            "when": "2026-06-22 13:38:54.123456+00:00", "info": info } });
        let bytes: Vec<u8> = json!({ "origin_idx": self.stream.next, "origin": self.stream.origin,
            "session": self.session(), "event": event })
        .to_string()
        .into();
        self.stream.next += 1;
        self.stream.unacked.insert(event_id.to_string(), (now.mono, bytes.clone()));
        self.said.push_back(Said { topic: Topic::LocalEvents, bytes });
    }
}
