//! Weight matrices, as model files store them.

use serde::{Deserialize, Serialize};

use crate::{Tensor, op::Access};

/// Bits of one quantised weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bits {
    /// 4 bits: eight weights in a word.
    B4,
    /// 6 bits: sixteen weights in three words.
    B6,
    /// 8 bits: four weights in a word.
    B8,
}

impl Bits {
    /// As a number.
    pub const fn count(self) -> u32 {
        match self {
            Self::B4 => 4,
            Self::B6 => 6,
            Self::B8 => 8,
        }
    }
}

/// How many neighbouring weights of a row share a scale and a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Group {
    /// 32 weights.
    G32,
    /// 64 weights, MLX's default.
    G64,
    /// 128 weights.
    G128,
}

impl Group {
    /// As a number.
    pub const fn size(self) -> u32 {
        match self {
            Self::G32 => 32,
            Self::G64 => 64,
            Self::G128 => 128,
        }
    }
}

/// A matrix as MLX quantises it: `w = scale * q + bias`, one scale and bias for each group of a row.
///
/// The weights of a row are one little-endian stream of bits: weight `i` is bits `i * bits .. (i + 1) * bits`.
#[derive(Clone, Debug)]
pub struct Quantised<T> {
    /// The packed words: `[rows, columns * bits / 32]`, u32.
    pub words: T,
    /// `[rows, columns / group]`, f16, bf16 or f32.
    pub scales: T,
    /// Same shape and type as the scales.
    pub biases: T,
    /// Bits of one weight.
    pub bits: Bits,
    /// Weights that share a scale.
    pub group: Group,
}

/// A weight matrix of `rows` outputs and `columns` inputs, as model files store it.
#[derive(Clone, Debug)]
pub enum Weight<T> {
    /// f32, f16 or bf16.
    Dense(T),
    /// MLX affine.
    Quantised(Quantised<T>),
}

impl<T> Weight<T> {
    pub(crate) fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a T, Access)) {
        match self {
            Self::Dense(w) => f(w, Access::Read),
            Self::Quantised(q) => {
                f(&q.words, Access::Read);
                f(&q.scales, Access::Read);
                f(&q.biases, Access::Read);
            }
        }
    }

    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&T, Access) -> Result<U, E>,
    ) -> Result<Weight<U>, E> {
        Ok(match self {
            Self::Dense(w) => Weight::Dense(f(w, Access::Read)?),
            Self::Quantised(q) => Weight::Quantised(Quantised {
                words: f(&q.words, Access::Read)?,
                scales: f(&q.scales, Access::Read)?,
                biases: f(&q.biases, Access::Read)?,
                bits: q.bits,
                group: q.group,
            }),
        })
    }
}

impl Weight<Tensor> {
    /// Rows (outputs) and columns (inputs).
    pub fn dims(&self) -> (u64, u64) {
        match self {
            Self::Dense(w) => (w.shape().rows(), u64::from(w.shape().columns())),
            Self::Quantised(q) => {
                (q.scales.shape().rows(), u64::from(q.scales.shape().columns()) * u64::from(q.group.size()))
            }
        }
    }
}
