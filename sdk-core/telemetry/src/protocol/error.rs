//! Why bytes are not a message.

use super::{DEEPEST, LARGEST, VERSION, Version};

/// Why bytes are not a message, or a message cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// It is longer than any message.
    #[error("the message has {bytes} bytes, {LARGEST} are allowed: leave out what is not needed")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// It is not JSON, or not an object.
    #[error("not a JSON object: {reason}")]
    NotAnObject {
        /// What the JSON parser said.
        reason: String,
    },
    /// It nests too deeply.
    #[error("nested more than {DEEPEST} deep")]
    TooDeep,
    /// Its version cannot be read.
    #[error("protocol {version:?} is not a version: expected two numbers, such as \"{VERSION}\"")]
    BadVersion {
        /// What it said.
        version: String,
    },
    /// It speaks another major version.
    #[error("the device speaks protocol {theirs}, this member {VERSION}: update the older of the two")]
    OtherMajor {
        /// What it speaks.
        theirs: Version,
    },
    /// It came under the name of one device and speaks of another.
    #[error(
        "the message speaks of {says:?} and came under the name {key:?}: a device speaks of itself alone"
    )]
    OtherDevice {
        /// Of whom it speaks.
        says: String,
        /// Under whose name it came.
        key: String,
    },
    /// There is no such message in this version.
    #[error("no message of protocol {VERSION} has the type {kind:?}")]
    UnknownType {
        /// What it said.
        kind: String,
    },
    /// A field is missing.
    #[error("the field `{field}` is missing")]
    Missing {
        /// Which.
        field: String,
    },
    /// A field cannot be read.
    #[error("the field `{field}` cannot be read: {problem}")]
    Field {
        /// Which.
        field: String,
        /// What is wrong with it, and what was expected.
        problem: String,
    },
}
