//! What others say, read without trust.
//!
//! Any bytes end in a value or in [`Unheard`]; nothing here panics, recurses without bound or keeps more than it was
//! given. Unknown tags and fields are no error: exo changes about monthly, and a member that only listens must live
//! through it. An event that we do not know, or cannot read, is [`Event::Unknown`] and keeps its JSON.
//!
//! Reading is in two steps, since most of what a member hears it needs only to count: [`global`] reads who speaks
//! and the place in the log, and borrows the rest; [`Global::event`] reads what happened. Both borrow from the
//! payload. Keys are accepted in exo's two spellings, `node_id` on the bus and `nodeId` over HTTP.

pub mod command;
mod edge;
mod envelope;
mod event;
mod info;
mod instance;
mod lenient;
mod model;
mod one_key;
mod snapshot;
mod text;

pub use command::{Asked, Command, DownloadCommand};
pub use edge::{Address, Connection, Edge};
pub use envelope::{Election, Global, Local, Session};
pub use event::{
    ChunkGenerated, CustomModelCardAdded, CustomModelCardDeleted, Event, InputChunkReceived, InstanceCreated,
    InstanceDeleted, InstanceLinkCreated, InstanceLinkDeleted, NodeDownloadProgress, NodeGatheredInfo,
    NodeTimedOut, RunnerStatusUpdated, TaskCreated, TaskEnded, TaskFailed, TaskStatusUpdated, TestEvent,
    TopologyEdge, Traces, Unknown,
};
pub use info::{DiskUsage, Identity, Info, Interface, MemoryUsage, SystemProfile};
pub use instance::{Instance, InstanceLink};
pub use model::{Card, Shard};
pub use one_key::{Tagged, tag};
pub use snapshot::{Link, Snapshot};
pub use text::Text;

use serde::Deserialize;

/// Bytes that are not the message that they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not {what}: {why}")]
pub struct Unheard {
    what: &'static str,
    why: String,
}

impl Unheard {
    fn because(what: &'static str, why: &dyn std::fmt::Display) -> Self {
        // The reason may quote what was heard, which may be long.
        Self { what, why: why.to_string().chars().take(160).collect() }
    }
}

/// Reads a payload of [`Topic::GlobalEvents`](crate::Topic::GlobalEvents).
pub fn global(payload: &[u8]) -> Result<Global<'_>, Unheard> {
    read("a global event", payload)
}

/// Reads a payload of [`Topic::LocalEvents`](crate::Topic::LocalEvents).
pub fn local(payload: &[u8]) -> Result<Local<'_>, Unheard> {
    read("a local event", payload)
}

/// Reads a payload of [`Topic::Commands`](crate::Topic::Commands).
pub fn command(payload: &[u8]) -> Result<Asked<'_>, Unheard> {
    read("a command", payload)
}

/// Reads a payload of [`Topic::DownloadCommands`](crate::Topic::DownloadCommands).
pub fn download_command(payload: &[u8]) -> Result<Asked<'_>, Unheard> {
    read("a download command", payload)
}

/// Reads a payload of [`Topic::ElectionMessages`](crate::Topic::ElectionMessages).
pub fn election(payload: &[u8]) -> Result<Election<'_>, Unheard> {
    read("an election message", payload)
}

/// Reads the body of `GET /state`.
pub fn snapshot(body: &[u8]) -> Result<Snapshot<'_>, Unheard> {
    read("a state", body)
}

fn read<'a, T: Deserialize<'a>>(what: &'static str, bytes: &'a [u8]) -> Result<T, Unheard> {
    // One fast pass over the bytes here saves a slow one for each string later.
    let text = std::str::from_utf8(bytes).map_err(|error| Unheard::because(what, &error))?;
    serde_json::from_str(text).map_err(|error| Unheard::because(what, &error))
}
