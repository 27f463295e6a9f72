//! Operands on the host, as numbers: what a test writes down, uploads and compares.

use half::{bf16, f16};

use crate::{DType, Shape};

/// A tensor's contents in f64, each element exactly a number of `dtype`.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    pub(super) values: Vec<f64>,
    /// Which operand of the same operation this one *is*, in the order of the operands.
    pub(super) same_as: Option<usize>,
    /// How many bytes after a multiple of 16 the tensor starts; anywhere otherwise.
    pub(super) after: Option<u32>,
}

impl Array {
    /// Rounds `values` to `dtype`.
    pub(super) fn new(dtype: DType, dims: &[u32], values: Vec<f64>) -> Self {
        let shape = Shape::new(dims).unwrap();
        assert_eq!(shape.elements(), values.len() as u64);
        let mut array = Self { dtype, shape, values, same_as: None, after: None };
        array.values = array.decode(&array.encode());
        array
    }

    /// A result whose first contents do not matter.
    pub(super) fn result(dtype: DType, dims: &[u32]) -> Self {
        let elements = dims.iter().product::<u32>() as usize;
        Self::new(dtype, dims, vec![77.0; elements])
    }

    /// A result that is operand `i` itself.
    pub(super) fn in_place(self, i: usize) -> Self {
        Self { same_as: Some(i), ..self }
    }

    /// The same, `bytes` after a multiple of 16.
    pub(super) fn placed_after(self, bytes: u32) -> Self {
        Self { after: Some(bytes), ..self }
    }

    pub(super) fn columns(&self) -> usize {
        self.shape.columns() as usize
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns())
    }

    /// The bytes as the device holds them.
    pub(super) fn encode(&self) -> Vec<u8> {
        let each = |value: &f64| match self.dtype {
            DType::F32 => (*value as f32).to_le_bytes().to_vec(),
            DType::U32 => (*value as u32).to_le_bytes().to_vec(),
            DType::F16 => f16::from_f32(*value as f32).to_le_bytes().to_vec(),
            DType::Bf16 => bf16::from_f32(*value as f32).to_le_bytes().to_vec(),
        };
        self.values.iter().flat_map(each).collect()
    }

    /// The numbers behind bytes of this array's type.
    pub(super) fn decode(&self, bytes: &[u8]) -> Vec<f64> {
        let each = |bytes: &[u8]| match (self.dtype, bytes) {
            (DType::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (DType::U32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (DType::F16, &[a, b]) => f16::from_le_bytes([a, b]).to_f64(),
            (DType::Bf16, &[a, b]) => bf16::from_le_bytes([a, b]).to_f64(),
            _ => unreachable!("chunks have the type's size"),
        };
        bytes.chunks_exact(self.dtype.bytes() as usize).map(each).collect()
    }
}
