//! The last things that happened, for the timing diagram of a failing seed.

use std::{collections::VecDeque, fmt, fmt::Write as _};

use exo_wire::Topic;

use crate::queue::{SECOND, Time};

/// Somebody in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Party {
    /// The exo node at this place. Its id changes when it restarts.
    Exo(u16),
    /// A phone.
    Phone(u16),
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exo(n) => f.pad(&format!("exo{n}")),
            Self::Phone(n) => f.pad(&format!("phone{n}")),
        }
    }
}

/// One line of the diagram.
#[derive(Debug, Clone)]
pub enum Note {
    /// A payload was published.
    Said {
        /// By whom.
        from: Party,
        /// Where.
        topic: Topic,
        /// What it was, in short.
        what: Short,
    },
    /// A payload was lost on its way.
    Lost {
        /// To whom.
        to: Party,
        /// On which topic.
        topic: Topic,
    },
    /// Something else that happened to somebody.
    Did {
        /// Whom.
        who: Party,
        /// What.
        what: String,
    },
    /// Something that happened to the network.
    World(String),
}

/// A payload in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Short {
    /// The first letters of the event's or command's tag.
    pub tag: [u8; 20],
    /// Its index.
    pub index: u64,
    /// The first eight digits of the master's id.
    pub master: [u8; 8],
}

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        write!(f, "#{} {} of {}", self.index, text(&self.tag), text(&self.master))
    }
}

const LOST: &str = "lost on the way";

/// Keeps the last notes.
#[derive(Debug)]
pub struct Trace {
    notes: VecDeque<(Time, Note)>,
    most: usize,
    live: bool,
}

impl Trace {
    /// Keeps that many; with `live`, prints each at once.
    pub fn new(most: usize, live: bool) -> Self {
        Self { notes: VecDeque::with_capacity(most), most, live }
    }

    /// Keeps a note.
    pub fn note(&mut self, now: Time, note: Note) {
        if self.live {
            eprintln!("{}", line(now, &note));
        }
        if self.notes.len() >= self.most {
            self.notes.pop_front();
        }
        self.notes.push_back((now, note));
    }

    /// The last `count` lines of the diagram. Of a failure that concerns one phone: what it said and what happened to
    /// it and around it, not what others said.
    pub fn diagram(&self, about: Option<Party>, count: usize) -> String {
        let matters = |note: &Note| match (about, note) {
            (None, _) | (_, Note::World(_) | Note::Did { who: Party::Exo(_), .. }) => true,
            (Some(party), Note::Said { from, .. }) => *from == party,
            (Some(party), Note::Lost { to, .. }) => *to == party,
            (Some(party), Note::Did { who, .. }) => *who == party,
        };
        let mut lines: Vec<String> = Vec::new();
        let mut lost_too = 0;
        for (now, note) in self.notes.iter().filter(|(_, note)| matters(note)) {
            // A lossy network loses many things at once: one line is enough for those.
            if let Note::Lost { .. } = note
                && lines.last().is_some_and(|last| last.contains(LOST))
            {
                lost_too += 1;
                continue;
            }
            if let Some(last) = lines.last_mut().filter(|_| lost_too > 0) {
                let _ = write!(last, ", and {lost_too} more");
            }
            lost_too = 0;
            lines.push(line(*now, note));
        }
        lines.split_off(lines.len().saturating_sub(count)).join("\n")
    }
}

fn line(now: Time, note: &Note) -> String {
    let at = format!("{:>10.3} s", now as f64 / SECOND as f64);
    match note {
        Note::Said { from, topic, what } => format!("{at}  {from:<9} --> {topic:<18} {what}"),
        Note::Lost { to, topic } => format!("{at}  {to:<9} -x- {topic:<18} {LOST}"),
        Note::Did { who, what } => format!("{at}  {who:<9}  .  {what}"),
        Note::World(what) => format!("{at}  ========  {what}"),
    }
}
