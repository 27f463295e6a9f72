//! One membership, from the first address to the last goodbye.
//!
//! ```text
//! Searching -> Connecting -> Joining -> Joined -> Draining -> Left
//!     ^            |            |          |
//!     +------------+------------+----------+   link lost, session silent, address changed, long sleep
//! ```
//! The member is *passive*: it sends no election message and declares no liveliness token. It learns the session by
//! listening, registers itself with events, and is joined when it sees them come back with their place in the log.

mod acquaintance;
mod cadence;
mod config;
mod leaving;
mod link;
mod machine;
mod node_key;
mod notice;
mod outbox;
mod readings;
mod recognition;
mod replica;
mod routers;
mod saying;
mod sequencer;
mod session;
mod snapshots;
mod speaking;
mod standing;
mod state;
mod stats;
mod telemetry;
mod term;
mod working;

pub use acquaintance::Acquaintance;
pub use config::MemberConfig;
pub use machine::Member;
pub use readings::{Disk, Gauges, Identity, Memory, Readings};
pub use state::{ClusterView, MemberState, NodeView};
pub use stats::Stats;

use std::net::SocketAddr;

use exo_wire::{Sealed, Topic, Zid, heard};

use crate::{
    discovery::{Found, Locator},
    worker::{Allowed, Offer, Report, Wish},
};

/// What happens to a member.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Member::deadline`].
    Tick,
    /// Discovery found a cluster. Taken when nothing better is linked; kept for later otherwise.
    Found(Found),
    /// The zenoh session that [`Output::Dial`] asked for is open.
    Linked {
        /// Which of the locators answered.
        locator: Locator,
        /// The router's id.
        zid: Option<Zid>,
    },
    /// The linked router told of a router of the cluster, maybe of itself.
    Acquainted {
        /// Whom.
        zid: Zid,
        /// Where we could reach it. Never empty.
        locators: Vec<Locator>,
    },
    /// It could not be opened, or it was lost.
    Unlinked {
        /// What the transport said.
        why: String,
    },
    /// A payload on one of exo's topics.
    Heard {
        /// Which.
        topic: Topic,
        /// UTF-8 JSON, if all is well. Nothing is assumed.
        payload: &'a [u8],
    },
    /// A payload of [`Topic::GlobalEvents`] that was read already: whoever hosts many members, as the simulation does,
    /// reads once for all of them.
    Read {
        /// Who speaks, and where in the log.
        global: &'a heard::Global<'a>,
        /// What happened.
        event: &'a heard::Event<'a>,
        /// The bytes.
        payload: &'a [u8],
    },
    /// The answer to [`Output::FetchState`]: the body of a 200, or what went wrong.
    State(Result<&'a [u8], String>),
    /// The answer to [`Output::Measure`].
    Readings(Readings),
    /// The network below changed (interfaces, addresses): the link may be dead though nobody said so.
    NetworkChanged,
    /// The engine did something. Heard only with a worker.
    Engine(Report),
    /// What the owner's policy and the heat allow to a worker.
    Allowed(Allowed),
    /// The app wants something.
    Request(Request),
}

/// What an app may ask of its member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Say goodbye and end. The state becomes `Left` within the deadline, acked or not.
    Leave,
    /// Our own screen is shown (or not): telemetry goes out every second while it is.
    ScreenShown(bool),
    /// Send although the cluster's build is not known. Off by default.
    AllowUnknownBuild(bool),
}

/// What a member wants.
#[derive(Debug)]
pub enum Output {
    /// Open a zenoh client session to the first of these that answers; any other is closed first.
    Dial(Vec<Locator>),
    /// Close the session.
    HangUp,
    /// `GET /state` there.
    FetchState(SocketAddr),
    /// Ask the probe for readings.
    Measure,
    /// Publish this. The only thing that ever goes to exo's topics.
    Publish(Sealed),
    /// Discovery shall search (`true`) or rest.
    Search(bool),
    /// The engine shall do this.
    Engine(Wish),
    /// What the worker offers changed. The member keeps to it by itself.
    Offer(Offer),
    /// [`Member::state`] or [`Member::view`] changed.
    Changed,
}
