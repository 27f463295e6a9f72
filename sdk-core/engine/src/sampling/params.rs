//! What a request may ask of the sampler, with exo's names, defaults and limits.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How tokens are chosen.
///
/// [`Default`] is what exo's worker takes where a request says nothing, the seed among it: without one, the same question
/// gets the same answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SamplingParams {
    /// 0 takes the likeliest token; 1 draws from the model's own distribution; more is wilder.
    pub temperature: f32,
    /// The likeliest tokens that hold this much of the probability together. 0 or 1 and above: no limit.
    pub top_p: f32,
    /// This many of the likeliest tokens. 0: no limit.
    pub top_k: u32,
    /// Tokens at least this likely, as a fraction of the likeliest one. 0: no limit.
    pub min_p: f32,
    /// Logits of recent tokens are divided by this where positive, multiplied where negative. 0 or 1: no penalty.
    pub repetition_penalty: f32,
    /// How many recent tokens the repetition penalty sees; 0 is all of them.
    pub repetition_context_size: u32,
    /// Taken from the logit of each recent token.
    pub presence_penalty: f32,
    /// How many recent tokens the presence penalty sees; 0 is all of them.
    pub presence_context_size: u32,
    /// Taken from the logit of each recent token, as often as it occurred.
    pub frequency_penalty: f32,
    /// How many recent tokens the frequency penalty sees; 0 is all of them.
    pub frequency_context_size: u32,
    /// The same seed gives the same answer.
    pub seed: u64,
    /// How many of the likeliest tokens to report with each token; `Some(0)` reports the chosen one alone.
    pub logprobs: Option<u32>,
    /// Tokens that are never chosen. A benchmark bans the ends of an answer, so that every answer is as long.
    pub banned: Vec<u32>,
}

impl Default for SamplingParams {
    fn default() -> Self {
        Self {
            temperature: 0.7,
            top_p: 1.0,
            top_k: 0,
            min_p: 0.05,
            repetition_penalty: 0.0,
            repetition_context_size: 20,
            presence_penalty: 0.0,
            presence_context_size: 20,
            frequency_penalty: 0.0,
            frequency_context_size: 20,
            seed: 42,
            logprobs: None,
            banned: Vec::new(),
        }
    }
}

impl SamplingParams {
    /// How many of a prompt's last tokens the penalties see. exo feeds the rest to the model beforehand, out of their
    /// sight.
    pub const PROMPT_TOKENS_SEEN: usize = 2;
    /// How many log-probabilities a request gets that asks for some without a number.
    pub const DEFAULT_LOGPROBS: u32 = 5;
    /// More log-probabilities than this are refused: each costs a decoded token in every message.
    pub const MAX_LOGPROBS: u32 = 100;

    /// The likeliest token each time.
    pub fn greedy() -> Self {
        Self { temperature: 0.0, ..Self::default() }
    }

    /// An error that names the field and what it may be.
    pub fn check(&self) -> Result<()> {
        within("temperature", self.temperature, 0.0, f32::MAX)?;
        within("top_p", self.top_p, 0.0, f32::MAX)?;
        within("min_p", self.min_p, 0.0, 1.0)?;
        within("repetition_penalty", self.repetition_penalty, 0.0, f32::MAX)?;
        within("presence_penalty", self.presence_penalty, -f32::MAX, f32::MAX)?;
        within("frequency_penalty", self.frequency_penalty, -f32::MAX, f32::MAX)?;
        match self.logprobs {
            Some(count) if count > Self::MAX_LOGPROBS => Err(Error::InvalidRequest {
                what: "top_logprobs",
                asked: count.to_string(),
                allowed: format!("at most {}", Self::MAX_LOGPROBS),
            }),
            _ => Ok(()),
        }
    }

    /// What logits are multiplied by, or nothing where the likeliest token is taken. A temperature so low that its
    /// inverse overflows is none.
    pub(super) fn inverse_temperature(&self) -> Option<f32> {
        Some(1.0 / self.temperature).filter(|inverse| inverse.is_finite())
    }
}

fn within(what: &'static str, asked: f32, least: f32, most: f32) -> Result<()> {
    if asked.is_finite() && (least..=most).contains(&asked) {
        return Ok(());
    }
    let allowed = match (least == -f32::MAX, most == f32::MAX) {
        (true, _) => "any finite number".into(),
        (false, true) => format!("{least} or more"),
        (false, false) => format!("{least} to {most}"),
    };
    Err(Error::InvalidRequest { what, asked: asked.to_string(), allowed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_never_work_is_refused_with_the_fields_name() {
        let bad = [
            (
                SamplingParams { temperature: -1.0, ..Default::default() },
                "temperature: -1 was asked, 0 or more is allowed",
            ),
            (
                SamplingParams { temperature: f32::NAN, ..Default::default() },
                "temperature: NaN was asked, 0 or more is allowed",
            ),
            (SamplingParams { min_p: 1.5, ..Default::default() }, "min_p: 1.5 was asked, 0 to 1 is allowed"),
            (
                SamplingParams { presence_penalty: f32::INFINITY, ..Default::default() },
                "presence_penalty: inf was asked, any finite number is allowed",
            ),
            (
                SamplingParams { logprobs: Some(101), ..Default::default() },
                "top_logprobs: 101 was asked, at most 100 is allowed",
            ),
        ];
        for (params, message) in bad {
            assert_eq!(params.check().unwrap_err().to_string(), message);
        }
        assert!(SamplingParams::default().check().is_ok());
    }

    #[test]
    fn a_temperature_without_an_inverse_is_greedy() {
        assert_eq!(SamplingParams::greedy().inverse_temperature(), None);
        assert_eq!(SamplingParams { temperature: 1e-40, ..Default::default() }.inverse_temperature(), None);
        assert_eq!(
            SamplingParams { temperature: 0.5, ..Default::default() }.inverse_temperature(),
            Some(2.0)
        );
    }
}
