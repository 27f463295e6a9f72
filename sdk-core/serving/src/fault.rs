//! What an error means for what the worker asked.

use exo_engine::ErrorKind;
use exo_models::ErrorKind as Kind;
use exo_node::worker::{EngineError, Fault};

use crate::Error;

/// The fault of a model that cannot be run, in the host's own words.
pub(crate) fn of_model(error: &Error) -> EngineError {
    let fault = match error {
        Error::NotHere { .. } | Error::NotOffered { .. } | Error::NoRoom { .. } => Fault::Unsuitable,
        Error::Fetch(error) => match error.kind() {
            // What came is kept, and the next attempt goes on from there.
            Kind::Unreachable | Kind::Busy | Kind::Io | Kind::Cancelled => Fault::Passing,
            // No, and that is the server's or the disk's last word for now.
            _ => Fault::Unsuitable,
        },
        Error::Engine(error) => match error.kind() {
            // What the files say or the device lacks is the same the next time.
            ErrorKind::InvalidModel
            | ErrorKind::Unsupported
            | ErrorKind::OutOfMemory
            | ErrorKind::InvalidRequest
            | ErrorKind::Template => Fault::Unsuitable,
            _ => Fault::Passing,
        },
        Error::NotLoaded | Error::Closed | Error::System(_) => Fault::Passing,
    };
    EngineError::new(fault, error.to_string())
}

/// The fault of a question, in the host's own words.
pub(crate) fn of_question(error: &Error) -> EngineError {
    let fault = match error {
        Error::NotLoaded | Error::Closed | Error::System(_) => Fault::Passing,
        Error::Engine(error) if error.kind() == ErrorKind::UnderPressure => Fault::Passing,
        _ => Fault::Request,
    };
    EngineError::new(fault, error.to_string())
}
