//! The input of the fuzzer as what a hostile network does: datagrams from a few addresses, each some time after the one
//! before it.
//!
//! ```text
//!   1 byte    bits 0-1 who sends it; bit 2: write the cookie that this sender was given into it;
//!             bit 3: the train that we were sending is over
//!   2 bytes   milliseconds since the one before
//!   2 bytes   how many bytes of datagram follow
//! ```
//! A sender cannot guess a cookie, and neither can the fuzzer: with bit 2 it is one who was given it, and asks for more.

/// Where a cookie is, in every datagram that has one.
#[allow(dead_code, reason = "the seeds are only written")]
pub const COOKIE: std::ops::Range<usize> = 16..24;

/// One datagram on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Which of the four senders.
    pub from: usize,
    /// Whether the sender fills in the cookie that it was given.
    pub with_cookie: bool,
    /// Whether the train that was being sent is over.
    pub train_is_over: bool,
    /// How long after the one before.
    pub after_ms: u16,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// Reads letters until the input ends; the last may be cut.
#[allow(dead_code, reason = "the seeds are only written")]
pub fn read(mut input: &[u8]) -> Vec<Letter> {
    let mut letters = Vec::new();
    while let Some((&[how, after_high, after_low, length_high, length_low], rest)) = input.split_first_chunk()
    {
        let length = usize::from(u16::from_be_bytes([length_high, length_low])).min(rest.len());
        let (bytes, rest) = rest.split_at(length);
        letters.push(Letter {
            from: usize::from(how & 3),
            with_cookie: how & 4 != 0,
            train_is_over: how & 8 != 0,
            after_ms: u16::from_be_bytes([after_high, after_low]),
            bytes: bytes.to_vec(),
        });
        input = rest;
    }
    letters
}

/// Writes them as [`read`] reads them.
#[allow(dead_code, reason = "the target only reads")]
pub fn write(letters: &[Letter]) -> Vec<u8> {
    let mut input = Vec::new();
    for letter in letters {
        input.push(
            letter.from as u8 | u8::from(letter.with_cookie) << 2 | u8::from(letter.train_is_over) << 3,
        );
        input.extend_from_slice(&letter.after_ms.to_be_bytes());
        input.extend_from_slice(&(letter.bytes.len() as u16).to_be_bytes());
        input.extend_from_slice(&letter.bytes);
    }
    input
}
