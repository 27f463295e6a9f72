//! What can be wrong with a problem.

/// Why a problem was refused. Each message says what was found, what was expected and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// The text is longer than any problem that is allowed.
    #[error("the problem has {bytes} bytes of text; at most {} are read", super::problem::MAX_TEXT_BYTES)]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// It is not JSON, or not JSON of this shape.
    #[error("this is not a placement problem: {why}; docs/placement.md shows one")]
    NotAProblem {
        /// What the parser said.
        why: String,
    },
    /// A number that cannot be.
    #[error("{what} is {value}; expected a number from {least} to {most:e}")]
    Number {
        /// Where it is: `devices[3] "pixel": memory_bytes`.
        what: String,
        /// What it is.
        value: f64,
        /// The least that is allowed.
        least: f64,
        /// The most that is allowed.
        most: f64,
    },
    /// Too many or too few of something.
    #[error("there are {found} {what}; expected {least} to {most}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// The least that is allowed.
        least: usize,
        /// The most that is allowed.
        most: usize,
    },
    /// A device without a usable name.
    #[error("devices[{index}] has an id of {bytes} bytes; give it a name of 1 to {most} bytes", most = super::check::MAX_ID_BYTES)]
    Name {
        /// Which device.
        index: usize,
        /// How long its id is.
        bytes: usize,
    },
    /// Two devices with one name.
    #[error("two devices are named {id:?}; give each a name of its own")]
    DuplicateDevice {
        /// The name.
        id: String,
    },
    /// A link to or from nobody.
    #[error("links[{index}] names {id:?}, which is no device; name one of \"devices\" or remove the link")]
    UnknownDevice {
        /// Which link.
        index: usize,
        /// The name.
        id: String,
    },
    /// Two speeds for one direction.
    #[error("links[{index}] gives {from:?} to {to:?} a second time; keep one of the two")]
    DuplicateLink {
        /// Which link.
        index: usize,
        /// The device that sends.
        from: String,
        /// The device that receives.
        to: String,
    },
    /// The whole model is larger than bytes can be counted exactly.
    #[error("the model needs {bytes:e} bytes with its context; at most {most:e} can be placed", most = super::check::MAX_BYTES)]
    TooLarge {
        /// How many.
        bytes: f64,
    },
}
