//! How `tokenizer.json` writes what cuts a text.

use serde_json::Value;

use super::{Behaviour, Prepends, Splitter, What};
use crate::Result;
use crate::text::tokenizer::normalize::MAX_STEPS;
use crate::text::tokenizer::pattern::Pattern;
use crate::text::{field, flag, kind_of, text_field, unsupported};

/// The expression that byte-level tokenizers use when they bring none.
const GPT_2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Reads the pre-tokenizer of a tokenizer as a list of steps.
pub(in crate::text::tokenizer) fn read(value: &Value, steps: &mut Vec<Splitter>) -> Result<()> {
    if value.is_null() {
        return Ok(());
    }
    if steps.len() >= MAX_STEPS {
        return Err(unsupported("a long list of pre-tokenizers", "64 of them"));
    }
    match kind_of(value)? {
        "Sequence" => {
            let all = field(value, "pretokenizers")?.as_array().cloned().unwrap_or_default();
            return all.iter().try_for_each(|value| read(value, steps));
        }
        "Split" => {
            let pattern = field(value, "pattern")?;
            let pattern = match pattern.get("String").and_then(Value::as_str) {
                Some(text) => Pattern::literal(text)?,
                None => Pattern::new(text_field(pattern, "Regex")?)?,
            };
            let behaviour = behaviour(text_field(value, "behavior")?)?;
            steps.push(Splitter::Split {
                what: What::Pattern(pattern),
                behaviour,
                is_inverted: flag(value, "invert", false),
            });
        }
        "Digits" => {
            let each = flag(value, "individual_digits", false);
            let behaviour = if each { Behaviour::Isolated } else { Behaviour::Contiguous };
            steps.push(Splitter::Split { what: What::Number, behaviour, is_inverted: false });
        }
        "ByteLevel" => {
            let adds_space = flag(value, "add_prefix_space", true);
            if flag(value, "use_regex", true) {
                if adds_space {
                    return Err(unsupported(
                        "ByteLevel with a space in front and its own expression",
                        "one of the two",
                    ));
                }
                let what = What::Pattern(Pattern::new(GPT_2)?);
                steps.push(Splitter::Split { what, behaviour: Behaviour::Isolated, is_inverted: false });
            }
            steps.push(Splitter::ByteLevel { adds_space });
        }
        "Metaspace" => steps.push(metaspace(value)?),
        other => {
            let known = "Split, ByteLevel, Metaspace, Digits, Sequence";
            return Err(unsupported(&format!("the pre-tokenizer {other}"), known));
        }
    }
    Ok(())
}

fn behaviour(name: &str) -> Result<Behaviour> {
    Ok(match name {
        "Removed" => Behaviour::Removed,
        "Isolated" => Behaviour::Isolated,
        "MergedWithPrevious" => Behaviour::MergedWithPrevious,
        "MergedWithNext" => Behaviour::MergedWithNext,
        "Contiguous" => Behaviour::Contiguous,
        other => {
            return Err(unsupported(
                &format!("a Split that is {other}"),
                "Removed, Isolated, Merged…, Contiguous",
            ));
        }
    })
}

/// Also how its decoder is written.
pub(in crate::text::tokenizer) fn metaspace(value: &Value) -> Result<Splitter> {
    let mark = text_field(value, "replacement")?.chars().next().unwrap_or('▁');
    let scheme = value.get("prepend_scheme").and_then(Value::as_str);
    let prepends = match (scheme, flag(value, "add_prefix_space", true)) {
        (Some("never"), _) | (None, false) => Prepends::Never,
        (Some("first"), _) => Prepends::First,
        (Some("always") | None, _) => Prepends::Always,
        (Some(other), _) => {
            return Err(unsupported(&format!("the prepend scheme {other}"), "always, first, never"));
        }
    };
    Ok(Splitter::Metaspace { mark, prepends, splits: flag(value, "split", true) })
}
