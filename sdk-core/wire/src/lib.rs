//! exo's bytes, nothing else: what a member of an exo cluster hears and what it may say.
//!
//! No I/O, no clock, no async. Everything here is a value, a parser or a judgement:
//!
//! * [`datagram`]: the Hello and WhatsUp of exo's own discovery; [`Namespace`] and [`Zid`].
//! * **Saying** ([`envelope`] and the [`event`], [`command`] and [`election`] inside): closed types. What compiles is
//!   valid for exo's strict parser: there is no way to build an unknown tag, a float where exo wants an integer, or
//!   a diagnostics list that is not empty.
//! * **Hearing** ([`heard`]): total and tolerant views of the same messages, borrowed from the payload. What we do
//!   not know is kept as raw JSON and the session goes on.
//! * **Asking** ([`request`]): the one body that is ever posted to exo's HTTP interface.
//! * **The gate** ([`gate`]): the last judgement before a payload leaves. It holds exo's own rules, learnt from a
//!   known build, and ours. Only the gate makes a [`Sealed`] payload, and only a sealed payload can be published.
//!
//! The reason for the gate: one malformed message ends every exo process in the cluster. See `docs/protocol.md`.
#![forbid(unsafe_code)]

pub mod builds;
pub mod card;
pub mod chunk;
pub mod command;
pub mod count;
pub mod datagram;
pub mod diagnostics;
pub mod download;
pub mod edge;
pub mod election;
pub mod envelope;
pub mod event;
pub mod finite;
pub mod gate;
pub mod gathered;
pub mod heard;
pub mod id;
pub mod image;
pub mod instance;
pub mod memory;
pub mod model_id;
pub mod multiaddr;
pub mod open_json;
pub mod os_version;
pub mod plain_address;
pub mod request;
pub mod runner;
pub mod session;
pub mod shard;
pub mod task;
pub mod text;
pub mod topic;
pub mod when;

pub use command::{Command, DownloadCommand};
pub use count::Count;
pub use datagram::{Namespace, Zid};
pub use election::ElectionMessage;
pub use envelope::{ForwardedCommand, ForwardedDownloadCommand, GlobalEvent, LocalEvent};
pub use event::Event;
pub use finite::Finite;
pub use gate::{Refusal, Sealed, seal};
pub use gathered::GatheredInfo;
pub use id::{CommandId, EventId, InstanceId, InstanceLinkId, NodeId, RunnerId, SystemId, TaskId};
pub use memory::Memory;
pub use model_id::ModelId;
pub use multiaddr::Multiaddr;
pub use session::SessionId;
pub use topic::Topic;
pub use when::When;
