//! Passes over the whole vocabulary, written so that compilers turn them into vector instructions.

use super::exponential::exp;

/// The likeliest token, the first of equals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    pub(super) token: u32,
    pub(super) logit: f32,
}

/// A token that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) token: u32,
    pub(super) logit: f32,
}

/// How many logits are summed up at once. The sums of all blocks are kept, so that a draw looks into one block only.
const BLOCK: usize = 1024;
const LANES: usize = 16;

/// Finds the peak, or says why these logits make no distribution.
pub(super) fn peak(logits: &[f32]) -> Result<Peak, String> {
    let (blocks, rest) = logits.as_chunks::<LANES>();
    let mut highest = [f32::NEG_INFINITY; LANES];
    let mut is_nan = [false; LANES];
    for block in blocks {
        for lane in 0..LANES {
            highest[lane] = highest[lane].max(block[lane]);
            is_nan[lane] |= block[lane].is_nan();
        }
    }
    let all = highest.iter().chain(rest);
    let logit = all.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
    if is_nan.contains(&true) || rest.iter().any(|logit| logit.is_nan()) {
        let token = logits.iter().position(|logit| logit.is_nan()).unwrap_or(0);
        return Err(format!(
            "the model computed NaN for token {token}: weights are broken, or the device computes wrongly"
        ));
    }
    if logit == f32::INFINITY {
        return Err("the model computed infinity: weights are broken, or the device computes wrongly".into());
    }
    if logit == f32::NEG_INFINITY {
        return Err(format!("of {} tokens none may be chosen", logits.len()));
    }
    let token = logits.iter().position(|&other| other == logit).unwrap_or(0);
    Ok(Peak { token: token as u32, logit })
}

/// The sum of e^(logit - peak) over all tokens.
pub(super) fn mass(logits: &[f32], peak: Peak) -> f64 {
    logits.chunks(BLOCK).map(|block| block_mass(block, peak.logit, 1.0)).sum()
}

#[inline(always)]
fn block_mass(block: &[f32], peak: f32, inverse: f32) -> f64 {
    let (whole, rest) = block.as_chunks::<LANES>();
    let mut sums = [0.0f32; LANES];
    for chunk in whole {
        for lane in 0..LANES {
            sums[lane] += exp((chunk[lane] - peak) * inverse);
        }
    }
    let tail: f64 = rest.iter().map(|logit| f64::from(exp((logit - peak) * inverse))).sum();
    sums.iter().map(|&sum| f64::from(sum)).sum::<f64>() + tail
}

/// Draws from all tokens. `sums` is scratch.
pub(super) fn draw_from_all(
    logits: &[f32],
    peak: Peak,
    inverse: f32,
    fraction: f64,
    sums: &mut Vec<f64>,
) -> u32 {
    sums.clear();
    sums.extend(logits.chunks(BLOCK).map(|block| block_mass(block, peak.logit, inverse)));
    let mut left = fraction * sums.iter().sum::<f64>();
    for (number, (block, &sum)) in logits.chunks(BLOCK).zip(&*sums).enumerate() {
        if left >= sum {
            left -= sum;
            continue;
        }
        for (offset, &logit) in block.iter().enumerate() {
            let weight = f64::from(exp((logit - peak.logit) * inverse));
            if left < weight {
                return (number * BLOCK + offset) as u32;
            }
            left -= weight;
        }
        // The block's own sum was rounded in another order: what is left over is less than a rounding.
    }
    peak.token
}

/// Draws from these tokens.
pub(super) fn draw_from(candidates: &[Candidate], peak: Peak, inverse: f32, fraction: f64) -> u32 {
    let weight = |candidate: &Candidate| f64::from(exp((candidate.logit - peak.logit) * inverse));
    let mut left = fraction * candidates.iter().map(weight).sum::<f64>();
    for candidate in candidates {
        let weight = weight(candidate);
        if left < weight {
            return candidate.token;
        }
        left -= weight;
    }
    peak.token
}
