//! Where keys and values lie: two slabs a layer that has its own, each with a row for every position that there is memory
//! for.

use exo_gpu::{Cache, DType, Device, Tensor};

use super::CacheType;
use crate::{
    Result,
    config::{Attention, Layer},
};

/// The slabs of all layers that are run here.
#[derive(Debug)]
pub(super) struct Slabs {
    layers: Vec<Option<Slab>>,
}

/// One layer's.
#[derive(Debug)]
pub(super) struct Slab {
    pub(super) keys: Cache<Tensor>,
    pub(super) values: Cache<Tensor>,
}

impl Slabs {
    pub(super) fn new(device: &Device, layers: &[Layer], rows: u32, kind: CacheType) -> Result<Self> {
        let slab = |attention: &Attention| -> Result<Cache<Tensor>> {
            let (heads, head) = (attention.kv_heads, attention.head);
            let dense =
                |dtype| -> Result<_> { Ok(Cache::Dense(device.tensor(dtype, &[rows, heads, head])?)) };
            match kind {
                CacheType::F32 => dense(DType::F32),
                CacheType::F16 => dense(DType::F16),
                CacheType::Q8 => Ok(Cache::Bytes {
                    words: device.tensor(DType::U32, &[rows, heads, head / 4])?,
                    scales: device.tensor(DType::F32, &[rows, heads])?,
                }),
            }
        };
        let layers = layers.iter().map(|layer| {
            let slab = |attention| Ok(Slab { keys: slab(attention)?, values: slab(attention)? });
            with_own_keys(layer).map(slab).transpose()
        });
        Ok(Self { layers: layers.collect::<Result<_>>()? })
    }

    /// What they take.
    pub(super) fn bytes(layers: &[Layer], rows: u32, kind: CacheType) -> u64 {
        let row = |attention: &Attention| {
            let (heads, head) = (u64::from(attention.kv_heads), u64::from(attention.head));
            match kind {
                CacheType::F32 => heads * head * 4,
                CacheType::F16 => heads * head * 2,
                CacheType::Q8 => heads * (head + 4),
            }
        };
        layers.iter().filter_map(with_own_keys).map(|own| 2 * row(own)).sum::<u64>() * u64::from(rows)
    }

    /// Every tensor, with its rows of positions.
    pub(super) fn tensors(&mut self) -> impl Iterator<Item = &mut Tensor> {
        let slabs = self.layers.iter_mut().flatten().flat_map(|slab| [&mut slab.keys, &mut slab.values]);
        slabs
            .flat_map(|cache| match cache {
                Cache::Dense(rows) => [Some(rows), None],
                Cache::Bytes { words, scales } => [Some(words), Some(scales)],
            })
            .flatten()
    }

    /// Those of a layer that has its own.
    pub(super) fn layer(&self, i: usize) -> Option<&Slab> {
        self.layers.get(i)?.as_ref()
    }
}

/// Attention with keys and values of its own.
fn with_own_keys(layer: &Layer) -> Option<&Attention> {
    layer.attention().filter(|attention| attention.reads_keys_of.is_none())
}
