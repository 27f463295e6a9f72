//! Who may say what.
//!
//! A guest on somebody's cluster has few things to say: that it is there, what it can do, what became of the work that
//! it was given. The rest of exo's words belong to its master and to its interface. In a cluster of phones alone the
//! master is one of us and says them too.

use super::{
    check::{Fault, Place},
    value::{Object, Value},
};
use crate::{id::NodeId, topic::Topic};

/// Events that a member has reason to send.
const EVENTS: [&str; 11] = [
    "ChunkGenerated",
    "NodeDownloadProgress",
    "NodeGatheredInfo",
    "NodeTimedOut",
    "RunnerStatusUpdated",
    "TaskAcknowledged",
    "TaskCreated",
    "TaskFailed",
    "TaskStatusUpdated",
    "TopologyEdgeCreated",
    "TopologyEdgeDeleted",
];
/// Commands that a member has reason to send.
const COMMANDS: [&str; 4] = ["DeleteInstance", "RequestEventLog", "TaskCancelled", "TaskFinished"];
/// News about a node that only a Mac has. exo draws RDMA edges from it and places models along them.
const OF_MACS: [&str; 4] =
    ["MacThunderboltConnections", "MacThunderboltIdentifiers", "RdmaCtlStatus", "ThunderboltBridgeInfo"];
/// The chunk that a phone never makes.
const PICTURE: &str = "ImageChunk";
/// The only seniority of a node that does not want to be master.
const NO_CANDIDATE: i128 = -1;
/// exo's own highest: `--force-master`.
const MOST_SENIOR: i128 = 1_000_000;

/// In whose name the gate lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Guest,
    MasterOfPhones,
}

/// Whether a guest has anything to say there.
pub(crate) fn guest_speaks_on(topic: Topic) -> bool {
    !matches!(topic, Topic::GlobalEvents | Topic::DownloadCommands)
}

/// Whether a guest ever says this variant in that field.
pub(crate) fn guest_says(field: &str, variant: &str) -> bool {
    match field {
        "LocalForwarderEvent.event" => EVENTS.contains(&variant),
        "ForwarderCommand.command" => COMMANDS.contains(&variant),
        "NodeGatheredInfo.info" => !OF_MACS.contains(&variant),
        "ChunkGenerated.chunk" => variant != PICTURE,
        _ => true,
    }
}

/// Refuses what is not for this role to say, and news about a node that is not ours.
pub(crate) fn permit(
    role: Role,
    node: Option<&NodeId>,
    topic: Topic,
    message: &Object<'_>,
) -> Result<(), Fault> {
    let root = Place::ROOT;
    let guest = role == Role::Guest;
    match topic {
        _ if guest && !guest_speaks_on(topic) => Err(root.fault("a guest has no say on this topic")),
        Topic::GlobalEvents | Topic::DownloadCommands => Ok(()),
        Topic::LocalEvents => {
            let Some((tag, body)) = tagged(message, "event") else { return Ok(()) };
            let at = root.key("event");
            let at = at.key(tag);
            if guest {
                if !EVENTS.contains(&tag) {
                    return Err(at.fault("a guest has no reason to send this event"));
                }
                of_a_phone(body, &at)?;
            }
            about_us(node, tag, body, &at)
        }
        Topic::Commands => match tagged(message, "command") {
            Some((tag, _)) if guest && !COMMANDS.contains(&tag) => {
                Err(root.key("command").key(tag).fault("a guest has no reason to send this command"))
            }
            _ => Ok(()),
        },
        Topic::ElectionMessages => match message.get("seniority") {
            Some(Value::Int(seniority)) => match seniority.clamped() {
                NO_CANDIDATE => Ok(()),
                0..=MOST_SENIOR if !guest => Ok(()),
                _ => Err(root.key("seniority").fault("a guest never stands for election")),
            },
            _ => Ok(()),
        },
    }
}

fn of_a_phone(body: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
    if let Some((tag, _)) = tagged(body, "info").filter(|(tag, _)| OF_MACS.contains(tag)) {
        return Err(at.key("info").key(tag).fault("only a Mac has this to tell"));
    }
    match tagged(body, "chunk") {
        // exo's interface asserts that the kind of a chunk fits the request.
        Some((tag @ PICTURE, _)) => Err(at.key("chunk").key(tag).fault("a guest makes no images")),
        _ => Ok(()),
    }
}

/// exo's master checks no authorship: whoever says that a node is gone removes it.
fn about_us(node: Option<&NodeId>, tag: &str, body: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
    let Some(node) = node else { return Ok(()) };
    let ours = |value: Option<&Value<'_>>| matches!(value, Some(Value::Text(id)) if id == node.as_str());
    let (fits, key) = match tag {
        "NodeGatheredInfo" | "NodeTimedOut" => (ours(body.get("node_id")), "node_id"),
        "NodeDownloadProgress" => {
            let progress = tagged(body, "download_progress");
            (progress.is_some_and(|(_, progress)| ours(progress.get("node_id"))), "download_progress")
        }
        "TopologyEdgeCreated" | "TopologyEdgeDeleted" => {
            let source = match body.get("conn") {
                Some(Value::Object(conn)) => conn.get("source"),
                _ => None,
            };
            (ours(source), "conn")
        }
        _ => return Ok(()),
    };
    if fits { Ok(()) } else { Err(at.key(key).fault("this is about another node")) }
}

/// The tag and the body of a tagged field.
fn tagged<'a, 'v>(object: &'a Object<'v>, key: &str) -> Option<(&'a str, &'a Object<'v>)> {
    match object.get(key)? {
        Value::Object(outer) => match outer.only()? {
            (tag, Value::Object(body)) => Some((tag, body)),
            _ => None,
        },
        _ => None,
    }
}
