//! Matrices and vectors on the device.

use exo_gpu::{Batch, Tensor, Weight};

use crate::Result;

/// A matrix and its bias.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) weight: Weight<Tensor>,
    /// f32, one for each row.
    pub(crate) bias: Option<Tensor>,
}

impl Matrix {
    /// Outputs.
    pub(crate) fn rows(&self) -> u32 {
        self.weight.dims().0 as u32
    }

    /// All that it is made of.
    fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        let weight = match &self.weight {
            Weight::Dense(weight) => vec![weight],
            Weight::Quantised(weight) => vec![&weight.words, &weight.scales, &weight.biases],
        };
        weight.into_iter().chain(&self.bias)
    }

    /// `y = x · weightᵀ + bias`.
    pub(crate) fn apply(&self, batch: &mut Batch, x: &Tensor, y: &Tensor) -> Result<()> {
        batch.matmul(x, &self.weight, y)?;
        if let Some(bias) = &self.bias {
            batch.add(y, bias, y)?;
        }
        Ok(())
    }
}

/// Matrices over the same input, such as queries, keys and values.
///
/// Where they are packed alike their rows lie one after the other, and a single token takes all of them in one
/// product: one pass over memory, and one wait instead of three.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) parts: Vec<Matrix>,
    whole: Option<Matrix>,
}

impl Stack {
    pub(crate) fn new(parts: Vec<Matrix>, whole: Option<Matrix>) -> Self {
        Self { parts, whole }
    }

    /// The only matrix of a stack of one.
    pub(crate) fn only(&self) -> &Matrix {
        &self.parts[0]
    }

    /// All that they are made of, each byte once: the whole is made of its parts.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.parts.iter().flat_map(Matrix::tensors)
    }

    /// Applies all of them. `y` holds their outputs one matrix after the other, each `[rows of x, outputs]`.
    pub(crate) fn apply(&self, batch: &mut Batch, x: &Tensor, y: &[Tensor]) -> Result<()> {
        if let (Some(whole), 1, Some(first)) = (&self.whole, x.shape().rows(), y.first()) {
            let all = Tensor::new(first.buffer(), first.offset(), first.dtype(), &[1, whole.rows()])?;
            return whole.apply(batch, x, &all);
        }
        self.parts.iter().zip(y).try_for_each(|(part, y)| part.apply(batch, x, y))
    }
}

/// A vector of f32, such as a norm's weight.
pub(crate) type Vector = Tensor;
