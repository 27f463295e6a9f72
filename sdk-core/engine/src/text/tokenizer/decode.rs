//! From tokens back to text, one token at a time.
//!
//! A character may be spread over several tokens, so bytes wait until they are a character. What comes out, put
//! together, is what the whole list of tokens decodes to; each token costs what its own name is long.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::split::{Prepends, Splitter, metaspace};
use super::{Tokenizer, byte_level};
use crate::Result;
use crate::text::{field, kind_of, text_field, unsupported};

/// How names of tokens become text.
#[derive(Debug, PartialEq)]
pub(super) enum Decoder {
    /// Each character of a name is a byte.
    ByteLevel,
    /// Names are text, with marks for spaces, and `<0x0A>` for bytes.
    Marked { replaced: Vec<(String, String)>, has_bytes: bool, strips: Option<(char, usize)> },
    /// Names are text, with marks for spaces; those of the first token go, if told so.
    Metaspace { mark: char, drops_first: bool },
}

impl Decoder {
    pub(super) fn read(value: &Value) -> Result<Self> {
        let known = "ByteLevel, Metaspace, or a Sequence of Replace, ByteFallback, Fuse and Strip";
        if value.is_null() {
            return Err(unsupported("a tokenizer without a decoder", known));
        }
        match kind_of(value)? {
            "ByteLevel" => Ok(Self::ByteLevel),
            "Metaspace" => match metaspace(value)? {
                Splitter::Metaspace { mark, prepends, .. } => {
                    Ok(Self::Metaspace { mark, drops_first: prepends != Prepends::Never })
                }
                _ => Err(unsupported("this Metaspace", known)),
            },
            "Sequence" => {
                let steps = field(value, "decoders")?.as_array().cloned().unwrap_or_default();
                match &*steps {
                    [one] => Self::read(one),
                    _ => Self::sequence(&steps, known),
                }
            }
            other => Err(unsupported(&format!("the decoder {other}"), known)),
        }
    }

    fn sequence(steps: &[Value], known: &str) -> Result<Self> {
        let (mut replaced, mut has_bytes, mut is_fused, mut strips) = (Vec::new(), false, false, None);
        for step in steps {
            match (kind_of(step)?, is_fused) {
                ("Replace", false) => {
                    let pattern = text_field(field(step, "pattern")?, "String")?;
                    let content = text_field(step, "content")?;
                    // Else a list of them could make a name of any length.
                    if pattern.is_empty() || content.len() > pattern.len() {
                        return Err(unsupported("a Replace that makes names longer", known));
                    }
                    replaced.push((pattern.to_owned(), content.to_owned()));
                }
                ("ByteFallback", false) => has_bytes = true,
                ("Fuse", _) => is_fused = true,
                ("Strip", true) if strips.is_none() && field(step, "stop")?.as_u64() == Some(0) => {
                    let content = text_field(step, "content")?.chars().next().unwrap_or(' ');
                    strips = Some((content, field(step, "start")?.as_u64().unwrap_or(0) as usize));
                }
                (other, _) => return Err(unsupported(&format!("the decoder {other} at this place"), known)),
            }
        }
        Ok(Self::Marked { replaced, has_bytes, strips })
    }
}

/// Turns the tokens of one answer into text.
#[derive(Debug)]
pub struct Detokenizer {
    tokenizer: Arc<Tokenizer>,
    /// The start of a character that is not whole yet.
    bytes: Vec<u8>,
    is_first: bool,
    /// How many characters may still be stripped off the front.
    strips: usize,
}

impl Detokenizer {
    /// For one answer.
    pub fn new(tokenizer: Arc<Tokenizer>) -> Self {
        let strips = match &tokenizer.decoder {
            Decoder::Marked { strips: Some((_, count)), .. } => *count,
            _ => 0,
        };
        Self { tokenizer, bytes: Vec::new(), is_first: true, strips }
    }

    /// Adds a token, and writes what can be read now to `text`. An id without a name adds nothing.
    pub fn push(&mut self, token: u32, text: &mut String) {
        let tokenizer = Arc::clone(&self.tokenizer);
        let Some(name) = tokenizer.name(token) else { return };
        match &tokenizer.decoder {
            Decoder::ByteLevel => {
                let before = self.bytes.len();
                for c in name.chars() {
                    if let Some(byte) = byte_level::byte_of(c) {
                        self.bytes.push(byte);
                    } else {
                        // One strange character, and the whole name is meant as it stands.
                        self.bytes.truncate(before);
                        self.bytes.extend_from_slice(name.as_bytes());
                        break;
                    }
                }
                self.drain(text, 1);
            }
            Decoder::Metaspace { mark, drops_first } => {
                let drops = *drops_first && self.is_first;
                text.extend(
                    name.chars().filter(|c| !(drops && c == mark)).map(|c| if c == *mark { ' ' } else { c }),
                );
            }
            Decoder::Marked { replaced, has_bytes, .. } => {
                if let Some(byte) = byte_name(name).filter(|_| *has_bytes) {
                    self.bytes.push(byte);
                    self.drain(text, usize::MAX);
                } else {
                    self.flush(text);
                    let start = text.len();
                    text.push_str(
                        &replaced
                            .iter()
                            .fold(Cow::Borrowed(name), |name, (from, to)| replace(name, from, to)),
                    );
                    self.strip(start, text);
                }
            }
        }
        self.is_first = false;
    }

    /// Writes what is left at the end of an answer: a character that never became whole is shown as such.
    pub fn flush(&mut self, text: &mut String) {
        if !self.bytes.is_empty() {
            let count = if self.tokenizer.decoder == Decoder::ByteLevel { 1 } else { self.bytes.len() };
            text.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, count));
            self.bytes.clear();
            self.strips = 0;
        }
    }

    /// Takes off the front what the decoder strips there.
    fn strip(&mut self, start: usize, text: &mut String) {
        let Decoder::Marked { strips: Some((content, _)), .. } = self.tokenizer.decoder else { return };
        while self.strips > 0 && text.len() > start {
            self.strips -= 1;
            if text[start..].starts_with(content) {
                text.remove(start);
            } else {
                self.strips = 0;
            }
        }
    }

    /// Writes all characters that are whole. `marks` is how many bytes of a broken one share a replacement character,
    /// as far as they go: byte-level tokenizers show one for all, the others one each.
    fn drain(&mut self, text: &mut String, marks: usize) {
        let start = text.len();
        let mut at = 0;
        while at < self.bytes.len() {
            match std::str::from_utf8(&self.bytes[at..]) {
                Ok(whole) => {
                    text.push_str(whole);
                    at = self.bytes.len();
                }
                Err(error) => {
                    let whole = error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.bytes[at..at + whole]));
                    at += whole;
                    let Some(broken) = error.error_len() else { break };
                    text.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, broken.min(marks)));
                    at += broken;
                }
            }
        }
        self.bytes.drain(..at);
        self.strip(start, text);
    }
}

fn replace<'n>(name: Cow<'n, str>, from: &str, to: &str) -> Cow<'n, str> {
    if name.contains(from) { Cow::Owned(name.replace(from, to)) } else { name }
}

/// The byte that a name such as `<0x0A>` stands for.
pub(super) fn byte_name(name: &str) -> Option<u8> {
    let digits = name.strip_prefix("<0x")?.strip_suffix('>').filter(|digits| digits.len() == 2)?;
    u8::from_str_radix(digits, 16).ok()
}
