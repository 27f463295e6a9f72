//! The closed set of operations, as values.
//!
//! A [`Batch`](crate::Batch) records `Op<Tensor>`s after checking them ([`check`](crate::check)); GPU backends
//! lower them to dispatches ([`lowering`](crate::lowering)); the CPU backend runs `Op<HostTensor>`s directly.
//! The operand type is a parameter so that one walk over the operands serves hazards, lifetimes and binding.
//!
//! Activations are f32 everywhere, and so are the weights of norms, which are small. Matrices and tables may be
//! f32, f16, bf16 or MLX affine-quantised.

use serde::{Deserialize, Serialize};

use crate::{DType, Shape, Tensor};

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

/// Which elements of a head rope turns together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RopePairs {
    /// `i` with `i + dims / 2`: llama, qwen and most others (MLX's `traditional=False`).
    Halves,
    /// `2 i` with `2 i + 1` (MLX's `traditional=True`).
    Neighbours,
}

/// One operation. Shapes are row-major; `rows` means all dimensions but the last.
#[derive(Clone, Debug)]
pub(crate) enum Op<T> {
    /// Every element of `y` becomes `value`.
    Fill { y: T, value: f32 },
    /// `y = x`, converting between f32, f16 and bf16.
    Copy { x: T, y: T },
    /// `y = a + b`; a `b` of one row is added to every row of `a`.
    Add { a: T, b: T, y: T },
    /// `y = a * b`; a `b` of one row multiplies every row of `a`.
    Mul { a: T, b: T, y: T },
    /// `y = silu(gate) * up`.
    SiluMul { gate: T, up: T, y: T },
    /// `y = gelu(x)`, the tanh form.
    Gelu { x: T, y: T },
    /// `y = x / rms(x) * weight` by rows.
    RmsNorm { x: T, weight: T, y: T, epsilon: f32 },
    /// `y = (x - mean) / std * weight + bias` by rows.
    LayerNorm { x: T, weight: T, bias: T, y: T, epsilon: f32 },
    /// `y = softmax(scale * x)` by rows.
    Softmax { x: T, y: T, scale: f32 },
    /// Turns the first `dims` elements of each head. `x` is `[tokens, heads, head]`, `angles` holds
    /// `(cos, sin)` as `[tokens, dims / 2, 2]`, computed on the host: trigonometry on phones is not accurate.
    Rope { x: T, angles: T, y: T, pairs: RopePairs },
    /// `y[i] = table[ids[i]]`; an id beyond the table gives a row of zeros.
    Gather { table: Weight<T>, ids: T, y: T },
    /// `y = x · weightᵀ`: `[m, k] · [n, k]ᵀ = [m, n]`.
    MatMul { x: T, weight: Weight<T>, y: T },
    /// Index of the largest element of each row; the first of equals; NaN never wins; a row of NaN gives 0.
    Argmax { x: T, y: T },
    /// Sum of each row.
    Sum { x: T, y: T },
}

/// What an operation does to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads it.
    Read,
    /// Overwrites it whole, or in the parts that it touches.
    Write,
}

