//! Tensors over vectors, and runs at every level.

use half::{bf16, f16};

use crate::{
    DType, Shape,
    cpu::{pipeline::run_at, simd::Level},
    op::{HostTensor, Op},
};

/// Elements of a tensor in a test.
#[derive(Clone, Debug)]
pub(super) enum Data {
    F32(Vec<f32>),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    U32(Vec<u32>),
}

impl Data {
    pub(super) fn zeros(n: usize) -> Self {
        Self::F32(vec![0.0; n])
    }

    pub(super) fn of(dtype: DType, values: &[f32]) -> Self {
        match dtype {
            DType::F32 => Self::F32(values.to_vec()),
            DType::F16 => Self::F16(values.iter().map(|&x| f16::from_f32(x)).collect()),
            DType::Bf16 => Self::Bf16(values.iter().map(|&x| bf16::from_f32(x)).collect()),
            DType::U32 => Self::U32(values.iter().map(|&x| x as u32).collect()),
        }
    }

    pub(super) fn tensor(&mut self, dims: &[usize]) -> HostTensor {
        let dims: Vec<u32> = dims.iter().map(|&d| d as u32).collect();
        let shape = Shape::new(&dims).unwrap();
        let (data, dtype, len) = match self {
            Self::F32(v) => (v.as_mut_ptr().cast(), DType::F32, v.len()),
            Self::F16(v) => (v.as_mut_ptr().cast(), DType::F16, v.len()),
            Self::Bf16(v) => (v.as_mut_ptr().cast(), DType::Bf16, v.len()),
            Self::U32(v) => (v.as_mut_ptr().cast(), DType::U32, v.len()),
        };
        assert_eq!(shape.elements(), len as u64);
        HostTensor { data, dtype, shape }
    }

    /// The values, widened exactly.
    pub(super) fn values(&self) -> Vec<f32> {
        match self {
            Self::F32(v) => v.clone(),
            Self::F16(v) => v.iter().map(|x| x.to_f32()).collect(),
            Self::Bf16(v) => v.iter().map(|x| x.to_f32()).collect(),
            Self::U32(v) => v.iter().map(|&x| x as f32).collect(),
        }
    }

    pub(super) fn exact(&self) -> Vec<f64> {
        self.values().into_iter().map(f64::from).collect()
    }
}

pub(super) fn run(level: Level, op: &Op<HostTensor>) {
    // SAFETY: the tests lay tensors over vectors that outlive the call, in types and shapes that the front admits,
    // and levels come from `Level::all`.
    unsafe { run_at(level, op) }.unwrap();
}

/// Computes at every level into a fresh output, and returns the results with their levels.
pub(super) fn at_every_level(n: usize, mut compute: impl FnMut(Level, &mut Data)) -> Vec<(Level, Vec<f32>)> {
    let at = |level| {
        let mut y = Data::F32(vec![f32::NAN; n]);
        compute(level, &mut y);
        (level, y.values())
    };
    Level::all().into_iter().map(at).collect()
}

/// Levels of the kernels that are plain Rust differ in nothing, not even in the last bit.
pub(super) fn assert_same_bits(results: &[(Level, Vec<f32>)]) {
    for pair in results.windows(2) {
        for (i, (a, b)) in pair[0].1.iter().zip(&pair[1].1).enumerate() {
            let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(same, "element {i}: {a} at {:?}, {b} at {:?}", pair[0].0, pair[1].0);
        }
    }
}
