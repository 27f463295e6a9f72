//! What cuts a text into words before tokens are looked for.

mod read;

pub(super) use read::{metaspace, read};

use std::ops::Range;

use super::byte_level;
use super::pattern::{Pattern, Work};
use crate::Result;

/// A text and where it is cut.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) text: String,
    pub(super) ranges: Vec<Range<usize>>,
    /// Whether it is the beginning of what was given to the tokenizer.
    pub(super) is_first: bool,
}

/// One step of the cutting.
#[derive(Debug)]
pub(super) enum Splitter {
    Split {
        what: What,
        behaviour: Behaviour,
        is_inverted: bool,
    },
    /// Every byte becomes a visible character; before that a space in front, where asked for.
    ByteLevel {
        adds_space: bool,
    },
    Metaspace {
        mark: char,
        prepends: Prepends,
        splits: bool,
    },
}

/// What a split looks for.
#[derive(Debug)]
pub(super) enum What {
    Pattern(Pattern),
    Number,
    Char(char),
}

/// What becomes of the matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Behaviour {
    Removed,
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
}

/// Where the mark of a space is put in front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Prepends {
    Always,
    First,
    Never,
}

impl Splitter {
    pub(super) fn apply(&self, words: &mut Words, work: &mut Work) -> Result<()> {
        match self {
            Self::Split { what, behaviour, is_inverted } => {
                let mut ranges = Vec::new();
                for range in &words.ranges {
                    split(&words.text, range.clone(), what, *behaviour, *is_inverted, work, &mut ranges)?;
                }
                words.ranges = ranges;
            }
            Self::ByteLevel { adds_space } => rewrite(words, |word, _, text| {
                if *adds_space && !word.starts_with(' ') {
                    text.push(byte_level::char_of(b' '));
                }
                text.extend(word.bytes().map(byte_level::char_of));
            }),
            Self::Metaspace { mark, prepends, splits } => {
                rewrite(words, |word, is_first, text| {
                    let starts = word.starts_with([' ', *mark]);
                    if !starts
                        && (*prepends == Prepends::Always || (*prepends == Prepends::First && is_first))
                    {
                        text.push(*mark);
                    }
                    text.extend(word.chars().map(|c| if c == ' ' { *mark } else { c }));
                });
                if *splits {
                    let what = What::Char(*mark);
                    let step = Self::Split { what, behaviour: Behaviour::MergedWithNext, is_inverted: false };
                    step.apply(words, work)?;
                }
            }
        }
        Ok(())
    }
}

/// Writes each word anew, and keeps the cuts between them.
fn rewrite(words: &mut Words, mut write: impl FnMut(&str, bool, &mut String)) {
    let mut text = String::with_capacity(words.text.len() * 2);
    let mut ranges = Vec::with_capacity(words.ranges.len());
    for (number, range) in words.ranges.iter().enumerate() {
        let start = text.len();
        write(&words.text[range.clone()], words.is_first && number == 0, &mut text);
        ranges.push(start..text.len());
    }
    (words.text, words.ranges) = (text, ranges);
}

fn split(
    text: &str,
    range: Range<usize>,
    what: &What,
    behaviour: Behaviour,
    is_inverted: bool,
    work: &mut Work,
    out: &mut Vec<Range<usize>>,
) -> Result<()> {
    let word = &text[range.clone()];
    let mut parts: Vec<(Range<usize>, bool)> = Vec::new();
    let mut push = |start: usize, end: usize, is_match: bool| {
        if start < end {
            parts.push((range.start + start..range.start + end, is_match != is_inverted));
        }
    };
    let mut at = 0;
    while let Some((start, end)) = what.find(word, at, work)? {
        push(at, start, false);
        push(start, end, true);
        at = end;
    }
    push(at, word.len(), false);
    out.extend(joined(parts, behaviour));
    Ok(())
}

impl What {
    fn find(&self, word: &str, at: usize, work: &mut Work) -> Result<Option<(usize, usize)>> {
        let of_char = |is: &dyn Fn(char) -> bool| {
            let found = word[at..].char_indices().find(|&(_, c)| is(c));
            found.map(|(offset, c)| (at + offset, at + offset + c.len_utf8()))
        };
        match self {
            Self::Pattern(pattern) => pattern.find(word, at, work),
            Self::Number => Ok(of_char(&char::is_numeric)),
            Self::Char(mark) => Ok(of_char(&|c| c == *mark)),
        }
    }
}

/// Joins matches to their neighbours as the behaviour says.
fn joined(parts: Vec<(Range<usize>, bool)>, behaviour: Behaviour) -> Vec<Range<usize>> {
    let mut joined: Vec<(Range<usize>, bool)> = Vec::with_capacity(parts.len());
    for (range, is_match) in parts {
        let joins = match (behaviour, joined.last()) {
            (Behaviour::Contiguous, Some(&(_, was_match))) => was_match == is_match,
            (Behaviour::MergedWithPrevious, Some(&(_, was_match))) => is_match && !was_match,
            (Behaviour::MergedWithNext, Some(&(_, was_match))) => was_match && !is_match,
            _ => false,
        };
        match joined.last_mut().filter(|_| joins) {
            Some((last, was_match)) => {
                last.end = range.end;
                *was_match = is_match;
            }
            None if behaviour == Behaviour::Removed && is_match => {}
            None => joined.push((range, is_match)),
        }
    }
    joined.into_iter().map(|(range, _)| range).collect()
}

#[cfg(test)]
mod tests;
