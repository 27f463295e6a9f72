//! A slice of every layer: some heads and some columns, for ranks that compute each layer together.

use super::{Architecture, Attention, Layer, Mixer};
use crate::{Error, Result};

/// Slice `rank` of `of`: heads and columns in equal parts, in order.
///
/// What a slice gives after attention and after the MLP is a part of a sum. Whoever runs it adds the parts of all
/// ranks and gives the sum back: [`TokenRun::logits_of_slice`](crate::TokenRun::logits_of_slice).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Which, from 0.
    pub rank: u32,
    /// Of how many.
    pub of: u32,
}

impl Slice {
    /// What this slice has of `total`.
    pub(crate) fn range(self, total: u32) -> std::ops::Range<u32> {
        let each = total / self.of;
        self.rank * each..(self.rank + 1) * each
    }

    fn share(self, what: &str, total: u32) -> Result<u32> {
        if total.is_multiple_of(self.of) {
            return Ok(total / self.of);
        }
        Err(Error::InvalidRequest {
            what: "LoadOptions::slice",
            asked: format!("{} slices of {total} {what}", self.of),
            allowed: format!("a number of slices that divides the {total} {what}"),
        })
    }
}

impl Architecture {
    /// The same with the heads and columns of a slice. Refuses what cannot be cut.
    pub(crate) fn sliced(&self, slice: Slice) -> Result<Self> {
        if slice.of == 0 || slice.rank >= slice.of {
            return Err(Error::InvalidRequest {
                what: "LoadOptions::slice",
                asked: format!("slice {} of {}", slice.rank, slice.of),
                allowed: "a rank below the number of slices".into(),
            });
        }
        let layers = self.layers.iter().map(|layer| {
            // A gate, a state, shared keys and a norm behind the sum would each need a rule of their own.
            let plain = layer.attention().filter(|a| !a.has_gate && a.reads_keys_of.is_none());
            let Some(attention) = plain.filter(|_| !layer.has_norms_behind) else {
                return Err(Error::Unsupported {
                    what: format!("a slice of a model of type {:?}", self.family),
                    supported: "slices of llama, mistral, qwen2 and qwen3".into(),
                });
            };
            let attention = Attention {
                heads: slice.share("heads", attention.heads)?,
                kv_heads: slice.share("heads of keys", attention.kv_heads)?,
                ..attention.clone()
            };
            let mlp = slice.share("columns of the MLP", layer.mlp)?;
            Ok(Layer { mixer: Mixer::Attention(attention), mlp, ..layer.clone() })
        });
        Ok(Self { layers: layers.collect::<Result<_>>()?, ..self.clone() })
    }
}
