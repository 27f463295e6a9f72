//! Bans, and penalties for what was said a moment ago.
//!
//! As mlx-lm computes them: the repetition and the presence penalty meet a token once however often it occurred, the
//! frequency penalty once for each time. Each sees a window of its own at the end of what was said.

use super::SamplingParams;

/// What was said: the end of the prompt, then every token of the answer.
#[derive(Debug)]
pub(super) struct History {
    tokens: Vec<u32>,
    distinct: Vec<u32>,
}

impl History {
    pub(super) fn after(prompt: &[u32]) -> Self {
        let seen = prompt.len().min(SamplingParams::PROMPT_TOKENS_SEEN);
        Self { tokens: prompt[prompt.len() - seen..].to_vec(), distinct: Vec::new() }
    }

    pub(super) fn push(&mut self, token: u32) {
        self.tokens.push(token);
    }

    /// The last `size` tokens, or all for 0.
    fn window(&self, size: u32) -> &[u32] {
        let size = if size == 0 { self.tokens.len() } else { self.tokens.len().min(size as usize) };
        &self.tokens[self.tokens.len() - size..]
    }

    /// The tokens of a window, each once.
    fn distinct(&mut self, size: u32) -> &[u32] {
        let mut distinct = std::mem::take(&mut self.distinct);
        distinct.clear();
        distinct.extend_from_slice(self.window(size));
        distinct.sort_unstable();
        distinct.dedup();
        self.distinct = distinct;
        &self.distinct
    }
}

/// Writes bans and penalties into the logits. Ids beyond the logits are ids of nothing.
pub(super) fn apply(params: &SamplingParams, history: &mut History, logits: &mut [f32]) {
    for &token in &params.banned {
        change(logits, token, |_| f32::NEG_INFINITY);
    }
    let factor = params.repetition_penalty;
    if factor != 0.0 && factor != 1.0 {
        for &token in history.distinct(params.repetition_context_size) {
            change(logits, token, |logit| if logit < 0.0 { logit * factor } else { logit / factor });
        }
    }
    if params.presence_penalty != 0.0 {
        for &token in history.distinct(params.presence_context_size) {
            change(logits, token, |logit| logit - params.presence_penalty);
        }
    }
    if params.frequency_penalty != 0.0 {
        for &token in history.window(params.frequency_context_size) {
            change(logits, token, |logit| logit - params.frequency_penalty);
        }
    }
}

fn change(logits: &mut [f32], token: u32, change: impl FnOnce(f32) -> f32) {
    if let Some(logit) = logits.get_mut(token as usize) {
        *logit = change(*logit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn penalised(params: &SamplingParams, said: &[u32], logits: [f32; 4]) -> [f32; 4] {
        let mut history = History::after(&[]);
        for &token in said {
            history.push(token);
        }
        let mut logits = logits;
        apply(params, &mut history, &mut logits);
        logits
    }

    #[test]
    fn repetition_meets_a_token_once_and_always_makes_it_less_likely() {
        let params = SamplingParams { repetition_penalty: 2.0, ..Default::default() };
        assert_eq!(penalised(&params, &[0, 1, 0, 0], [4.0, -4.0, 4.0, -4.0]), [2.0, -8.0, 4.0, -4.0]);
    }

    #[test]
    fn presence_is_taken_once_and_frequency_each_time() {
        let presence = SamplingParams { presence_penalty: 0.5, ..Default::default() };
        assert_eq!(penalised(&presence, &[3, 3, 1], [0.0; 4]), [0.0, -0.5, 0.0, -0.5]);
        let frequency = SamplingParams { frequency_penalty: 0.5, ..Default::default() };
        assert_eq!(penalised(&frequency, &[3, 3, 1], [0.0; 4]), [0.0, -0.5, 0.0, -1.0]);
    }

    #[test]
    fn each_penalty_sees_a_window_of_its_own_and_nought_is_everything() {
        let params = SamplingParams {
            presence_penalty: 1.0,
            presence_context_size: 1,
            frequency_penalty: 10.0,
            frequency_context_size: 0,
            ..Default::default()
        };
        assert_eq!(penalised(&params, &[0, 1, 2], [0.0; 4]), [-10.0, -10.0, -11.0, 0.0]);
    }

    #[test]
    fn of_a_prompt_only_the_last_two_tokens_are_seen() {
        let params = SamplingParams { presence_penalty: 1.0, presence_context_size: 0, ..Default::default() };
        let mut logits = [0.0; 4];
        apply(&params, &mut History::after(&[0, 1, 2, 3]), &mut logits);
        assert_eq!(logits, [0.0, 0.0, -1.0, -1.0]);
    }

    #[test]
    fn ids_beyond_the_vocabulary_are_passed_over() {
        let params =
            SamplingParams { presence_penalty: 1.0, banned: vec![1, 4, u32::MAX], ..Default::default() };
        assert_eq!(penalised(&params, &[9, u32::MAX], [1.0; 4]), [1.0, f32::NEG_INFINITY, 1.0, 1.0]);
    }
}
