//! What the host's thread is asked to do.

use std::sync::mpsc::Sender;

use exo_engine::{Relief, chat::ChatRequest};
use exo_wire::ModelId;

use super::{AnswerNews, LoadNews};
use crate::Error;

pub(super) type TellLoad = Box<dyn FnMut(LoadNews) + Send>;
pub(super) type TellAnswer = Box<dyn FnMut(AnswerNews) + Send>;

pub(super) enum Order {
    Load { lease: u64, model: ModelId, tell: TellLoad },
    Share(u64, f64),
    Ask { lease: u64, question: u64, asked: Asked, tell: TellAnswer },
    Cancel(u64),
    LetGo(u64),
    Relieve(Sender<Vec<(ModelId, Relief)>>),
    Settle(Sender<()>),
    Close,
}

/// What a model is asked.
pub(super) enum Asked {
    Chat(Box<ChatRequest>),
    TryOut,
}

impl Order {
    /// Says to whoever waits for it that nothing will come of it.
    pub(super) fn refuse(self, error: &Error) {
        match self {
            Self::Load { mut tell, .. } => tell(LoadNews::Failed(error.clone())),
            Self::Ask { mut tell, .. } => tell(AnswerNews::Failed(error.clone())),
            Self::Share(..)
            | Self::Cancel(_)
            | Self::LetGo(_)
            | Self::Relieve(_)
            | Self::Settle(_)
            | Self::Close => {}
        }
    }
}
