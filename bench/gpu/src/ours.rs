//! Ourselves, through the public API only.

use anyhow::{Context, Result, ensure};
use exo_gpu::{BackendKind, Bits, DType, Device, Gpu, Group, OpenOptions, Quantised, Tensor, Weight};

use crate::data;

/// Our version; the commit is in the report.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Opens a device of `backend` that keeps nothing on disk.
pub fn open(backend: BackendKind) -> Result<Device> {
    let gpu = Gpu::open(OpenOptions::new().backend(backend).remember_nothing())?;
    let found = gpu.device().description().backend;
    ensure!(found == backend, "asked for {backend}, got {found}");
    Ok(gpu.device().clone())
}

/// A tensor that holds `values`.
pub fn tensor<T: bytemuck::NoUninit>(
    device: &Device,
    dtype: DType,
    dims: &[usize],
    values: &[T],
) -> Result<Tensor> {
    let dims = dims.iter().map(|&dim| u32::try_from(dim)).collect::<Result<Vec<_>, _>>()?;
    let tensor = device.tensor(dtype, &dims)?;
    tensor.buffer().write(tensor.offset(), bytemuck::cast_slice(values))?;
    Ok(tensor)
}

/// The values of an f32 tensor.
pub fn values(tensor: &Tensor) -> Result<Vec<f32>> {
    let count = usize::try_from(tensor.shape().elements()).context("too large for this machine")?;
    let mut values = vec![0f32; count];
    tensor.buffer().read(tensor.offset(), bytemuck::cast_slice_mut(&mut values))?;
    Ok(values)
}

/// Weights of `rows` by `columns` in 4 bits, on the device.
pub fn quantised(
    device: &Device,
    rows: usize,
    columns: usize,
    q: &data::Quantised,
) -> Result<Weight<Tensor>> {
    let groups = [rows, columns / data::GROUP];
    Ok(Weight::Quantised(Quantised {
        words: tensor(device, DType::U32, &[rows, columns / 8], &q.words)?,
        scales: tensor(device, DType::F16, &groups, &q.scales)?,
        biases: tensor(device, DType::F16, &groups, &q.biases)?,
        bits: Bits::B4,
        group: Group::G64,
    }))
}
