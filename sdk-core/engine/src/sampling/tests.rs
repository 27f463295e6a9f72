//! The sampler as a whole, against a plain reading of its rules that sorts everything.

use super::*;

/// The probabilities that the rules give, worked out the long way.
fn expected(params: &SamplingParams, logits: &[f32]) -> Vec<f64> {
    let peak = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mass: Vec<f64> = logits.iter().map(|&logit| f64::from(logit - peak).exp()).collect();
    let total: f64 = mass.iter().sum();
    let mut ranked: Vec<usize> = (0..logits.len()).collect();
    ranked.sort_by(|&a, &b| logits[b].partial_cmp(&logits[a]).unwrap().then(a.cmp(&b)));
    let mut stays = vec![true; logits.len()];
    if params.top_p > 0.0 && params.top_p < 1.0 {
        let mut above = 0.0;
        let mut last = peak;
        for &token in &ranked {
            if above >= f64::from(params.top_p) * total {
                break;
            }
            above += mass[token];
            last = logits[token];
        }
        (0..logits.len()).for_each(|token| stays[token] = logits[token] >= last);
    }
    for (token, stays) in stays.iter_mut().enumerate() {
        *stays &= params.min_p == 0.0 || logits[token] >= peak + params.min_p.ln();
    }
    if params.top_k > 0 {
        let left: Vec<usize> =
            ranked.into_iter().filter(|&token| stays[token]).take(params.top_k as usize).collect();
        stays.fill(false);
        for token in left {
            stays[token] = true;
        }
    }
    let weight = |token: usize| {
        if stays[token] {
            (f64::from(logits[token] - peak) / f64::from(params.temperature)).exp()
        } else {
            0.0
        }
    };
    let weights: Vec<f64> = (0..logits.len()).map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Logits that look like a model's: a few peaks over noise, on a coarse grid so that there are ties.
fn logits(draws: &mut Draws, count: usize, spread: f64) -> Vec<f32> {
    (0..count).map(|_| (((draws.fraction() - 0.5) * spread).powi(3) * 16.0).round() as f32 / 16.0).collect()
}

/// Which tokens may be drawn, by drawing with fractions that walk through 0..1.
fn drawn(params: &SamplingParams, logits: &[f32], draws: usize) -> Vec<f64> {
    let mut sampler = Sampler::new(params.clone(), &[]).unwrap();
    let peak = scan::peak(logits).unwrap();
    let inverse = params.inverse_temperature().unwrap();
    let mut seen = vec![0.0; logits.len()];
    let cut = cut::find(params, logits, peak, &mut sampler.scratch);
    let left = cut.survivors(logits, &mut sampler.scratch);
    for n in 0..draws {
        let fraction = (n as f64 + 0.5) / draws as f64;
        let token = match cut {
            Cut::Nothing => scan::draw_from_all(logits, peak, inverse, fraction, &mut sampler.sums),
            _ => scan::draw_from(left, peak, inverse, fraction),
        };
        seen[token as usize] += 1.0 / draws as f64;
    }
    seen
}

#[test]
fn what_is_drawn_has_the_distribution_that_the_rules_give() {
    let mut random = Draws::seeded(7);
    for case in 0..300 {
        let params = SamplingParams {
            temperature: [0.2, 0.7, 1.0, 1.9][case % 4],
            top_p: [1.0, 0.9, 0.5, 0.01, 0.0][case / 4 % 5],
            top_k: [0, 1, 5, 40, 10_000][case / 20 % 5],
            min_p: [0.0, 0.05, 0.5][case / 100],
            ..Default::default()
        };
        let logits = logits(&mut random, 20 + case, [1.0, 4.0, 6.0][case % 3]);
        let expected = expected(&params, &logits);
        let seen = drawn(&params, &logits, 400);
        for token in 0..logits.len() {
            let off = (seen[token] - expected[token]).abs();
            assert!(
                off < 0.0051,
                "case {case}, {params:?}, token {token}: {} is not {}",
                seen[token],
                expected[token]
            );
        }
    }
}

#[test]
fn the_filters_leave_exactly_the_tokens_that_sorting_everything_leaves() {
    let mut random = Draws::seeded(99);
    for case in 0..60 {
        let params = SamplingParams {
            top_p: [1.0, 0.95, 0.6][case % 3],
            top_k: [0, 3, 50, 700][case % 4],
            min_p: [0.0, 0.02][case % 2],
            ..Default::default()
        };
        let logits = logits(&mut random, 5_000, [0.5, 3.0, 5.0][case / 4 % 3]);
        let peak = scan::peak(&logits).unwrap();
        let mut scratch = cut::Scratch::default();
        let cut = cut::find(&params, &logits, peak, &mut scratch);
        let left: Vec<u32> =
            cut.survivors(&logits, &mut scratch).iter().map(|candidate| candidate.token).collect();
        let expected: Vec<u32> = expected(&params, &logits)
            .iter()
            .zip(0u32..)
            .filter(|(p, _)| **p > 0.0)
            .map(|(_, token)| token)
            .collect();
        assert_eq!(left, expected, "case {case}: {params:?}");
    }
}

#[test]
fn a_temperature_of_nought_takes_the_first_of_the_likeliest() {
    let mut sampler = Sampler::new(SamplingParams::greedy(), &[]).unwrap();
    assert_eq!(sampler.sample(&mut [1.0, 3.0, 3.0, 2.0]).unwrap().token, 1);
}

#[test]
fn the_same_seed_gives_the_same_answer_and_another_one_another() {
    let answer = |seed| {
        let params = SamplingParams { seed, temperature: 1.0, min_p: 0.0, ..Default::default() };
        let mut sampler = Sampler::new(params, &[]).unwrap();
        (0..50).map(|_| sampler.sample(&mut vec![0.0; 1_000]).unwrap().token).collect::<Vec<_>>()
    };
    assert_eq!(answer(1), answer(1));
    assert_ne!(answer(1), answer(2));
}

#[test]
fn an_answer_penalises_itself() {
    let params = SamplingParams { presence_penalty: 5.0, ..SamplingParams::greedy() };
    let mut sampler = Sampler::new(params, &[0]).unwrap();
    let mut next = || sampler.sample(&mut [4.0, 3.0, 2.0]).unwrap().token;
    assert_eq!([next(), next(), next()], [1, 2, 0]);
}

#[test]
fn logprobs_tell_of_the_distribution_before_filters_and_temperature() {
    let params = SamplingParams { top_k: 1, logprobs: Some(2), ..SamplingParams::default() };
    let mut logits = [0.0, 1.0, 0.5, 1.0].map(|p: f32| p.ln());
    let sampled = Sampler::new(params, &[]).unwrap().sample(&mut logits).unwrap();
    let logprobs = sampled.logprobs.unwrap();
    assert_eq!(sampled.token, 1);
    assert!((logprobs.logprob - 0.4f32.ln()).abs() < 1e-6);
    assert_eq!(logprobs.top.iter().map(|&(token, _)| token).collect::<Vec<_>>(), [1, 3]);
    assert!(logprobs.top.iter().all(|&(_, logprob)| (logprob - 0.4f32.ln()).abs() < 1e-6));
}

#[test]
fn logits_that_are_no_distribution_are_an_error() {
    let sample = |mut logits: Vec<f32>| {
        Sampler::new(SamplingParams::default(), &[]).unwrap().sample(&mut logits).unwrap_err().to_string()
    };
    for place in [0, 5, 16, 39] {
        let mut logits = vec![0.0; 40];
        logits[place] = f32::NAN;
        assert!(sample(logits).contains(&format!("NaN for token {place}")));
    }
    assert!(sample(vec![0.0, f32::INFINITY]).contains("infinity"));
    assert!(sample(vec![f32::NEG_INFINITY; 3]).contains("of 3 tokens none may be chosen"));
    assert!(sample(vec![]).contains("of 0 tokens none may be chosen"));
}

#[test]
fn tokens_at_minus_infinity_are_never_drawn() {
    let params = SamplingParams { temperature: 50.0, min_p: 0.0, banned: vec![2], ..Default::default() };
    let mut sampler = Sampler::new(params, &[]).unwrap();
    for _ in 0..500 {
        let token = sampler.sample(&mut [0.0, f32::NEG_INFINITY, 9.0, -1.0]).unwrap().token;
        assert!(token == 0 || token == 3);
    }
}
