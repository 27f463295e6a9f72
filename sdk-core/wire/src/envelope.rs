//! What travels on the topics: a message with its sender and its place.

use serde::{Deserialize, Serialize};

use crate::{
    command::{Command, DownloadCommand},
    event::Event,
    id::{NodeId, SystemId},
    session::SessionId,
};

/// An event on its way to the master, on [`Topic::LocalEvents`](crate::Topic::LocalEvents).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalEvent<E = Event> {
    /// Its place among the events of this origin: from 0, no gaps, never used twice for different events.
    pub origin_idx: u64,
    /// The stream that it belongs to: a new one for each session.
    pub origin: SystemId,
    /// For which master. Any other drops it.
    pub session: SessionId,
    /// What happened.
    pub event: E,
}

/// An event with its place in the log, on [`Topic::GlobalEvents`](crate::Topic::GlobalEvents). Only a master says
/// this. It may wrap an event that it heard and does not need to understand: `GlobalEvent<&RawValue>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlobalEvent<E = Event> {
    /// Its place in the log.
    pub origin_idx: u64,
    /// The master.
    pub origin: NodeId,
    /// Its session.
    pub session: SessionId,
    /// What happened.
    pub event: E,
}

/// A command, on [`Topic::Commands`](crate::Topic::Commands).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForwardedCommand {
    /// Who asks.
    pub origin: SystemId,
    /// For what.
    pub command: Command,
}

/// A download command, on [`Topic::DownloadCommands`](crate::Topic::DownloadCommands).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForwardedDownloadCommand {
    /// Who asks.
    pub origin: SystemId,
    /// For what.
    pub command: DownloadCommand,
}