impl<T> Weight<T> {
    fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a T, Access)) {
        match self {
            Self::Dense(w) => f(w, Access::Read),
            Self::Quantised(q) => {
                f(&q.words, Access::Read);
                f(&q.scales, Access::Read);
                f(&q.biases, Access::Read);
            }
        }
    }

    fn try_map<U, E>(&self, f: &mut dyn FnMut(&T, Access) -> Result<U, E>) -> Result<Weight<U>, E> {
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

impl<T> Op<T> {
    /// The name that errors, verdicts and reports use.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Fill { .. } => "fill",
            Self::Copy { .. } => "copy",
            Self::Add { .. } => "add",
            Self::Mul { .. } => "mul",
            Self::SiluMul { .. } => "silu_mul",
            Self::Gelu { .. } => "gelu",
            Self::RmsNorm { .. } => "rmsnorm",
            Self::LayerNorm { .. } => "layernorm",
            Self::Softmax { .. } => "softmax",
            Self::Rope { .. } => "rope",
            Self::Gather { .. } => "gather",
            Self::MatMul { .. } => "matmul",
            Self::Argmax { .. } => "argmax",
            Self::Sum { .. } => "sum",
        }
    }

    /// The operand that the operation writes.
    pub(crate) fn output(&self) -> &T {
        match self {
            Self::Fill { y, .. }
            | Self::Copy { y, .. }
            | Self::Add { y, .. }
            | Self::Mul { y, .. }
            | Self::SiluMul { y, .. }
            | Self::Gelu { y, .. }
            | Self::RmsNorm { y, .. }
            | Self::LayerNorm { y, .. }
            | Self::Softmax { y, .. }
            | Self::Rope { y, .. }
            | Self::Gather { y, .. }
            | Self::MatMul { y, .. }
            | Self::Argmax { y, .. }
            | Self::Sum { y, .. } => y,
        }
    }

    /// Calls `f` for each operand.
    pub(crate) fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a T, Access)) {
        use Access::{Read, Write};
        match self {
            Self::Fill { y, .. } => f(y, Write),
            Self::Copy { x, y }
            | Self::Gelu { x, y }
            | Self::Softmax { x, y, .. }
            | Self::Argmax { x, y }
            | Self::Sum { x, y } => {
                f(x, Read);
                f(y, Write);
            }
            Self::Add { a, b, y } | Self::Mul { a, b, y } | Self::SiluMul { gate: a, up: b, y } => {
                f(a, Read);
                f(b, Read);
                f(y, Write);
            }
            Self::RmsNorm { x, weight: w, y, .. } | Self::Rope { x, angles: w, y, .. } => {
                f(x, Read);
                f(w, Read);
                f(y, Write);
            }
            Self::LayerNorm { x, weight, bias, y, .. } => {
                f(x, Read);
                f(weight, Read);
                f(bias, Read);
                f(y, Write);
            }
            Self::Gather { table, ids, y } => {
                table.visit(f);
                f(ids, Read);
                f(y, Write);
            }
            Self::MatMul { x, weight, y } => {
                f(x, Read);
                weight.visit(f);
                f(y, Write);
            }
        }
    }

    /// The same operation over other operands.
    pub(crate) fn try_map<U, E>(&self, f: &mut dyn FnMut(&T, Access) -> Result<U, E>) -> Result<Op<U>, E> {
        use Access::{Read, Write};
        Ok(match self {
            Self::Fill { y, value } => Op::Fill { y: f(y, Write)?, value: *value },
            Self::Copy { x, y } => Op::Copy { x: f(x, Read)?, y: f(y, Write)? },
            Self::Add { a, b, y } => Op::Add { a: f(a, Read)?, b: f(b, Read)?, y: f(y, Write)? },
            Self::Mul { a, b, y } => Op::Mul { a: f(a, Read)?, b: f(b, Read)?, y: f(y, Write)? },
            Self::SiluMul { gate, up, y } => {
                Op::SiluMul { gate: f(gate, Read)?, up: f(up, Read)?, y: f(y, Write)? }
            }
            Self::Gelu { x, y } => Op::Gelu { x: f(x, Read)?, y: f(y, Write)? },
            Self::RmsNorm { x, weight, y, epsilon } => {
                Op::RmsNorm { x: f(x, Read)?, weight: f(weight, Read)?, y: f(y, Write)?, epsilon: *epsilon }
            }
            Self::LayerNorm { x, weight, bias, y, epsilon } => Op::LayerNorm {
                x: f(x, Read)?,
                weight: f(weight, Read)?,
                bias: f(bias, Read)?,
                y: f(y, Write)?,
                epsilon: *epsilon,
            },
            Self::Softmax { x, y, scale } => Op::Softmax { x: f(x, Read)?, y: f(y, Write)?, scale: *scale },
            Self::Rope { x, angles, y, pairs } => {
                Op::Rope { x: f(x, Read)?, angles: f(angles, Read)?, y: f(y, Write)?, pairs: *pairs }
            }
            Self::Gather { table, ids, y } => {
                Op::Gather { table: table.try_map(f)?, ids: f(ids, Read)?, y: f(y, Write)? }
            }
            Self::MatMul { x, weight, y } => {
                Op::MatMul { x: f(x, Read)?, weight: weight.try_map(f)?, y: f(y, Write)? }
            }
            Self::Argmax { x, y } => Op::Argmax { x: f(x, Read)?, y: f(y, Write)? },
            Self::Sum { x, y } => Op::Sum { x: f(x, Read)?, y: f(y, Write)? },
        })
    }
}

/// A tensor in host memory: what the CPU kernels compute on.
///
/// It is a promise by whoever made it: `data` points at `shape.elements()` elements of `dtype`, valid and not
/// otherwise written while an operation runs; operands are disjoint, or the very same tensor where the operation
/// may run in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostTensor {
    pub(crate) data: *mut u8,
    pub(crate) dtype: DType,
    pub(crate) shape: Shape,
}
