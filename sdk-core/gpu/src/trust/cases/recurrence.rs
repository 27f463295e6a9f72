//! Layers with a state: sequences that begin, go on in place and elsewhere, one that is skipped, and rows of none.

use super::{Make, zeros};
use crate::{Convolution, DType, GatedDelta, Result, Shape, op::Op, trust::value::Value};

const NOWHERE: u32 = u32::MAX;

pub(super) fn add(make: &mut Make, cases: &mut Vec<Op<Value>>) -> Result<()> {
    // Of 9 tokens the last is of no run. A run without tokens copies its state.
    let runs = || -> Result<Value> {
        let words = [[NOWHERE, 3, 0, 4], [1, 1, 4, 1], [2, 0, 5, 2], [2, 9, 7, 1], [4, 5, 0, 0]].concat();
        Ok(Value::words(Shape::new(&[5, 4])?, &words))
    };
    for (taps, channels) in [(4, 67), (2, 256), (8, 131)] {
        cases.push(Op::Convolve(Box::new(Convolution {
            x: make.f32(&[9, channels])?,
            weight: make.f32(&[taps, channels])?,
            state: make.f32(&[6, taps - 1, channels])?,
            runs: runs()?,
            y: zeros(DType::F32, &[9, channels])?,
        })));
    }
    for [heads, key_heads, key, value] in [[2, 2, 128, 128], [6, 2, 20, 19], [2, 1, 256, 24]] {
        cases.push(Op::GatedDelta(Box::new(GatedDelta {
            qkv: make.f32(&[9, 2 * key_heads * key + heads * value])?,
            decay: make.f32(&[9, heads])?,
            strength: make.f32(&[9, heads])?,
            constants: make.positive(&[2, heads])?,
            state: make.f32(&[6, heads, value, key])?,
            runs: runs()?,
            epsilon: 1e-6,
            y: zeros(DType::F32, &[9, heads, value])?,
        })));
    }
    Ok(())
}

impl Make {
    /// Between 0 and 2: a state must not grow.
    fn positive(&mut self, dims: &[u32]) -> Result<Value> {
        let shape = Shape::new(dims)?;
        let floats: Vec<f32> = (0..shape.elements()).map(|_| 1.0 + self.float()).collect();
        Ok(Value::floats(DType::F32, shape, &floats))
    }
}
