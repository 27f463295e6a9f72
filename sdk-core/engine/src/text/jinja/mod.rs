//! Jinja, as far as chat templates use it, with values that behave as Python's.
//!
//! ```text
//! source ─ lex ─▶ tokens ─ expressions, statements ─▶ Template ─ run, evaluate ─▶ text
//! ```
//!
//! A template is somebody else's program, out of a file that was downloaded. So everything it does is metered: each
//! step and each byte that it makes, compares or looks through costs, and when the [`Meter`] is empty the run ends. That
//! bounds its time and its memory by one number. It sees no file, no clock and no attribute of anything but data.
//!
//! What is left out: inheritance, includes and imports (a chat template is one file), blocks called with parameters,
//! automatic escaping, and whatever changes a value in place, which `transformers` forbids as well.

mod checks;
mod dumps;
mod evaluate;
mod expressions;
mod failure;
mod filters;
mod given;
mod lex;
mod literals;
mod meter;
mod methods;
mod operators;
mod parser;
mod printf;
mod run;
mod show;
mod slices;
mod statements;
mod tree;
mod value;

pub(super) use dumps::json_as_python;
pub(super) use failure::Failure;
pub(super) use meter::Meter;
pub(super) use run::render;
pub(super) use tree::Template;
pub(super) use value::Value;

type Outcome<T> = Result<T, Failure>;

#[cfg(test)]
mod tests;
