//! The topics of the cluster's bus.

use std::fmt;

/// One of the five topics that exo nodes share. Each carries one kind of message as UTF-8 JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// From the master to everyone: events with their place in the log.
    GlobalEvents,
    /// From everyone to the master: events that wait for their place.
    LocalEvents,
    /// From anyone to the master.
    Commands,
    /// From the candidates to everyone.
    ElectionMessages,
    /// From anyone to the node that the command names.
    DownloadCommands,
}

impl Topic {
    /// All topics.
    pub const ALL: [Self; 5] = [
        Self::GlobalEvents,
        Self::LocalEvents,
        Self::Commands,
        Self::ElectionMessages,
        Self::DownloadCommands,
    ];

    /// The name inside exo, as in `strictness.jsonl`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GlobalEvents => "global_events",
            Self::LocalEvents => "local_events",
            Self::Commands => "commands",
            Self::ElectionMessages => "election_messages",
            Self::DownloadCommands => "download_commands",
        }
    }

    /// The zenoh key expression.
    pub const fn key(self) -> &'static str {
        match self {
            Self::GlobalEvents => "topics/global_events",
            Self::LocalEvents => "topics/local_events",
            Self::Commands => "topics/commands",
            Self::ElectionMessages => "topics/election_messages",
            Self::DownloadCommands => "topics/download_commands",
        }
    }

    /// The topic of that name, if exo has one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.name() == name)
    }

    /// The topic of that zenoh key, if it is one of exo's.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.key() == key)
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
