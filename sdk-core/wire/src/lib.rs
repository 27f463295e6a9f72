//! exo's bytes, nothing else: what a member of an exo cluster hears and what it may say.
//!
//! No I/O, no clock, no async. Everything here is a value, a parser or a judgement:
//!
//! * [`datagram`]: the Hello and WhatsUp of exo's own discovery; [`Namespace`] and [`Zid`].
//! * **Saying** ([`event`], [`command`], [`election`] and the types inside them): closed types. What compiles is
//!   valid for exo's strict parser: there is no way to build an unknown tag, a float where exo wants an integer, or
//!   a diagnostics list that is not empty.
//! * **Hearing** ([`heard`]): total and tolerant views of the same messages, borrowed from the payload. What we do
//!   not know is kept as raw JSON and the session goes on.
//! * **The gate** ([`gate`]): the last judgement before a payload leaves. It holds exo's own rules, learnt from a
//!   known build, and ours. Only the gate makes a [`Sealed`] payload, and only a sealed payload can be published.
//!
//! The reason for the gate: one malformed message ends every exo process in the cluster. See `docs/protocol.md`.
#![forbid(unsafe_code)]

pub mod builds;
pub mod datagram;
pub mod gate;
pub mod heard;
pub mod id;
pub mod session;
pub mod topic;

pub use datagram::{Namespace, Zid};
pub use gate::{Refusal, Sealed, seal};
pub use id::{CommandId, EventId, InstanceId, ModelId, NodeId, RunnerId, SystemId, TaskId};
pub use session::SessionId;
pub use topic::Topic;
