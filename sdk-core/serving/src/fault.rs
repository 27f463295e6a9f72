//! What an error of the engine means for what was asked.

use exo_engine::{Error, ErrorKind};
use exo_node::worker::{EngineError, Fault};

/// The fault of a model that cannot be run, in the engine's own words.
pub(crate) fn of_model(error: &Error) -> EngineError {
    let fault = match error.kind() {
        // What the files say or the device lacks is the same the next time.
        ErrorKind::InvalidModel
        | ErrorKind::Unsupported
        | ErrorKind::OutOfMemory
        | ErrorKind::InvalidRequest
        | ErrorKind::Template => Fault::Unsuitable,
        _ => Fault::Passing,
    };
    EngineError::new(fault, error.to_string())
}

/// The fault of a question, in the engine's own words.
pub(crate) fn of_question(error: &Error) -> EngineError {
    EngineError::new(Fault::Request, error.to_string())
}
