//! Tensors that lose and gain rows.
//!
//! A kernel reads one tensor a layer, so memory comes back by making tensors shorter, not by leaving holes in them. Each
//! is replaced by itself: at most one of them is there twice, or on the host where the device has no room for both. Where
//! a new one cannot be had the old one stays.

use exo_gpu::{Device, ErrorKind, Tensor};

use crate::{Error, Result, cache::Move};

/// Moves runs of `unit` rows to other places of the same tensors. Nothing that is moved to is moved from, so what was
/// there is still there until somebody says otherwise.
pub(super) fn move_rows<'a>(
    device: &Device,
    tensors: impl Iterator<Item = &'a mut Tensor>,
    unit: u32,
    moves: &[Move],
) -> Result<()> {
    let mut batch = device.batch();
    for tensor in tensors {
        let bytes = row_bytes(tensor) * u64::from(unit);
        for Move { from, to } in moves {
            let [from, to] = [from, to].map(|place| u64::from(*place) * bytes);
            batch.copy_bytes(tensor.buffer(), from..from + bytes, tensor.buffer(), to)?;
        }
    }
    if !batch.is_empty() {
        batch.submit()?.wait()?;
    }
    Ok(())
}

/// Why a tensor does not have the rows that it should have.
#[derive(Debug)]
pub(super) enum Refused {
    /// It is as it was.
    Unchanged(Error),
    /// What it held is gone.
    Lost(Error),
}

/// Gives each tensor this many rows, of which the first `kept` keep what they hold. The first refusal is told: at once, or
/// in the end where it `goes_on`. Whoever was reached by then is changed, and all others are as they were.
pub(super) fn resize<'a>(
    device: &Device,
    tensors: impl Iterator<Item = &'a mut Tensor>,
    rows: u32,
    kept: u32,
    goes_on: bool,
) -> Result<(), Refused> {
    let mut result = Ok(());
    for tensor in tensors.filter(|tensor| row_count(tensor) != rows) {
        match resize_one(device, tensor, rows, kept) {
            Err(Refused::Unchanged(error)) if goes_on => result = result.and(Err(Refused::Unchanged(error))),
            other => other?,
        }
    }
    result
}

fn resize_one(device: &Device, tensor: &mut Tensor, rows: u32, kept: u32) -> Result<(), Refused> {
    let bytes = row_bytes(tensor) * u64::from(kept);
    match with_rows(device, tensor, rows) {
        Ok(other) => {
            if bytes > 0 {
                let copied = tensor.buffer().copy_to(0..bytes, other.buffer(), 0);
                copied.map_err(|error| Refused::Unchanged(error.into()))?;
            }
            *tensor = other;
            Ok(())
        }
        Err(Error::Gpu(error)) if error.kind() == ErrorKind::OutOfMemory => {
            resize_through_host(device, tensor, rows, bytes)
        }
        Err(error) => Err(Refused::Unchanged(error)),
    }
}

/// The same where both do not fit beside each other: what is kept waits on the host.
fn resize_through_host(device: &Device, tensor: &mut Tensor, rows: u32, bytes: u64) -> Result<(), Refused> {
    let unchanged = |error: exo_gpu::Error| Refused::Unchanged(error.into());
    let mut content = Vec::new();
    if content.try_reserve_exact(bytes as usize).is_err() {
        let help = "end other programs, or unload the model".into();
        return Err(Refused::Unchanged(Error::OutOfMemory { needed: bytes, available: 0, help }));
    }
    content.resize(bytes as usize, 0);
    if bytes > 0 {
        tensor.buffer().read(0, &mut content).map_err(unchanged)?;
    }
    let old = row_count(tensor);
    tensor.buffer().free().map_err(unchanged)?;
    let (other, result) = match with_rows(device, tensor, rows) {
        Ok(other) => (other, Ok(())),
        // It was there a moment ago.
        Err(error) => {
            (with_rows(device, tensor, old).map_err(Refused::Lost)?, Err(Refused::Unchanged(error)))
        }
    };
    if bytes > 0 {
        other.buffer().write(0, &content).map_err(|error| Refused::Lost(error.into()))?;
    }
    *tensor = other;
    result
}

fn with_rows(device: &Device, tensor: &Tensor, rows: u32) -> Result<Tensor> {
    let mut dims = tensor.shape().dims().to_vec();
    if let Some(count) = dims.first_mut() {
        *count = rows;
    }
    Ok(device.tensor(tensor.dtype(), &dims)?)
}

/// Rows of a tensor: the first of its dimensions.
pub(super) fn row_count(tensor: &Tensor) -> u32 {
    tensor.shape().dims().first().copied().unwrap_or(1)
}

fn row_bytes(tensor: &Tensor) -> u64 {
    tensor.bytes() / u64::from(row_count(tensor)).max(1)
}
