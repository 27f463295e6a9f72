//! Layers that remember in a state of a fixed size instead of a cache that grows: a short convolution and the gated
//! delta rule.
//!
//! States of all sequences lie in one pool, and each sequence owns rows of it. The tokens of one sequence in a batch
//! are a *run*: `[runs, 4]` words of u32 say for each the state that it begins with, the state that it leaves, its first
//! token and how many it has. A beginning beyond the pool stands for a state of zeros, which is how a sequence begins;
//! a run that would leave its state beyond the pool is skipped. Beginning and end may be the same state. No two runs
//! leave the same, and none leaves what another begins with.

use crate::{
    Tensor,
    op::Access::{self, Patch, Read, Update},
};

/// A causal convolution of each channel by itself, bent by `silu`. See [`Batch::convolve`](crate::Batch::convolve).
#[derive(Clone, Copy, Debug)]
pub struct Convolution<T> {
    /// `[tokens, channels]`, f32.
    pub x: T,
    /// `[taps, channels]`, f32, 2 to 8 taps; the last one meets the token itself.
    pub weight: T,
    /// The inputs that the next token will meet: `[states, taps - 1, channels]`, f32.
    pub state: T,
    /// `[runs, 4]`, u32: of each run the state that it begins with (one beyond the pool: zeros), the state that it leaves,
    /// its first token, and how many it has.
    pub runs: T,
    /// Like `x`. Tokens of no run are left as they were.
    pub y: T,
}

/// The gated delta rule. See [`Batch::gated_delta`](crate::Batch::gated_delta).
#[derive(Clone, Copy, Debug)]
pub struct GatedDelta<T> {
    /// The queries of all heads of keys, their keys, and the values of all heads:
    /// `[tokens, 2 * key heads * key + heads * value]`, f32. Head `h` has head `h / (heads / key heads)` of the keys.
    pub qkv: T,
    /// What makes a state fade: `[tokens, heads]`, f32.
    pub decay: T,
    /// How much of the new a state takes, before the sigmoid: `[tokens, heads]`, f32.
    pub strength: T,
    /// Of each head, the rate of its decay, and then what is added to `decay`: `[2, heads]`, f32.
    pub constants: T,
    /// `[states, heads, value, key]`, f32; `key` a multiple of 4, at most 256.
    pub state: T,
    /// `[runs, 4]`, u32: of each run the state that it begins with (one beyond the pool: zeros), the state that it leaves,
    /// its first token, and how many it has.
    pub runs: T,
    /// Of the norms of queries and keys.
    pub epsilon: f32,
    /// `[tokens, heads, value]`, f32. Tokens of no run are left as they were.
    pub y: T,
}

impl<T> Convolution<T> {
    pub(crate) fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a T, Access)) {
        f(&self.x, Read);
        f(&self.weight, Read);
        f(&self.state, Update);
        f(&self.runs, Read);
        f(&self.y, Patch);
    }

    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&T, Access) -> Result<U, E>,
    ) -> Result<Convolution<U>, E> {
        Ok(Convolution {
            x: f(&self.x, Read)?,
            weight: f(&self.weight, Read)?,
            state: f(&self.state, Update)?,
            runs: f(&self.runs, Read)?,
            y: f(&self.y, Patch)?,
        })
    }
}

impl<T> GatedDelta<T> {
    pub(crate) fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a T, Access)) {
        for read in [&self.qkv, &self.decay, &self.strength, &self.constants] {
            f(read, Read);
        }
        f(&self.state, Update);
        f(&self.runs, Read);
        f(&self.y, Patch);
    }

    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&T, Access) -> Result<U, E>,
    ) -> Result<GatedDelta<U>, E> {
        Ok(GatedDelta {
            qkv: f(&self.qkv, Read)?,
            decay: f(&self.decay, Read)?,
            strength: f(&self.strength, Read)?,
            constants: f(&self.constants, Read)?,
            state: f(&self.state, Update)?,
            runs: f(&self.runs, Read)?,
            epsilon: self.epsilon,
            y: f(&self.y, Patch)?,
        })
    }
}

impl Convolution<&Tensor> {
    /// The same with handles of its own.
    pub(crate) fn owned(self) -> Convolution<Tensor> {
        let [x, weight, state, runs, y] =
            [self.x, self.weight, self.state, self.runs, self.y].map(Tensor::clone);
        Convolution { x, weight, state, runs, y }
    }
}

impl GatedDelta<&Tensor> {
    /// The same with handles of its own.
    pub(crate) fn owned(self) -> GatedDelta<Tensor> {
        let Self { qkv, decay, strength, constants, state, runs, epsilon, y } = self;
        let [qkv, decay, strength, constants] = [qkv, decay, strength, constants].map(Tensor::clone);
        let [state, runs, y] = [state, runs, y].map(Tensor::clone);
        GatedDelta { qkv, decay, strength, constants, state, runs, epsilon, y }
    }
}

/// The sizes of a gated delta rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeltaDims {
    pub(crate) states: u32,
    pub(crate) heads: u32,
    pub(crate) key_heads: u32,
    /// Elements of a key, and of a value.
    pub(crate) key: u32,
    pub(crate) value: u32,
}

impl DeltaDims {
    /// From the shape of the states and the width of a row of `qkv`; `None` where they do not fit.
    pub(crate) fn of(state: &[u32], channels: u32) -> Option<Self> {
        let &[states, heads, value, key] = state else { return None };
        let both = channels.checked_sub(heads.checked_mul(value)?)?;
        let key_heads = both.checked_div(key.checked_mul(2)?)?;
        let dims = Self { states, heads, key_heads, key, value };
        let fits = key_heads > 0 && both.is_multiple_of(2 * key) && heads.is_multiple_of(key_heads);
        fits.then_some(dims)
    }
}
