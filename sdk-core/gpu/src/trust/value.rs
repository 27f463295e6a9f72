//! Operands that carry their own bytes: the material of self-tests.

use half::{bf16, f16};

use crate::{
    DType, Device, Result, Shape, Tensor,
    op::{HostTensor, Op},
};

/// A tensor in host memory with its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) dtype: DType,
    pub(crate) shape: Shape,
    /// Little-endian elements.
    bytes: Vec<u8>,
}

impl Value {
    pub(crate) fn words(shape: Shape, words: &[u32]) -> Self {
        Self { dtype: DType::U32, shape, bytes: words.iter().flat_map(|w| w.to_le_bytes()).collect() }
    }

    pub(crate) fn floats(dtype: DType, shape: Shape, floats: &[f32]) -> Self {
        let bytes = match dtype {
            DType::F16 => floats.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect(),
            DType::Bf16 => floats.iter().flat_map(|&v| bf16::from_f32(v).to_le_bytes()).collect(),
            DType::F32 | DType::U32 => floats.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        Self { dtype, shape, bytes }
    }

    pub(crate) fn zeros(dtype: DType, shape: Shape) -> Self {
        Self { dtype, shape, bytes: vec![0; (shape.elements() * dtype.bytes()) as usize] }
    }

    /// Element `i` as a word; for [`DType::U32`].
    pub(crate) fn word(&self, i: usize) -> u32 {
        self.bytes.chunks_exact(4).nth(i).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// Element `i`, exactly.
    pub(crate) fn number(&self, i: usize) -> f64 {
        let half = |i: usize| self.bytes.chunks_exact(2).nth(i).map_or([0; 2], |b| [b[0], b[1]]);
        match self.dtype {
            DType::F32 => f64::from(f32::from_bits(self.word(i))),
            DType::F16 => f16::from_le_bytes(half(i)).to_f64(),
            DType::Bf16 => bf16::from_le_bytes(half(i)).to_f64(),
            DType::U32 => f64::from(self.word(i)),
        }
    }

    pub(crate) fn numbers(&self) -> Vec<f64> {
        (0..self.shape.elements() as usize).map(|i| self.number(i)).collect()
    }

    /// The value on a device, in a buffer of its own.
    fn upload(&self, device: &Device) -> Result<Tensor> {
        let tensor = device.tensor(self.dtype, self.shape.dims())?;
        tensor.buffer().write(0, &self.bytes)?;
        Ok(tensor)
    }

    fn download(&mut self, tensor: &Tensor) -> Result<()> {
        tensor.buffer().read(tensor.offset(), &mut self.bytes)
    }
}

impl Op<Value> {
    /// The same operation on a device, with room for the operands but nothing in it.
    pub(crate) fn placed(&self, device: &Device) -> Result<Op<Tensor>> {
        self.try_map(&mut |value, _| device.tensor(value.dtype, value.shape.dims()))
    }

    /// The same operation on a device, ready to run.
    pub(crate) fn upload(&self, device: &Device) -> Result<Op<Tensor>> {
        self.try_map(&mut |value, _| value.upload(device))
    }

    /// The outputs, as the device computed them.
    pub(crate) fn download(&self, on_device: &Op<Tensor>) -> Result<Vec<Value>> {
        let each = |(output, tensor): (&Value, &Tensor)| {
            let mut output = output.clone();
            output.download(tensor)?;
            Ok(output)
        };
        self.outputs().into_iter().zip(on_device.outputs()).map(each).collect()
    }
}

/// A place in host memory for one operand, aligned for any element and padded to whole words.
pub(crate) struct Scratch {
    words: Vec<u64>,
}

impl Scratch {
    pub(crate) fn new(bytes: u64) -> Self {
        Self { words: vec![0; bytes.div_ceil(8) as usize + 2] }
    }

    pub(crate) fn bytes(&mut self, len: u64) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..len as usize]
    }

    pub(crate) fn tensor(&mut self, dtype: DType, shape: Shape) -> HostTensor {
        HostTensor { data: self.words.as_mut_ptr().cast(), dtype, shape }
    }
}
