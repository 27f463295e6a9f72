//! What an answer is made of.

use crate::sampling::Logprobs;

/// One token's share of an answer. There is one for each token that was generated, but for those of tags and of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The token.
    pub token: u32,
    /// What can be read since the piece before: a character appears when its last token came, so this may be empty.
    pub text: String,
    /// Whether the model thinks here, and does not speak yet.
    pub is_thinking: bool,
    /// How likely it was, if that was asked for.
    pub logprobs: Option<Logprobs>,
    /// Why the answer ends here; nothing while it goes on.
    pub finish: Option<Finish>,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended it, or a text came that was to stop it.
    Stop,
    /// It has as many tokens as were asked for.
    Length,
}

/// A tool that the model wants to have called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments, as JSON in Python's spelling.
    pub arguments: String,
}

/// What comes out of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Some text; the last one has a [`Finish`].
    Piece(Piece),
    /// All calls of the answer, in its end: nothing comes after them.
    ToolCalls(Vec<ToolCall>),
}
