//! One text through a chain of models, each a part of the layers: the plainest way to run a model.
//!
//! Whoever answers several chats at once uses the engine; this serves tests, tools and the ranks of a group.

use crate::{
    Error, Model, Result,
    cache::Sequence,
    model::{Reduce, Row, Step, Wanted},
};

/// A text that grows, and the models that its tokens pass in order. After an error it is begun anew, with
/// [`TokenRun::emptied`]: nobody knows how far it came.
#[derive(Debug)]
pub struct TokenRun {
    models: Vec<Model>,
    sequences: Vec<Sequence>,
}

impl TokenRun {
    /// An empty text. The models are consecutive parts of one model, from its first layer to its last.
    pub fn new(models: Vec<Model>) -> Self {
        let sequences = models.iter().map(|_| Sequence::default()).collect();
        Self { models, sequences }
    }

    /// Appends tokens and returns the logits of every one of them, one row after the other.
    pub fn logits(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        self.all_logits(tokens, &mut None)
    }

    /// The same for a slice of a model. Twice a layer `reduce` gets this slice's part of a sum, a row for each token, and
    /// puts the sum over all slices in its place. All ranks come to the same sums in the same order.
    pub fn logits_of_slice(
        &mut self,
        tokens: &[u32],
        reduce: &mut dyn FnMut(&mut [f32]) -> Result<()>,
    ) -> Result<Vec<f32>> {
        self.all_logits(tokens, &mut Some(reduce))
    }

    fn all_logits(&mut self, tokens: &[u32], reduce: &mut Option<Reduce<'_>>) -> Result<Vec<f32>> {
        let chunk = self.models.iter().map(Model::chunk).min().unwrap_or(1).min(Model::MOST_WANTED);
        let mut all = Vec::new();
        for tokens in tokens.chunks(chunk as usize) {
            all.extend(self.step(tokens, Asked::All, reduce)?);
        }
        Ok(all)
    }

    /// Appends tokens and returns the logits of the last one.
    pub fn last(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        let chunk = self.models.iter().map(Model::chunk).min().unwrap_or(1);
        let mut logits = Vec::new();
        let mut left = tokens;
        while !left.is_empty() {
            let (now, later) = left.split_at(left.len().min(chunk as usize));
            left = later;
            logits = self.step(now, if left.is_empty() { Asked::Last } else { Asked::None }, &mut None)?;
        }
        Ok(logits)
    }

    /// The same models with an empty text.
    #[must_use]
    pub fn emptied(mut self) -> Self {
        for (model, sequence) in self.models.iter_mut().zip(&mut self.sequences) {
            std::mem::take(sequence).end(model.pools());
        }
        self
    }

    fn step(&mut self, tokens: &[u32], asked: Asked, reduce: &mut Option<Reduce<'_>>) -> Result<Vec<f32>> {
        let (mut stream, mut logits) = (Vec::new(), Vec::new());
        let last = self.models.len().saturating_sub(1);
        let end = tokens.len().saturating_sub(1);
        for (i, (model, sequence)) in self.models.iter_mut().zip(&mut self.sequences).enumerate() {
            let count = tokens.len() as u32;
            if !sequence.reserve(count, model.pools()) {
                return Err(Error::InvalidRequest {
                    what: "TokenRun::logits",
                    asked: format!("{} tokens", sequence.length() + count),
                    allowed: "as many as the context that the model was loaded with".into(),
                });
            }
            let rows: Vec<_> = (sequence.length()..)
                .zip(tokens.iter().enumerate())
                .map(|(position, (at, &token))| {
                    let is_asked = asked == Asked::All || asked == Asked::Last && at == end;
                    Row { token, sequence: 0, position, is_wanted: i == last && is_asked }
                })
                .collect();
            let step = Step { sequences: &[&*sequence], rows: &rows };
            let given = std::mem::take(&mut stream);
            let given = (i > 0).then_some(&given[..]);
            let wanted = if i == last { Wanted::Logits(&mut logits) } else { Wanted::Stream(&mut stream) };
            let reduce: Option<Reduce<'_>> = match reduce {
                Some(reduce) => Some(&mut **reduce),
                None => None,
            };
            model.step(&step, given, wanted, reduce)?;
            sequence.advance(count, model.pools());
        }
        Ok(logits)
    }
}

/// Which tokens of a step have their logits wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    All,
    Last,
    None,
}
