//! Log-probabilities as exo reports them: after penalties, before filters and temperature.

use super::cut::{self, Scratch};
use super::scan::{self, Peak};

/// How likely the chosen token was, and which were likeliest.
#[derive(Clone, Debug, PartialEq)]
pub struct Logprobs {
    /// The natural logarithm of the chosen token's probability.
    pub logprob: f32,
    /// The likeliest tokens with theirs, the likeliest first.
    pub top: Vec<(u32, f32)>,
}

pub(super) fn of(logits: &[f32], peak: Peak, token: u32, count: u32, scratch: &mut Scratch) -> Logprobs {
    let all = f64::from(peak.logit) + scan::mass(logits, peak).ln();
    let logprob = |logit: f32| (f64::from(logit) - all) as f32;
    let best = cut::best(logits, count as usize, f32::MIN, scratch);
    let top = best.iter().map(|candidate| (candidate.token, logprob(candidate.logit))).collect();
    Logprobs { logprob: logits.get(token as usize).map_or(f32::NEG_INFINITY, |&logit| logprob(logit)), top }
}
