//! The last judgement before a payload leaves.
//!
//! One malformed message on any of exo's topics ends every exo process in the cluster. The closed types make that
//! hard; the gate makes it impossible to do by mistake: the very bytes that would be published are read again as
//! exo's own parser would read them, in release builds too. A refusal is an error to us and silence on the wire.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod distil;
pub(crate) mod house;
mod invariants;
pub(crate) mod json;
mod loose;
mod multiaddr;
pub(crate) mod permits;
pub(crate) mod rules;
mod value;

use serde::Serialize;

use self::{
    check::{Check, Eyes, Fault, Place},
    permits::Role,
    rules::{Field, Model, Rule, Rules},
    value::Value,
};
use crate::{builds, id::NodeId, topic::Topic};

/// A payload that passed the gate. Nothing else can be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    topic: Topic,
    payload: Box<[u8]>,
    role: Role,
}

impl Sealed {
    /// Where it goes.
    pub fn topic(&self) -> Topic {
        self.topic
    }

    /// The bytes to publish.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Whether a guest may say it. What is not a guest's to say is published by the router of a cluster of phones
    /// itself, and never on a link to somebody else.
    pub fn is_a_guests(&self) -> bool {
        self.role == Role::Guest
    }
}

/// Why the gate kept a payload back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not published on {topic}: at {path}: {why}")]
pub struct Refusal {
    /// Where it would have gone.
    pub topic: Topic,
    /// The place in the message, such as `$.event.NodeGatheredInfo.info`.
    pub path: String,
    /// What is wrong there.
    pub why: String,
}

/// exo's own judgement of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether exo's parser takes it. If not, the process that receives it ends.
    pub accept: bool,
    /// The first thing that is wrong; empty if nothing is.
    pub why: String,
}

impl Verdict {
    fn of(judged: Result<(), Fault>) -> Self {
        match judged {
            Ok(()) => Self { accept: true, why: String::new() },
            Err(Fault { path, why }) => Self { accept: false, why: format!("at {path}: {why}") },
        }
    }
}

/// What the parser of the newest known build says of a payload. Bytes, because that is what arrives.
pub fn verdict(topic: Topic, payload: impl AsRef<[u8]>) -> Verdict {
    Verdict::of(parsed_by_exo(topic, payload.as_ref(), Eyes::ExosParser).map(drop))
}

/// The same for a topic by its name. There is one more than in [`Topic`]: exo subscribes to `connection_messages` and
/// would read one, but nobody sends any. `None` if exo has no such topic.
pub fn verdict_on(topic: &str, payload: impl AsRef<[u8]>) -> Option<Verdict> {
    if let Some(topic) = Topic::named(topic) {
        return Some(verdict(topic, payload));
    }
    (topic == "connection_messages").then(|| {
        let connected = Field { name: "connected".into(), camel: None, required: true, rule: Rule::Bool };
        let model = Model {
            name: "ConnectionMessage".into(),
            tagged: false,
            closed: true,
            fields: vec![connected],
            also_written: Vec::new(),
            holds: Vec::new(),
        };
        let rules = Rules { named: Vec::new(), topics: Default::default() };
        let judged = match json::read(payload.as_ref()) {
            Ok(value) => Check { rules: &rules, eyes: Eyes::ExosParser }.model(&model, &value, &Place::ROOT),
            Err(fault) => Err(Place::ROOT.fault(fault.to_string())),
        };
        Verdict::of(judged)
    })
}

fn parsed_by_exo(topic: Topic, payload: &[u8], eyes: Eyes) -> Result<Value<'_>, Fault> {
    let root = Place::ROOT;
    let rules = builds::newest().ok_or_else(|| root.fault("no build of exo is known"))?.rules();
    let value = json::read(payload).map_err(|fault| root.fault(fault.to_string()))?;
    let model = rules.of(topic).ok_or_else(|| root.fault("the build has no such topic"))?;
    Check { rules, eyes }.model(model, &value, &root)?;
    Ok(value)
}

/// The gate as it stands before one speaker.
///
/// It lets through what exo's parser takes, in the form in which exo itself writes (real names, tags in place, nothing
/// to convert), within our own rules, and only what is the speaker's to say.
#[derive(Debug, Clone)]
pub struct Gate {
    role: Role,
    node: Option<NodeId>,
}

impl Gate {
    /// For a guest on somebody's cluster: events about itself and its work, the few commands that a member needs, and
    /// an election message only to say that it is no candidate. Never a global event.
    pub fn guest() -> Self {
        Self { role: Role::Guest, node: None }
    }

    /// For a node of a cluster of phones alone, in a namespace of its own, where the master is one of us: global
    /// events and candidacies too. Never open this gate towards an exo.
    pub fn master_of_phones() -> Self {
        Self { role: Role::MasterOfPhones, node: None }
    }

    /// Lets news about this node through, and about no other.
    #[must_use]
    pub fn speaking_for(self, node: NodeId) -> Self {
        Self { node: Some(node), ..self }
    }

    /// Whether these bytes may be published.
    pub fn judge(&self, topic: Topic, payload: &[u8]) -> Result<(), Refusal> {
        self.refusal(topic, payload).map_err(|Fault { path, why }| Refusal { topic, path, why })
    }

    /// Serialises a message and lets it through if exo would take it and our own rules allow it.
    pub fn seal<M: Serialize + ?Sized>(&self, topic: Topic, message: &M) -> Result<Sealed, Refusal> {
        let payload = serde_json::to_vec(message).map_err(|error| Refusal {
            topic,
            path: "$".to_owned(),
            why: error.to_string(),
        })?;
        self.judge(topic, &payload)?;
        Ok(Sealed { topic, payload: payload.into(), role: self.role })
    }

    fn refusal(&self, topic: Topic, payload: &[u8]) -> Result<(), Fault> {
        let root = Place::ROOT;
        if payload.len() > house::MAX_PAYLOAD {
            return Err(root.fault(format!("{} bytes, more than {}", payload.len(), house::MAX_PAYLOAD)));
        }
        match parsed_by_exo(topic, payload, Eyes::AsWritten)? {
            Value::Object(message) => {
                permits::permit(self.role, self.node.as_ref(), topic, &message)?;
                house::judge(&message, topic == Topic::GlobalEvents)
            }
            _ => Err(root.fault("expected an object")),
        }
    }
}

/// Serialises a message and lets it through the [guest's gate](Gate::guest).
pub fn seal<M: Serialize + ?Sized>(topic: Topic, message: &M) -> Result<Sealed, Refusal> {
    Gate::guest().seal(topic, message)
}
