//! Tensors: a shape and an element type laid over a range of a [`Buffer`].
//!
//! A tensor is contiguous, row-major, and starts at a multiple of four bytes. It is a view: cloning it is
//! cheap, and it keeps its buffer alive. Nothing here touches the device.

use serde::{Deserialize, Serialize};

use crate::{Buffer, Error, Result};

/// Element types. Arithmetic is done in f32 whatever the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DType {
    /// 32-bit float.
    F32,
    /// IEEE half.
    F16,
    /// The upper half of an f32.
    Bf16,
    /// 32-bit unsigned integer: indices and packed words.
    U32,
}

impl DType {
    /// Size of one element in bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 | Self::U32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

/// The most dimensions that a tensor has.
pub const MAX_RANK: usize = 4;

/// Up to four dimensions, outermost first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: [u32; MAX_RANK],
    rank: u8,
}

impl Shape {
    /// A shape from its dimensions, each at least 1.
    pub fn new(dims: &[u32]) -> Result<Self> {
        if dims.is_empty() || dims.len() > MAX_RANK || dims.contains(&0) {
            return Err(Error::InvalidArgument {
                what: "Shape::new",
                asked: format!("{dims:?}"),
                allowed: "one to four dimensions, each at least 1".into(),
                help: "skip the work when there is nothing to compute",
            });
        }
        let mut all = [1; MAX_RANK];
        all[..dims.len()].copy_from_slice(dims);
        Ok(Self { dims: all, rank: dims.len() as u8 })
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &[u32] {
        &self.dims[..self.rank as usize]
    }

    /// How many elements.
    pub fn elements(&self) -> u64 {
        self.dims().iter().map(|&d| u64::from(d)).fold(1, u64::saturating_mul)
    }

    /// The innermost dimension: what row-wise kernels call a row's length.
    pub fn columns(&self) -> u32 {
        self.dims[self.rank as usize - 1]
    }

    /// How many rows of [`columns`](Self::columns).
    pub fn rows(&self) -> u64 {
        self.elements() / u64::from(self.columns())
    }
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.dims())
    }
}

/// A shape and an element type laid over a range of a buffer.
#[derive(Clone, Debug)]
pub struct Tensor {
    buffer: Buffer,
    offset: u64,
    dtype: DType,
    shape: Shape,
}

impl Tensor {
    /// Lays a tensor over `buffer`, from byte `offset`.
    pub fn new(buffer: &Buffer, offset: u64, dtype: DType, dims: &[u32]) -> Result<Self> {
        let shape = Shape::new(dims)?;
        if !offset.is_multiple_of(4) {
            return Err(Error::InvalidArgument {
                what: "Tensor::new",
                asked: format!("offset {offset}"),
                allowed: "a multiple of 4 bytes".into(),
                help: "place the tensor at an aligned offset when filling the buffer",
            });
        }
        let bytes = shape.elements().saturating_mul(dtype.bytes());
        let end = offset.saturating_add(bytes);
        if end > buffer.size() {
            return Err(Error::OutOfBounds { what: "Tensor::new", start: offset, end, size: buffer.size() });
        }
        Ok(Self { buffer: buffer.clone(), offset, dtype, shape })
    }

    /// The buffer that holds the elements.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Where the first element lies in the buffer, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many bytes the elements take.
    pub fn bytes(&self) -> u64 {
        self.shape.elements() * self.dtype.bytes()
    }

    /// The bytes of the buffer that the elements take.
    pub fn range(&self) -> std::ops::Range<u64> {
        self.offset..self.offset + self.bytes()
    }

    /// The same elements under another shape.
    pub fn reshaped(&self, dims: &[u32]) -> Result<Self> {
        let shape = Shape::new(dims)?;
        if shape.elements() != self.shape.elements() {
            return Err(Error::InvalidArgument {
                what: "Tensor::reshaped",
                asked: format!("{shape:?}"),
                allowed: format!("any shape of {} elements", self.shape.elements()),
                help: "a view keeps the number of elements",
            });
        }
        Ok(Self { shape, ..self.clone() })
    }
}
