//! What layers with a state must look like.

use super::{elements, is, shape_error};
use crate::{Convolution, DType, GatedDelta, Result, Tensor, recurrence::DeltaDims};

/// Elements of the largest key that kernels have room for.
const LARGEST_KEY: u32 = 256;

/// Taps of the longest convolution.
const MOST_TAPS: u32 = 8;

pub(super) fn convolution_types(call: &'static str, of: &Convolution<Tensor>) -> Result<()> {
    [("x", &of.x), ("weight", &of.weight), ("state", &of.state), ("y", &of.y)]
        .iter()
        .try_for_each(|(name, t)| is(call, name, t, DType::F32))?;
    is(call, "runs", &of.runs, DType::U32)
}

pub(super) fn delta_types(call: &'static str, of: &GatedDelta<Tensor>) -> Result<()> {
    let floats = [
        ("qkv", &of.qkv),
        ("decay", &of.decay),
        ("strength", &of.strength),
        ("constants", &of.constants),
        ("state", &of.state),
        ("y", &of.y),
    ];
    floats.iter().try_for_each(|(name, t)| is(call, name, t, DType::F32))?;
    is(call, "runs", &of.runs, DType::U32)
}

pub(super) fn convolution_shapes(call: &'static str, of: &Convolution<Tensor>) -> Result<()> {
    let shape = of.weight.shape();
    let (taps, channels) = match shape.dims() {
        &[taps, channels] if (2..=MOST_TAPS).contains(&taps) => (taps, channels),
        _ => {
            let allowed = format!("[taps, channels], with 2 to {MOST_TAPS} taps");
            return Err(shape_error(call, "weight", shape, allowed));
        }
    };
    if of.x.shape().columns() != channels {
        return Err(shape_error(call, "x", of.x.shape(), format!("rows of {channels}, as the weight's")));
    }
    if !matches!(of.state.shape().dims(), &[_, kept, width] if kept == taps - 1 && width == channels) {
        let allowed = format!("[states, {}, {channels}], as the weight", taps - 1);
        return Err(shape_error(call, "state", of.state.shape(), allowed));
    }
    runs(call, &of.runs)?;
    elements(call, "y", &of.y, of.x.shape().elements())
}

pub(super) fn delta_shapes(call: &'static str, of: &GatedDelta<Tensor>) -> Result<()> {
    let state = of.state.shape();
    let dims = DeltaDims::of(state.dims(), of.qkv.shape().columns());
    let Some(DeltaDims { heads, value, key, .. }) = dims else {
        let allowed = "[states, heads, value, key], and rows of qkv of 2 * key heads * key + heads * value";
        return Err(shape_error(call, "state", state, allowed.into()));
    };
    if key > LARGEST_KEY || !key.is_multiple_of(4) {
        let allowed = format!("keys of a multiple of 4 and at most {LARGEST_KEY} elements");
        return Err(shape_error(call, "state", state, allowed));
    }
    let tokens = of.qkv.shape().rows();
    elements(call, "decay", &of.decay, tokens * u64::from(heads))?;
    elements(call, "strength", &of.strength, tokens * u64::from(heads))?;
    elements(call, "constants", &of.constants, 2 * u64::from(heads))?;
    runs(call, &of.runs)?;
    elements(call, "y", &of.y, tokens * u64::from(heads) * u64::from(value))
}

fn runs(call: &'static str, runs: &Tensor) -> Result<()> {
    match runs.shape().dims() {
        &[_, 4] => Ok(()),
        _ => Err(shape_error(call, "runs", runs.shape(), "[runs, 4]".into())),
    }
}
