//! Everything that was ever published, and what must be true of it.
//!
//! The ledger reads payloads with its own eyes and keeps only hashes and counts, so that it stays cheap.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
};

use exo_wire::{SessionId, Topic, gate};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    queue::{SECOND, Time},
    trace::{Party, Short},
};

/// A rule was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken(pub String);

/// One of this many payloads is judged again by exo's rules.
const SAMPLE: u64 = 16;
/// What one phone may publish within ten seconds, faults or not.
const MOST_IN_TEN_SECONDS: u32 = 160;

#[derive(Debug, Default)]
struct Log {
    next: u64,
    hashes: Vec<u64>,
}

#[derive(Debug)]
struct Origin {
    phone: u16,
    session: SessionId,
    hashes: Vec<u64>,
    is_over: bool,
}

#[derive(Debug)]
struct Event {
    origin: String,
    said: Time,
    logged: bool,
}

/// What a phone was told about the state, so that its requests can be judged.
#[derive(Debug, Default, Clone)]
struct Told {
    window: Time,
    said: u32,
}

/// The books of one run.
#[derive(Debug, Default)]
pub struct Ledger {
    logs: HashMap<SessionId, Log>,
    origins: HashMap<String, Origin>,
    events: HashMap<String, Event>,
    told: HashMap<u16, Told>,
    judged: u64,
    /// Events and commands that phones published, sent again ones included.
    pub published: u64,
    /// Requests for the log among them.
    pub nacks: u64,
    /// Events of phones in all logs.
    pub logged: u64,
}

impl Ledger {
    /// A phone published something.
    pub fn phone_said(&mut self, now: Time, phone: u16, topic: Topic, bytes: &[u8]) -> Result<Short, Broken> {
        self.published += 1;
        self.pace(now, phone)?;
        self.judged += 1;
        if self.judged.is_multiple_of(SAMPLE) || self.judged < 256 {
            let verdict = gate::verdict(topic, bytes);
            if !verdict.accept {
                return Err(Broken(format!("phone{phone} said what exo dies of: {}", verdict.why)));
            }
        }
        match topic {
            Topic::LocalEvents => self.local(now, phone, bytes),
            Topic::Commands => self.command(now, phone, bytes),
            _ => Err(Broken(format!("phone{phone} published to {topic}"))),
        }
    }

    /// A master published an event with its place.
    pub fn master_said(&mut self, site: u16, bytes: &[u8]) -> Result<Short, Broken> {
        let global: Placed<'_> =
            serde_json::from_slice(bytes).map_err(|why| Broken(format!("exo{site} said {why}")))?;
        let hash = hash(bytes);
        let log = self.logs.entry(global.session.clone()).or_default();
        let index = global.origin_idx as usize;
        let (tag, id) = read(global.event);
        let short = short(&tag, global.origin_idx, &global.session);
        if index < log.hashes.len() {
            // Sent again on request: to the byte what it was.
            return if log.hashes.get(index) == Some(&hash) {
                Ok(short)
            } else {
                Err(Broken(format!("index {index} of the log has two contents")))
            };
        }
        if global.origin_idx != log.next {
            return Err(Broken(format!("the log goes from {} to {index}", log.next)));
        }
        log.next += 1;
        log.hashes.push(hash);
        if let Some(event) = self.events.get_mut(&*id) {
            if std::mem::replace(&mut event.logged, true) {
                return Err(Broken(format!("event {id} of a phone is twice in the log, again at {index}")));
            }
            self.logged += 1;
        }
        Ok(short)
    }

    /// The streams of this phone are over: what they had not got through yet is nobody's fault.
    pub fn ended(&mut self, phone: u16) {
        for origin in self.origins.values_mut().filter(|origin| origin.phone == phone) {
            origin.is_over = true;
        }
    }

    /// Events of this phone that it published in this session, that are old enough, and that are in no log.
    pub fn lost(&self, phone: u16, session: &SessionId, before: Time) -> Option<String> {
        let ours = |origin: &str| {
            self.origins
                .get(origin)
                .is_some_and(|known| !known.is_over && known.phone == phone && known.session == *session)
        };
        let lost = self.events.iter().filter(|(_, event)| !event.logged && event.said < before);
        lost.filter(|(_, event)| ours(&event.origin)).map(|(id, _)| id.clone()).min()
    }

    /// How many events of this phone are in logs.
    pub fn logged_of(&self, phone: u16) -> u64 {
        let ours = |origin: &str| self.origins.get(origin).is_some_and(|known| known.phone == phone);
        self.events.values().filter(|event| event.logged && ours(&event.origin)).count() as u64
    }

