//! What attention remembers of earlier tokens: their keys, or their values.
//!
//! A cache is a pool of rows, one for each token that is kept. Who owns which rows is not its business: sequences own
//! pages of rows, and a table of pages for each says where its positions are (see [`Attention`](crate::Attention)).

use crate::{Tensor, op::Access};

/// Rows of keys or of values: `[rows, heads, head]`.
#[derive(Clone, Debug)]
pub enum Cache<T> {
    /// f32 or f16.
    Dense(T),
    /// 8 bits with a sign: `x ≈ scale * q`, with `scale = max|x| / 127` for each head of a row. Half of what f16
    /// takes; an element moves by at most half a scale.
    Bytes {
        /// Four to a word, the first in the lowest bits: `[rows, heads, head / 4]`, u32.
        words: T,
        /// `[rows, heads]`, f32.
        scales: T,
    },
}

impl<T> Cache<T> {
    pub(crate) fn visit<'a>(&'a self, access: Access, f: &mut dyn FnMut(&'a T, Access)) {
        match self {
            Self::Dense(rows) => f(rows, access),
            Self::Bytes { words, scales } => {
                f(words, access);
                f(scales, access);
            }
        }
    }

    pub(crate) fn try_map<U, E>(
        &self,
        access: Access,
        f: &mut dyn FnMut(&T, Access) -> Result<U, E>,
    ) -> Result<Cache<U>, E> {
        Ok(match self {
            Self::Dense(rows) => Cache::Dense(f(rows, access)?),
            Self::Bytes { words, scales } => {
                Cache::Bytes { words: f(words, access)?, scales: f(scales, access)? }
            }
        })
    }
}

impl Cache<Tensor> {
    /// Rows, heads of a row and elements of a head; `None` where the tensors do not have three dimensions.
    pub fn dims(&self) -> Option<[u32; 3]> {
        let (tensor, elements) = match self {
            Self::Dense(rows) => (rows, 1),
            Self::Bytes { words, .. } => (words, 4),
        };
        let &[rows, heads, head] = tensor.shape().dims() else { return None };
        Some([rows, heads, head.checked_mul(elements)?])
    }
}
