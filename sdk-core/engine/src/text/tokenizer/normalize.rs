//! What is done to a text before it is split: Unicode's composed form, a mark instead of each space.

use std::borrow::Cow;

use serde_json::Value;
use unicode_normalization::{IsNormalized, is_nfc_quick};

use super::{
    composed::composed,
    pattern::{Pattern, Work},
};
use crate::Result;
use crate::text::{field, kind_of, text_field, unsupported};

/// One step of it.
#[derive(Debug)]
pub(super) enum Normalizer {
    /// Unicode's composed form.
    Nfc,
    /// In front of every text that is not empty.
    Prepend(String),
    /// Another text instead of each match.
    Replace(Pattern, String),
    /// Another text instead of each occurrence.
    ReplaceText(String, String),
}

/// Each is a pass over every text; real files have up to four. Splitters as well.
pub(super) const MAX_STEPS: usize = 64;

/// Reads the normaliser of a tokenizer as a list of steps.
pub(super) fn read(value: &Value, steps: &mut Vec<Normalizer>) -> Result<()> {
    if value.is_null() {
        return Ok(());
    }
    let step = match kind_of(value)? {
        "Sequence" => {
            let all = field(value, "normalizers")?.as_array().cloned().unwrap_or_default();
            return all.iter().try_for_each(|value| read(value, steps));
        }
        "NFC" => Normalizer::Nfc,
        "Prepend" => Normalizer::Prepend(text_field(value, "prepend")?.to_owned()),
        "Replace" => {
            let content = text_field(value, "content")?.to_owned();
            let pattern = field(value, "pattern")?;
            match pattern.get("String").and_then(Value::as_str) {
                Some("") => return Err(unsupported("a Replace of nothing", "a text or an expression")),
                Some(text) => Normalizer::ReplaceText(text.to_owned(), content),
                None => Normalizer::Replace(Pattern::new(text_field(pattern, "Regex")?)?, content),
            }
        }
        other => {
            return Err(unsupported(&format!("the normaliser {other}"), "NFC, Prepend, Replace, Sequence"));
        }
    };
    if steps.len() == MAX_STEPS {
        return Err(unsupported("a long list of normalisers", "64 of them"));
    }
    steps.push(step);
    Ok(())
}

/// Does all steps. A hostile list cannot make the text longer than `limit`.
pub(super) fn apply<'t>(
    steps: &[Normalizer],
    text: &'t str,
    limit: usize,
    work: &mut Work,
) -> Result<Cow<'t, str>> {
    let mut text = Cow::Borrowed(text);
    for step in steps {
        text = step.apply(text, limit, work)?;
    }
    Ok(text)
}

impl Normalizer {
    fn apply<'t>(&self, text: Cow<'t, str>, limit: usize, work: &mut Work) -> Result<Cow<'t, str>> {
        let within = |count: usize, length: usize| match count
            .checked_mul(length)
            .and_then(|more| more.checked_add(text.len()))
        {
            Some(length) if length <= limit => Ok(()),
            _ => Err(too_long()),
        };
        Ok(match self {
            Self::Nfc if is_nfc_quick(text.chars()) == IsNormalized::Yes => text,
            Self::Nfc => Cow::Owned(composed(&text)),
            Self::Prepend(_) if text.is_empty() => text,
            Self::Prepend(front) => {
                within(1, front.len())?;
                Cow::Owned(format!("{front}{text}"))
            }
            Self::ReplaceText(from, to) => {
                let count = text.matches(&**from).count();
                within(count, to.len())?;
                if count == 0 { text } else { Cow::Owned(text.replace(&**from, to)) }
            }
            Self::Replace(pattern, content) => Cow::Owned(replace(pattern, content, &text, limit, work)?),
        })
    }
}

/// Also what is said where the splitters do that.
pub(super) fn too_long() -> crate::Error {
    crate::text::invalid_tokenizer("it makes texts far longer than they were".into())
}

fn replace(pattern: &Pattern, content: &str, text: &str, limit: usize, work: &mut Work) -> Result<String> {
    let (mut replaced, mut at) = (String::with_capacity(text.len()), 0);
    while let Some((start, end)) = pattern.find(text, at, work)? {
        replaced.push_str(&text[at..start]);
        replaced.push_str(content);
        at = end;
        if replaced.len() > limit {
            return Err(too_long());
        }
    }
    replaced.push_str(&text[at..]);
    Ok(replaced)
}
