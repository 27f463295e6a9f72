//! What contestants are asked for, in our own words and as the line that a rival's process is sent.

use std::fmt;

#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Tokens after a prompt of `context` tokens, one by one, each the likeliest. The prompt is not timed.
    Decode { context: u32, tokens: u32 },
    /// A prompt of so many tokens, up to the first token of the answer.
    Prefill { tokens: u32 },
    /// Tokens of several chats at once.
    Chats { chats: u32, context: u32, tokens: u32 },
}

impl fmt::Display for Work {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode { context, tokens } => write!(out, "decode {context} {tokens}"),
            Self::Prefill { tokens } => write!(out, "prefill {tokens}"),
            Self::Chats { chats, context, tokens } => write!(out, "chats {chats} {context} {tokens}"),
        }
    }
}

/// The prompt of so many tokens, the same for everybody.
pub fn prompt(tokens: u32) -> Vec<u32> {
    (0..tokens).map(|i| i * 7919 % 1000).collect()
}
