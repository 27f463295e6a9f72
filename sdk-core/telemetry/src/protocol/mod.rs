//! The GPU telemetry protocol, version 1.0: what devices tell each other about themselves.
//!
//! A message is one JSON object. `protocol` and `type` say how to read it; `run` and `sequence` let a listener see
//! what it missed. A device says who it is ([`DeviceRegistration`]), then a [`Heartbeat`] at its own pace, [`GpuMetrics`]
//! when something changes in between, and [`Goodbye`] when it leaves.
//!
//! * **Provenance travels.** Each figure is a reading: measured, estimated (how) or unavailable (why).
//! * **Only what changed is told**, unless `full` is set. What is left out of a full telling is not known.
//! * **Unknown fields are kept and passed on**, at every level. A newer minor version is read as far as it is
//!   understood; a newer major version is refused.
//! * **The parser is total**: any bytes end in a message or an error, in bounded memory.
//!
//! `docs/telemetry.md` shows every message, `docs/schema/telemetry-1.0.json` is their JSON Schema.

mod device_id;
mod error;
mod fields;
mod heartbeat;
mod link_report;
mod message;
mod metrics;
mod registration;
mod told;
mod version;

pub use device_id::DeviceId;
pub use error::ProtocolError;
pub use heartbeat::{Goodbye, Heartbeat};
pub use link_report::{LinkReport, MOST_LINKS};
pub use message::{Body, Message};
pub use metrics::GpuMetrics;
pub use registration::{DeviceCapabilities, DeviceRegistration, DeviceType};
pub use told::Told;
pub use version::Version;

/// Fields that we do not know, as they came.
pub type Extra = serde_json::Map<String, serde_json::Value>;

/// The version that we speak.
pub const VERSION: Version = Version { major: 1, minor: 0 };
/// The most bytes of a message.
pub const LARGEST: usize = 64 << 10;
/// How deep a message may nest.
pub const DEEPEST: usize = 16;
/// The most bytes of a name, a reason or any other text.
pub const LONGEST_TEXT: usize = 256;
/// The most entries of a list.
pub const LONGEST_LIST: usize = 64;
