//! Which tokens top-p, min-p and top-k leave, without sorting a vocabulary.
//!
//! Whatever the filters, what is left are the tokens from some logit upwards, and of those at exactly that logit the
//! first few. So the work is to find that logit. min-p gives it at once. For top-k one pass keeps the best so far. For
//! top-p the tokens near the peak nearly always hold enough; they are halved around their median, each time keeping the
//! half in which the sum reaches its goal, which costs as much as reading them twice.

use std::cmp::Ordering;

use super::SamplingParams;
use super::exponential::exp;
use super::scan::{self, Candidate, Peak};

/// Memory that is kept from token to token.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    candidates: Vec<Candidate>,
}

/// What the filters leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cut {
    /// They cut nothing.
    Nothing,
    /// Every token from this logit upwards.
    From(f32),
    /// Every token above this logit, and this many at exactly this logit, the first ones.
    Ranked { logit: f32, ties: usize },
}

impl Cut {
    /// What is left, by id, so that a draw does not depend on how the cut was found.
    pub(super) fn survivors<'a>(self, logits: &[f32], scratch: &'a mut Scratch) -> &'a [Candidate] {
        let (least, mut ties) = match self {
            Self::Nothing => (f32::NEG_INFINITY, usize::MAX),
            Self::From(logit) => (logit, usize::MAX),
            Self::Ranked { logit, ties } => (logit, ties),
        };
        scratch.candidates.clear();
        gather(logits, least, |candidate| {
            if candidate.logit == least {
                if ties == 0 {
                    return;
                }
                ties -= 1;
            }
            scratch.candidates.push(candidate);
        });
        &scratch.candidates
    }
}

/// Finds what top-p, min-p and top-k leave together.
pub(super) fn find(params: &SamplingParams, logits: &[f32], peak: Peak, scratch: &mut Scratch) -> Cut {
    let top_k = params.top_k as usize;
    let has_top_k = (1..logits.len()).contains(&top_k);
    let has_top_p = params.top_p > 0.0 && params.top_p < 1.0;
    let least = if params.min_p > 0.0 { peak.logit + params.min_p.ln() } else { f32::NEG_INFINITY };
    let goal = if has_top_p { f64::from(params.top_p) * scan::mass(logits, peak) } else { f64::INFINITY };

    if has_top_k {
        let best = best(logits, top_k, least, scratch);
        let reached = best.len();
        // Walk down until the tokens above hold the goal: ties with the last one stay, as mlx-lm lets them.
        let mut above = 0.0;
        let last = best.iter().take_while(|candidate| {
            let stays = above < goal;
            above += f64::from(exp(candidate.logit - peak.logit));
            stays
        });
        let Some(last) = last.last().map(|candidate| candidate.logit) else { return Cut::From(peak.logit) };
        return match best.iter().rposition(|candidate| candidate.logit == last) {
            Some(end) if end + 1 == reached && reached == top_k => Cut::Ranked {
                logit: last,
                ties: best.iter().filter(|candidate| candidate.logit == last).count(),
            },
            _ => Cut::From(last),
        };
    }
    if has_top_p {
        return Cut::From(nucleus(logits, peak, goal, scratch).max(least));
    }
    if least == f32::NEG_INFINITY { Cut::Nothing } else { Cut::From(least) }
}

/// The `count` likeliest of the tokens from `least` upwards, the likeliest first and the first id of equals first.
pub(super) fn best<'a>(
    logits: &[f32],
    count: usize,
    least: f32,
    scratch: &'a mut Scratch,
) -> &'a [Candidate] {
    let candidates = &mut scratch.candidates;
    candidates.clear();
    if count == 0 {
        return candidates;
    }
    let room = (2 * count).max(64);
    // A token enters that beats the worst of the best so far. Equals of it come later, so they rank behind it.
    let mut worst = least;
    let mut is_full = false;
    gather(logits, least, |candidate| {
        if is_full && candidate.logit <= worst {
            return;
        }
        candidates.push(candidate);
        if candidates.len() == room {
            candidates.select_nth_unstable_by(count - 1, by_rank);
            candidates.truncate(count);
            worst = candidates[count - 1].logit;
            is_full = true;
        }
    });
    candidates.sort_unstable_by(by_rank);
    candidates.truncate(count);
    candidates
}

/// The logit down to which tokens must go for those above the last one to hold less than `goal` and with it no less.
fn nucleus(logits: &[f32], peak: Peak, goal: f64, scratch: &mut Scratch) -> f32 {
    /// Tokens further below the peak than this are one in 22,000 of it each: they matter for flat distributions only.
    const NEAR: f32 = 10.0;
    let weight = |candidate: &Candidate| f64::from(exp(candidate.logit - peak.logit));
    let candidates = &mut scratch.candidates;
    for least in [peak.logit - NEAR, f32::NEG_INFINITY] {
        candidates.clear();
        gather(logits, least, |candidate| candidates.push(candidate));
        if candidates.iter().map(weight).sum::<f64>() >= goal {
            break;
        }
    }
    let mut open = &mut candidates[..];
    let mut above = 0.0;
    while open.len() > 1 {
        let middle = open.len() / 2;
        open.select_nth_unstable_by(middle, by_rank);
        let upper: f64 = open[..middle].iter().map(weight).sum();
        if above + upper >= goal {
            open = &mut open[..middle];
        } else {
            above += upper;
            open = &mut open[middle..];
        }
    }
    open.first().map_or(peak.logit, |candidate| candidate.logit)
}

/// Calls with every token from `least` upwards, by id. Most blocks have none, and are passed over at once.
#[inline(always)]
fn gather(logits: &[f32], least: f32, mut each: impl FnMut(Candidate)) {
    const BLOCK: usize = 32;
    for (number, block) in logits.chunks(BLOCK).enumerate() {
        // The highest of a block is found with vector instructions; a search that ends early is not.
        if block.iter().fold(f32::NEG_INFINITY, |highest, &logit| highest.max(logit)) >= least {
            for (offset, &logit) in block.iter().enumerate() {
                if logit >= least {
                    each(Candidate { token: (number * BLOCK + offset) as u32, logit });
                }
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as sorting calls it")]
fn by_rank(a: &Candidate, b: &Candidate) -> Ordering {
    // Not `total_cmp`: nought and minus nought are equally likely.
    b.logit.partial_cmp(&a.logit).unwrap_or(Ordering::Equal).then(a.token.cmp(&b.token))
}
