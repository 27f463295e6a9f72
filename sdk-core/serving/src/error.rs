//! What can go wrong with a model that is hosted.

use exo_wire::ModelId;

/// The result of what a host is asked.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a model was not loaded, or a question not answered.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model's files are not on this device.
    #[error("{model} is not on this device: put it there, or choose one that it has ({here})")]
    NotHere {
        /// Which.
        model: ModelId,
        /// Those that are.
        here: String,
    },
    /// The owner does not let the cluster have it.
    #[error("{model} is not offered by the owner of this device; offered: {offered}")]
    NotOffered {
        /// Which.
        model: ModelId,
        /// Those that are.
        offered: String,
    },
    /// It is not on this device, and too large to be fetched.
    #[error(
        "{model} is not on this device and too large to be fetched: it needs {needed} bytes {place}, and {room} are left; place a smaller one"
    )]
    NoRoom {
        /// Which.
        model: ModelId,
        /// Bytes that it takes, as far as that is known before it is here.
        needed: u64,
        /// Bytes that there are.
        room: u64,
        /// Of memory, or of the disk.
        place: &'static str,
    },
    /// It could not be fetched.
    #[error(transparent)]
    Fetch(#[from] exo_models::Error),
    /// The engine's own words.
    #[error(transparent)]
    Engine(#[from] exo_engine::Error),
    /// The model was let go of, or failed, before this question.
    #[error("the model is not loaded on this device any more: load it, and ask again")]
    NotLoaded,
    /// The host was closed.
    #[error("the host of the models was closed; open a new one")]
    Closed,
    /// The system gave no thread, or the thread that computes broke.
    #[error("{0}")]
    System(String),
}

impl Error {
    pub(crate) fn no_thread(error: &std::io::Error) -> Self {
        Self::System(format!("no thread to load the model on: {error}; try again"))
    }
}
