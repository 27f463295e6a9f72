//! Tokens that are found in the text itself, before anything is split: `<|im_end|>` and its like.
//!
//! At each place the longest one wins. A token may ask for text as it was written or as it was normalised, may swallow
//! the spaces beside it, and may want to be a word of its own.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};

/// A token as `tokenizer.json` lists it.
#[derive(Clone, Debug, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the fields of the file")]
pub(super) struct Added {
    pub(super) id: u32,
    pub(super) content: String,
    #[serde(default)]
    pub(super) single_word: bool,
    #[serde(default)]
    pub(super) lstrip: bool,
    #[serde(default)]
    pub(super) rstrip: bool,
    #[serde(default)]
    pub(super) normalized: bool,
    #[serde(default)]
    pub(super) special: bool,
}

/// A stretch of text, or a token that was found in it.
#[derive(Debug, PartialEq)]
pub(super) enum Stretch<'t> {
    Text(&'t str),
    Token(u32),
}

/// A longer token than this would make the search slow, and no real one is.
pub(super) const MAX_BYTES: usize = 256;
/// The largest known number of them is 6,400.
const MAX_COUNT: usize = 200_000;

/// Reads `[{"id": ..., "content": ...}, ...]`, and stops where there are too many.
pub(super) fn read(json: &str) -> Result<Vec<Added>, serde_json::Error> {
    AllAdded.deserialize(&mut serde_json::Deserializer::from_str(json))
}

struct AllAdded;

impl<'de> DeserializeSeed<'de> for AllAdded {
    type Value = Vec<Added>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Added>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for AllAdded {
    type Value = Vec<Added>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of added tokens")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Vec<Added>, S::Error> {
        let mut all = Vec::new();
        while let Some(added) = seq.next_element()? {
            if all.len() == MAX_COUNT {
                return Err(S::Error::custom(format!("more than {MAX_COUNT} added tokens")));
            }
            all.push(added);
        }
        Ok(all)
    }
}

/// A set of tokens to look for.
#[derive(Debug, Default)]
pub(super) struct Finder {
    /// Sorted by what is looked for, which is not empty.
    tokens: Vec<(String, Added)>,
    /// For each first byte, where its tokens lie.
    first: Vec<(u32, u32)>,
}

impl Finder {
    pub(super) fn new(mut tokens: Vec<(String, Added)>) -> Self {
        tokens.retain(|(text, _)| !text.is_empty());
        tokens.sort_by(|(a, _), (b, _)| a.cmp(b));
        // Where a text is listed twice, the last one counts.
        tokens.reverse();
        tokens.dedup_by(|(a, _), (b, _)| a == b);
        tokens.reverse();
        let place =
            |byte: usize| tokens.partition_point(|(text, _)| usize::from(text.as_bytes()[0]) < byte) as u32;
        let first = (0..256).map(|byte| (place(byte), place(byte + 1))).collect();
        Self { tokens, first }
    }

    /// Cuts a text into tokens and what lies between them.
    pub(super) fn split<'t>(&self, text: &'t str) -> Vec<Stretch<'t>> {
        let mut stretches = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let Some(token) = self.longest(&text[at..]) else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let (mut from, mut to) = (at, at + token.0.len());
            at = to;
            if token.1.single_word
                && (is_word(text[..from].chars().next_back()) || is_word(text[to..].chars().next()))
            {
                continue;
            }
            if token.1.lstrip {
                from = text[..from].trim_end().len().max(start);
            }
            if token.1.rstrip {
                to = text.len() - text[to..].trim_start().len();
            }
            if start < from {
                stretches.push(Stretch::Text(&text[start..from]));
            }
            stretches.push(Stretch::Token(token.1.id));
            (start, at) = (to, at.max(to));
        }
        if start < text.len() {
            stretches.push(Stretch::Text(&text[start..]));
        }
        stretches
    }

    /// The longest token that this text starts with.
    fn longest(&self, text: &str) -> Option<&(String, Added)> {
        let bytes = text.as_bytes();
        let (mut low, mut high) =
            self.first.get(usize::from(*bytes.first()?)).map(|&(low, high)| (low as usize, high as usize))?;
        let mut best = None;
        let mut length = 1;
        // The tokens that start like the text lie side by side; each byte makes them fewer.
        while low < high {
            if self.tokens[low].0.len() == length {
                best = Some(&self.tokens[low]);
                low += 1;
            }
            let Some(&byte) = bytes.get(length) else { break };
            let range = &self.tokens[low..high];
            let start = range.partition_point(|(text, _)| text.as_bytes()[length] < byte);
            let end = range.partition_point(|(text, _)| text.as_bytes()[length] <= byte);
            (low, high, length) = (low + start, low + end, length + 1);
        }
        best
    }
}

/// Close enough to what expressions call a word character: the rest are marks, which do not start words.
fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    type Told = (&'static str, fn(&mut Added));

    fn finder(tokens: &[Told]) -> Finder {
        let added = |(id, &(content, change)): (u32, &Told)| {
            let mut added = Added {
                id,
                content: content.into(),
                single_word: false,
                lstrip: false,
                rstrip: false,
                normalized: false,
                special: true,
            };
            change(&mut added);
            (content.to_owned(), added)
        };
        Finder::new((0..).zip(tokens).map(added).collect())
    }

    use Stretch::{Text, Token};

    #[test]
    fn the_longest_token_wins_at_each_place() {
        let finder = finder(&[("<a>", |_| ()), ("<a>b", |_| ()), ("<", |_| ()), ("<a>bcd", |_| ())]);
        assert_eq!(finder.split("x<a>bcx<a><"), [Text("x"), Token(1), Text("cx"), Token(0), Token(2)]);
        assert_eq!(finder.split("<a"), [Token(2), Text("a")]);
        assert_eq!(finder.split(""), []);
    }

    #[test]
    fn tokens_may_swallow_spaces_but_not_those_of_another() {
        let finder = finder(&[("<l>", |token| token.lstrip = true), ("<r>", |token| token.rstrip = true)]);
        assert_eq!(
            finder.split("a \n<l> b<r>\u{a0} c"),
            [Text("a"), Token(0), Text(" b"), Token(1), Text("c")]
        );
        assert_eq!(finder.split("<r>  <l>"), [Token(1), Token(0)]);
    }

    #[test]
    fn a_single_word_touches_no_other() {
        let finder = finder(&[("day", |token| token.single_word = true)]);
        assert_eq!(finder.split("monday day days"), [Text("monday "), Token(0), Text(" days")]);
    }

    #[test]
    fn far_too_many_are_an_error() {
        let many = |count: usize| format!("[{}]", vec![r#"{"id":0,"content":""}"#; count].join(","));
        assert_eq!(read(&many(3)).unwrap().len(), 3);
        assert!(
            read(&many(MAX_COUNT + 1)).unwrap_err().to_string().contains("more than 200000 added tokens")
        );
    }

    #[test]
    fn the_last_of_two_with_one_text_counts() {
        assert_eq!(finder(&[("a", |_| ()), ("a", |_| ())]).split("a"), [Token(1)]);
    }
}
