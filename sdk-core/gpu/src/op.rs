//! The closed set of operations, as values.
//!
//! A [`Batch`](crate::Batch) records `Op<Tensor>`s after checking them ([`check`](crate::check)); GPU backends
//! lower them to dispatches ([`lowering`](crate::lowering)); the CPU backend runs `Op<HostTensor>`s directly.
//! The operand type is a parameter so that one walk over the operands serves hazards, lifetimes and binding.
//!
//! Activations are f32 everywhere, and so are the weights of norms, which are small. Matrices and tables may be
//! f32, f16, bf16 or MLX affine-quantised; what attention remembers is f32, f16 or 8 bits ([`Cache`]).

use serde::{Deserialize, Serialize};

use crate::{Attention, Cache, Convolution, DType, GatedDelta, Shape, Weight};

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
    /// `y = gelu(gate) * up`, the tanh form.
    GeluMul { gate: T, up: T, y: T },
    /// `y = sigmoid(gate) * x`.
    SigmoidMul { gate: T, x: T, y: T },
    /// `y = cap * tanh(x / cap)`.
    Softcap { x: T, y: T, cap: f32 },
    /// `y = factor * x`.
    Scale { x: T, y: T, factor: f32 },
    /// `y = x / rms(x) * weight` by rows.
    RmsNorm { x: T, weight: T, y: T, epsilon: f32 },
    /// `sum = x + delta`, and `y = sum / rms(sum) * weight` by rows.
    AddRmsNorm { x: T, delta: T, weight: T, sum: T, y: T, epsilon: f32 },
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
    /// Row `i` of `x` becomes row `slots[i]` of the cache, converted; a slot beyond the cache is skipped.
    Store { x: T, slots: T, cache: Cache<T> },
    /// `y = softmax(scale * q · k) · v` over the positions that each token may see. `partial` is where a GPU keeps the
    /// results of stretches of a long context until they are merged: `[tokens, heads, stretches, head + 2]`.
    Attention { of: Box<Attention<T>>, partial: Option<T> },
    /// `y = silu(Σ weight · x)` over each channel's last inputs, which a state carries from batch to batch.
    Convolve(Box<Convolution<T>>),
    /// A state of each head fades, takes a token in, and is asked: `y = state · q`.
    GatedDelta(Box<GatedDelta<T>>),
}

/// What an operation does to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads it.
    Read,
    /// Overwrites it whole.
    Write,
    /// Overwrites parts of it, and leaves the rest as it was.
    Patch,
    /// Reads parts of it, and overwrites parts.
    Update,
}

impl Access {
    /// Whether something else may be there afterwards.
    pub(crate) fn writes(self) -> bool {
        self != Self::Read
    }

