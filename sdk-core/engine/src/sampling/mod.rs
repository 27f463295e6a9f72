//! From logits to a token, as mlx-lm and so exo choose it.
//!
//! ```text
//! logits ─ bans ─ repetition ─ presence ─ frequency ─▶ log-probabilities (these are what `logprobs` reports)
//!        ─ top-p ─ min-p ─ top-k ─▶ the tokens that are left ─ temperature ─▶ one draw
//! ```
//!
//! Two things in this order surprise people who know other engines. The filters look at the distribution *before* the
//! temperature, so that a hot temperature cannot let in tokens that top-p would have cut. And `logprobs` tell of that
//! same distribution: after penalties, before filters and temperature.
//!
//! A vocabulary has up to 256,000 tokens and all of this runs for each token of an answer, so nothing sorts the
//! vocabulary and nothing allocates once the first token is out (but for the log-probabilities that were asked for).
//! What is not here: constraints by a grammar, beams, more than one sequence.

mod cut;
mod exponential;
mod logprobs;
mod params;
mod penalties;
mod random;
mod scan;

pub use logprobs::Logprobs;
pub use params::SamplingParams;
pub use random::Draws;

use crate::{Error, Result};
use cut::Cut;
use scan::Peak;

/// A token that was chosen, with what was asked about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// The token's id.
    pub token: u32,
    /// Its log-probability and the likeliest tokens; there when [`SamplingParams::logprobs`] asked for them.
    pub logprobs: Option<Logprobs>,
}

/// Chooses the tokens of one answer.
///
/// The same parameters, prompt and logits give the same tokens, on every platform. They are not the tokens that MLX
/// would draw from the same seed: its generator is another one.
#[derive(Debug)]
pub struct Sampler {
    params: SamplingParams,
    draws: Draws,
    history: penalties::History,
    scratch: cut::Scratch,
    sums: Vec<f64>,
}

impl Sampler {
    /// A sampler for an answer to this prompt, of which penalties see the end ([`SamplingParams::PROMPT_TOKENS_SEEN`]).
    pub fn new(params: SamplingParams, prompt: &[u32]) -> Result<Self> {
        params.check()?;
        let draws = Draws::seeded(params.seed);
        let history = penalties::History::after(prompt);
        Ok(Self { params, draws, history, scratch: cut::Scratch::default(), sums: Vec::new() })
    }

    /// What this sampler was made with.
    pub fn params(&self) -> &SamplingParams {
        &self.params
    }

    /// Chooses the next token. Bans and penalties are written into `logits`; nothing else changes them.
    ///
    /// Logits that no distribution can have (NaN, infinity, nothing allowed) are an error, not a token.
    pub fn sample(&mut self, logits: &mut [f32]) -> Result<Sampled> {
        penalties::apply(&self.params, &mut self.history, logits);
        let peak = scan::peak(logits).map_err(broken)?;
        let token = match self.params.inverse_temperature() {
            None => peak.token,
            Some(inverse) => self.draw(logits, peak, inverse),
        };
        let logprobs = match self.params.logprobs {
            None => None,
            Some(count) => Some(logprobs::of(logits, peak, token, count, &mut self.scratch)),
        };
        self.history.push(token);
        Ok(Sampled { token, logprobs })
    }

    fn draw(&mut self, logits: &[f32], peak: Peak, inverse: f32) -> u32 {
        let fraction = self.draws.fraction();
        match cut::find(&self.params, logits, peak, &mut self.scratch) {
            Cut::Nothing => scan::draw_from_all(logits, peak, inverse, fraction, &mut self.sums),
            cut => scan::draw_from(cut.survivors(logits, &mut self.scratch), peak, inverse, fraction),
        }
    }
}

fn broken(what: String) -> Error {
    Error::InvalidModel { file: "weights".into(), what }
}

#[cfg(test)]
mod tests;