    fn pace(&mut self, now: Time, phone: u16) -> Result<(), Broken> {
        let told = self.told.entry(phone).or_default();
        if now / (10 * SECOND) != told.window {
            (told.window, told.said) = (now / (10 * SECOND), 0);
        }
        told.said += 1;
        if told.said > MOST_IN_TEN_SECONDS {
            return Err(Broken(format!("phone{phone} published {} payloads within ten seconds", told.said)));
        }
        Ok(())
    }

    fn local(&mut self, now: Time, phone: u16, bytes: &[u8]) -> Result<Short, Broken> {
        let local: Placed<'_> =
            serde_json::from_slice(bytes).map_err(|why| Broken(format!("phone{phone} said {why}")))?;
        let hash = hash(bytes);
        if !self.origins.contains_key(&*local.origin) {
            // A new stream: what the old one had not got through is said anew, or is old news.
            self.ended(phone);
        }
        let origin = self.origins.entry(local.origin.to_string()).or_insert_with(|| Origin {
            phone,
            session: local.session.clone(),
            hashes: Vec::new(),
            is_over: false,
        });
        if origin.phone != phone || origin.session != local.session {
            return Err(Broken(format!("phone{phone} took over an origin of another session or phone")));
        }
        let index = local.origin_idx as usize;
        let (tag, id) = read(local.event);
        match origin.hashes.get(index) {
            Some(known) if *known == hash => {}
            Some(_) => {
                return Err(Broken(format!("phone{phone} used index {index} of an origin for two contents")));
            }
            None if index == origin.hashes.len() => {
                origin.hashes.push(hash);
                let event = Event { origin: local.origin.to_string(), said: now, logged: false };
                if self.events.insert(id.to_string(), event).is_some() {
                    return Err(Broken(format!("phone{phone} used event id {id} for two indices")));
                }
            }
            None => {
                let last = origin.hashes.len();
                return Err(Broken(format!("phone{phone} left a gap: index {index} after {last} events")));
            }
        }
        Ok(short(&tag, local.origin_idx, &local.session))
    }

    fn command(&mut self, now: Time, phone: u16, bytes: &[u8]) -> Result<Short, Broken> {
        #[derive(Deserialize)]
        struct Asked {
            command: BTreeMap<String, Since>,
        }
        #[derive(Deserialize)]
        struct Since {
            since_idx: u64,
        }
        let asked: Asked = serde_json::from_slice(bytes)
            .map_err(|why| Broken(format!("phone{phone} commanded something else than the log: {why}")))?;
        let since = asked.command.get("RequestEventLog").map(|asked| asked.since_idx);
        let Some(since) = since else {
            return Err(Broken(format!("phone{phone} commanded something else than the log")));
        };
        self.nacks += 1;
        // Nobody who reads the state first needs the beginning of a log. The first minute is excused: the log is short.
        if since == 0 && now > 60 * SECOND {
            return Err(Broken(format!("phone{phone} asked for the log from 0")));
        }
        let mut short = Short { index: since, ..Short::default() };
        short.tag[..15].copy_from_slice(b"RequestEventLog");
        Ok(short)
    }
}

#[derive(Deserialize)]
struct Placed<'a> {
    origin_idx: u64,
    #[serde(borrow)]
    origin: Cow<'a, str>,
    session: SessionId,
    #[serde(borrow)]
    event: &'a RawValue,
}

fn read(event: &RawValue) -> (Cow<'_, str>, Cow<'_, str>) {
    #[derive(Deserialize)]
    struct Id<'a> {
        #[serde(borrow)]
        event_id: Cow<'a, str>,
    }
    let tagged: BTreeMap<&str, Id<'_>> = serde_json::from_str(event.get()).unwrap_or_default();
    let first = tagged.into_iter().next();
    first.map_or_else(Default::default, |(tag, id)| (Cow::Borrowed(tag), id.event_id))
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn short(tag: &str, index: u64, session: &SessionId) -> Short {
    let mut short = Short { index, ..Short::default() };
    let tag = tag.as_bytes();
    let master = session.master_node_id.as_str().as_bytes();
    let (tags, masters) = (tag.len().min(20), master.len().min(8));
    short.tag[..tags].copy_from_slice(&tag[..tags]);
    short.master[..masters].copy_from_slice(&master[..masters]);
    short
}

/// For the trace: what a payload is, when nobody checks it.
pub fn shortly(from: Party, topic: Topic, bytes: &[u8]) -> Short {
    let _ = from;
    match topic {
        Topic::LocalEvents | Topic::GlobalEvents => serde_json::from_slice::<Placed<'_>>(bytes)
            .map(|placed| short(&read(placed.event).0, placed.origin_idx, &placed.session))
            .unwrap_or_default(),
        _ => Short::default(),
    }
}
