//! Everything that was ever published, and what must be true of it.
//!
//! The ledger reads payloads with its own eyes and keeps only hashes, times and places, so that it stays cheap. It
//! keeps one account for each stream of events, that is for each session of each run of an app: what was published
//! under which index, and where in the log each came out. When a phone takes events for acknowledged, exactly those
//! are looked up: each must be in the log of that very session, and since nothing may be in a log twice, once.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
};

use exo_wire::{SessionId, Topic};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    pace::Pace,
    queue::{SECOND, Time},
    trace::Short,
};

/// A rule was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) String);

/// Who published something, and over which of its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Speaker {
    /// The phone.
    pub(crate) phone: u16,
    /// Its link: what is on its way over one may be sent again over the next at once.
    pub(crate) link: u32,
}

#[derive(Debug, Default)]
struct Log {
    hashes: Vec<u64>,
}

/// The account of one stream: one origin of one phone in one session.
#[derive(Debug)]
struct Stream {
    phone: u16,
    session: SessionId,
    /// By index.
    events: Vec<Event>,
    /// How many of them, from the first, the phone takes for acknowledged.
    acked: usize,
}

#[derive(Debug)]
struct Event {
    hash: u64,
    /// When it was published first, and last.
    first: Time,
    last: (Time, u32),
    /// Its place in the log of the stream's session.
    logged: Option<u64>,
}

/// The books of one run.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    logs: HashMap<SessionId, Log>,
    streams: Vec<Stream>,
    /// Streams by origin, and events by their id: the stream and the index.
    origins: HashMap<String, usize>,
    events: HashMap<String, (usize, usize)>,
    /// The stream that each phone speaks in now.
    current: HashMap<u16, usize>,
    pace: Pace,
    /// Events and commands that phones published, sent again ones included.
    pub(crate) published: u64,
    /// Requests for the log among them.
    pub(crate) nacks: u64,
    /// Events of phones in all logs.
    pub(crate) logged: u64,
    /// Events that phones took for acknowledged; each was looked up in its log.
    pub(crate) acked: u64,
}

impl Ledger {
    /// A phone published something.
    pub(crate) fn phone_said(
        &mut self,
        now: Time,
        from: Speaker,
        topic: Topic,
        bytes: &[u8],
    ) -> Result<Short, Broken> {
        self.published += 1;
        match topic {
            Topic::LocalEvents => self.local(now, from, bytes),
            Topic::Commands => self.command(now, from.phone, bytes),
            _ => Err(Broken(format!("phone{} published to {topic}", from.phone))),
        }
    }

    /// A master published an event with its place.
    pub(crate) fn master_said(&mut self, site: u16, bytes: &[u8]) -> Result<Short, Broken> {
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
        if index > log.hashes.len() {
            return Err(Broken(format!("the log goes from {} to {index}", log.hashes.len())));
        }
        log.hashes.push(hash);
        if let Some((stream, place)) = self.events.get(&*id) {
            let stream = &mut self.streams[*stream];
            if stream.session != global.session {
                return Err(Broken(format!("event {id} of a phone is in the log of another session")));
            }
            if stream.events[*place].logged.replace(global.origin_idx).is_some() {
                return Err(Broken(format!("event {id} of a phone is twice in the log, again at {index}")));
            }
            self.logged += 1;
        }
        Ok(short)
    }

    /// A phone takes so many more of its events for acknowledged: the next ones of its stream. Each is in the log.
    pub(crate) fn phone_counts(&mut self, phone: u16, acked: u64) -> Result<(), Broken> {
        let Some(stream) = self.current.get(&phone).and_then(|stream| self.streams.get_mut(*stream)) else {
            return Err(Broken(format!("phone{phone} counts an acknowledgement and has said nothing")));
        };
        for _ in 0..acked {
            let index = stream.acked;
            match stream.events.get(index) {
                None => {
                    return Err(Broken(format!(
                        "phone{phone} takes index {index} for acknowledged, which it never published"
                    )));
                }
                Some(Event { logged: None, .. }) => {
                    return Err(Broken(format!(
                        "phone{phone} takes index {index} for acknowledged, which is in no log"
                    )));
                }
                Some(_) => stream.acked += 1,
            }
        }
        self.acked += acked;
        Ok(())
    }

    /// The stream of this phone is over: what it had not got through yet is nobody's fault.
    pub(crate) fn ended(&mut self, phone: u16) {
        self.current.remove(&phone);
    }

    /// An index that this phone published in this session, before that time, and that is in no log.
    pub(crate) fn lost(&self, phone: u16, session: &SessionId, before: Time) -> Option<usize> {
        let stream = &self.streams[*self.current.get(&phone)?];
        let lost = |event: &Event| event.logged.is_none() && event.first < before;
        stream.events.iter().position(lost).filter(|_| stream.session == *session)
    }

    fn local(&mut self, now: Time, from: Speaker, bytes: &[u8]) -> Result<Short, Broken> {
        let phone = from.phone;
        let local: Placed<'_> =
            serde_json::from_slice(bytes).map_err(|why| Broken(format!("phone{phone} said {why}")))?;
        let hash = hash(bytes);
        let number = if let Some(number) = self.origins.get(&*local.origin) {
            *number
        } else {
            // A new stream: what the old one had not got through is said anew, or is old news.
            let number = self.streams.len();
            let session = local.session.clone();
            self.streams.push(Stream { phone, session, events: Vec::new(), acked: 0 });
            self.origins.insert(local.origin.to_string(), number);
            self.current.insert(phone, number);
            number
        };
        let stream = &mut self.streams[number];
        if stream.phone != phone || stream.session != local.session {
            return Err(Broken(format!("phone{phone} took over an origin of another session or phone")));
        }
        let index = local.origin_idx as usize;
        let (tag, id) = read(local.event);
        let last = (now, from.link);
        let expected = stream.events.len();
        match stream.events.get_mut(index) {
            Some(known) if known.hash == hash => {
                Pace::again(phone, index, known.last, last)?;
                known.last = last;
            }
            Some(_) => {
                return Err(Broken(format!("phone{phone} used index {index} of an origin for two contents")));
            }
            None if index == expected => {
                self.pace.new_event(now, phone, number)?;
                stream.events.push(Event { hash, first: now, last, logged: None });
                if self.events.insert(id.to_string(), (number, index)).is_some() {
                    return Err(Broken(format!("phone{phone} used event id {id} for two indices")));
                }
            }
            None => {
                return Err(Broken(format!(
                    "phone{phone} left a gap: index {index} after {expected} events"
                )));
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
        self.pace.request(now, phone)?;
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
