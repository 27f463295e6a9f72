//! The regular expressions that split text before tokens are looked for.
//!
//! Every family of models brings one such expression in its `tokenizer.json`. They use a small part of the language:
//! classes, general categories, counted and greedy repeats, one or two lookaheads. The usual crates for it weigh more
//! than a megabyte on a phone, cannot look ahead or cannot promise an end. This one does that part, in an amount of work
//! that is bounded by the length of the text, and refuses the rest by name.

mod class;
mod machine;
mod parse;
mod program;

use crate::Result;
use crate::text::unsupported;
use program::Step;

/// A regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    steps: Vec<Step>,
    classes: Vec<class::Class>,
}

/// How much work a search may do for each byte of text. The patterns of real models need less than 20.
const WORK_PER_BYTE: usize = 400;

/// What a search may still do before it is stopped.
#[derive(Debug)]
pub(super) struct Work(usize);

impl Work {
    pub(super) fn for_text(bytes: usize) -> Self {
        Self(bytes.saturating_add(256).saturating_mul(WORK_PER_BYTE))
    }

    /// Counts one piece of work; an error when there was too much of it.
    fn spend(&mut self, amount: usize) -> Result<()> {
        match self.0.checked_sub(amount) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(too_much()),
        }
    }
}

fn too_much() -> crate::Error {
    crate::text::invalid_tokenizer("its regular expression takes too much time or memory on this text".into())
}

impl Pattern {
    /// Reads an expression, or says which part of it is not known here.
    pub(super) fn new(source: &str) -> Result<Self> {
        let (node, classes) = parse::parse(source).map_err(|why| {
            unsupported(
                &format!("the regular expression {source:?} ({why})"),
                "classes, categories, groups, greedy repeats, lookahead",
            )
        })?;
        let steps = program::compile(&node).map_err(|why| {
            unsupported(
                &format!("the regular expression {source:?} ({why})"),
                "shorter ones, without empty loops",
            )
        })?;
        Ok(Self { steps, classes })
    }

    /// An expression that matches this text.
    pub(super) fn literal(text: &str) -> Result<Self> {
        let codes: Vec<String> = text.chars().map(|c| format!("\\x{{{:x}}}", u32::from(c))).collect();
        Self::new(&codes.concat())
    }

    /// The first match that is not empty, from `start` on.
    pub(super) fn find(&self, text: &str, start: usize, work: &mut Work) -> Result<Option<(usize, usize)>> {
        let mut machine = machine::Machine::new(&self.steps, &self.classes, text);
        for (offset, _) in text[start..].char_indices() {
            if let Some(end) = machine.run(start + offset, work)?.filter(|&end| end > start + offset) {
                return Ok(Some((start + offset, end)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
