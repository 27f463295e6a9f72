//! Who speaks, for which session, at which place.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::{event::Event, one_key::tag, text::Text};
use crate::{
    election::ElectionMessage,
    id::{EventId, NodeId},
    session::SessionId,
    when::When,
};

/// A session that was heard.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Session<'a> {
    /// The node that orders the events.
    #[serde(borrow, alias = "masterNodeId")]
    pub master_node_id: Text<'a>,
    /// The clock of the election that it won.
    #[serde(alias = "electionClock")]
    pub election_clock: u64,
}

impl Session<'_> {
    /// Whether it is that one.
    pub fn is(&self, session: &SessionId) -> bool {
        self.election_clock == session.election_clock
            && *self.master_node_id == *session.master_node_id.as_str()
    }

    /// A copy to keep.
    pub fn to_id(&self) -> SessionId {
        SessionId { master_node_id: NodeId::heard(&self.master_node_id), election_clock: self.election_clock }
    }
}

/// An event with its place in the log.
#[derive(Debug, Clone, Deserialize)]
pub struct Global<'a> {
    /// Its place in the log.
    #[serde(alias = "originIdx")]
    pub origin_idx: u64,
    /// The node that says so: the master, if all is well.
    #[serde(borrow)]
    pub origin: Text<'a>,
    /// Its session.
    #[serde(borrow)]
    pub session: Session<'a>,
    /// What happened, unread.
    #[serde(borrow)]
    pub event: &'a RawValue,
}

impl<'a> Global<'a> {
    /// What happened.
    pub fn event(&self) -> Event<'a> {
        Event::read(self.event)
    }

    /// What kind of event it is, without reading it.
    pub fn tag(&self) -> Option<Text<'a>> {
        tag(self.event)
    }
}

/// An event on its way to the master.
#[derive(Debug, Clone, Deserialize)]
pub struct Local<'a> {
    /// Its place among the events of this origin.
    #[serde(alias = "originIdx")]
    pub origin_idx: u64,
    /// The stream that it belongs to.
    #[serde(borrow)]
    pub origin: Text<'a>,
    /// For which master.
    #[serde(borrow)]
    pub session: Session<'a>,
    /// What happened, unread.
    #[serde(borrow)]
    pub event: &'a RawValue,
}

impl<'a> Local<'a> {
    /// What happened.
    pub fn event(&self) -> Event<'a> {
        Event::read(self.event)
    }

    /// What kind of event it is, without reading it.
    pub fn tag(&self) -> Option<Text<'a>> {
        tag(self.event)
    }

    /// The event as a master publishes it: unchanged, but for the time of a node's news, which is the master's own.
    /// `None` if it is such news and cannot be read.
    pub fn stamped(&self, when: &When) -> Option<Cow<'a, RawValue>> {
        if self.tag()? == "NodeGatheredInfo" {
            let News::NodeGatheredInfo(news) = serde_json::from_str(self.event.get()).ok()?;
            to_raw_value(&News::NodeGatheredInfo(Stamped { when: Some(when.clone()), ..news }))
                .ok()
                .map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(self.event))
        }
    }
}

#[derive(Serialize, Deserialize)]
enum News<'a> {
    NodeGatheredInfo(#[serde(borrow)] Stamped<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stamped<'a> {
    #[serde(alias = "eventId", skip_serializing_if = "Option::is_none")]
    event_id: Option<EventId>,
    #[serde(alias = "nodeId")]
    node_id: NodeId,
    when: Option<When>,
    #[serde(borrow)]
    info: &'a RawValue,
}

/// A vote.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Election<'a> {
    /// The round.
    pub clock: u64,
    /// How many the proposed master has led.
    pub seniority: i64,
    /// Who should lead.
    #[serde(borrow, alias = "proposedSession")]
    pub proposed_session: Session<'a>,
    /// How many commands it has seen.
    #[serde(alias = "commandsSeen")]
    pub commands_seen: u64,
}

impl Election<'_> {
    /// A copy to keep and to compare.
    pub fn to_message(&self) -> ElectionMessage {
        ElectionMessage {
            clock: self.clock,
            seniority: self.seniority,
            proposed_session: self.proposed_session.to_id(),
            commands_seen: self.commands_seen,
        }
    }
}