    /// Whether what is there matters.
    pub(crate) fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Update)
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
            Self::GeluMul { .. } => "gelu_mul",
            Self::SigmoidMul { .. } => "sigmoid_mul",
            Self::Softcap { .. } => "softcap",
            Self::Scale { .. } => "scale",
            Self::RmsNorm { .. } => "rmsnorm",
            Self::AddRmsNorm { .. } => "add_rmsnorm",
            Self::LayerNorm { .. } => "layernorm",
            Self::Softmax { .. } => "softmax",
            Self::Rope { .. } => "rope",
            Self::Gather { .. } => "gather",
            Self::MatMul { .. } => "matmul",
            Self::Argmax { .. } => "argmax",
            Self::Sum { .. } => "sum",
            Self::Store { .. } => "store",
            Self::Attention { .. } => "attention",
            Self::Convolve(_) => "convolve",
            Self::GatedDelta(_) => "gated_delta",
        }
    }

    /// The operands that the operation writes, in the order of [`visit`](Self::visit).
    pub(crate) fn outputs(&self) -> Vec<&T> {
        let mut outputs = Vec::with_capacity(2);
        self.visit(&mut |operand, access| {
            if access.writes() {
                outputs.push(operand);
            }
        });
        outputs
    }

    /// Calls `f` for each operand.
    pub(crate) fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a T, Access)) {
        use Access::{Patch, Read, Write};
        match self {
            Self::Fill { y, .. } => f(y, Write),
            Self::Copy { x, y }
            | Self::Gelu { x, y }
            | Self::Softcap { x, y, .. }
            | Self::Scale { x, y, .. }
            | Self::Softmax { x, y, .. }
            | Self::Argmax { x, y }
            | Self::Sum { x, y } => {
                f(x, Read);
                f(y, Write);
            }
            Self::Add { a, b, y }
            | Self::Mul { a, b, y }
            | Self::SiluMul { gate: a, up: b, y }
            | Self::GeluMul { gate: a, up: b, y }
            | Self::SigmoidMul { gate: a, x: b, y } => {
                f(a, Read);
                f(b, Read);
                f(y, Write);
            }
            Self::RmsNorm { x, weight: w, y, .. } | Self::Rope { x, angles: w, y, .. } => {
                f(x, Read);
                f(w, Read);
                f(y, Write);
            }
            Self::AddRmsNorm { x, delta, weight, sum, y, .. } => {
                f(x, Read);
                f(delta, Read);
                f(weight, Read);
                f(sum, Write);
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
            Self::Store { x, slots, cache } => {
                f(x, Read);
                f(slots, Read);
                cache.visit(Patch, f);
            }
            Self::Attention { of, partial } => {
                of.visit(f);
                if let Some(partial) = partial {
                    f(partial, Write);
                }
            }
            Self::Convolve(of) => of.visit(f),
            Self::GatedDelta(of) => of.visit(f),
        }
    }

    /// The same operation over other operands.
    pub(crate) fn try_map<U, E>(&self, f: &mut dyn FnMut(&T, Access) -> Result<U, E>) -> Result<Op<U>, E> {
        use Access::{Patch, Read, Write};
        Ok(match self {
            Self::Fill { y, value } => Op::Fill { y: f(y, Write)?, value: *value },
            Self::Copy { x, y } => Op::Copy { x: f(x, Read)?, y: f(y, Write)? },
            Self::Add { a, b, y } => Op::Add { a: f(a, Read)?, b: f(b, Read)?, y: f(y, Write)? },
            Self::Mul { a, b, y } => Op::Mul { a: f(a, Read)?, b: f(b, Read)?, y: f(y, Write)? },
            Self::SiluMul { gate, up, y } => {
                Op::SiluMul { gate: f(gate, Read)?, up: f(up, Read)?, y: f(y, Write)? }
            }
            Self::Gelu { x, y } => Op::Gelu { x: f(x, Read)?, y: f(y, Write)? },
            Self::GeluMul { gate, up, y } => {
                Op::GeluMul { gate: f(gate, Read)?, up: f(up, Read)?, y: f(y, Write)? }
            }
            Self::SigmoidMul { gate, x, y } => {
                Op::SigmoidMul { gate: f(gate, Read)?, x: f(x, Read)?, y: f(y, Write)? }
            }
            Self::Softcap { x, y, cap } => Op::Softcap { x: f(x, Read)?, y: f(y, Write)?, cap: *cap },
            Self::Scale { x, y, factor } => Op::Scale { x: f(x, Read)?, y: f(y, Write)?, factor: *factor },
            Self::RmsNorm { x, weight, y, epsilon } => {
                Op::RmsNorm { x: f(x, Read)?, weight: f(weight, Read)?, y: f(y, Write)?, epsilon: *epsilon }
            }
            Self::AddRmsNorm { x, delta, weight, sum, y, epsilon } => Op::AddRmsNorm {
                x: f(x, Read)?,
                delta: f(delta, Read)?,
                weight: f(weight, Read)?,
                sum: f(sum, Write)?,
                y: f(y, Write)?,
                epsilon: *epsilon,
            },
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
            Self::Store { x, slots, cache } => {
                Op::Store { x: f(x, Read)?, slots: f(slots, Read)?, cache: cache.try_map(Patch, f)? }
            }
            Self::Attention { of, partial } => Op::Attention {
                of: Box::new(of.try_map(f)?),
                partial: partial.as_ref().map(|partial| f(partial, Write)).transpose()?,
            },
            Self::Convolve(of) => Op::Convolve(Box::new(of.try_map(f)?)),
            Self::GatedDelta(of) => Op::GatedDelta(Box::new(of.try_map(f)?)),
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
