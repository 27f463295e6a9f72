//! Layers with a state: bound whole, since a run may have its tokens and its states anywhere.

use super::{Dispatch, Profile, bind::bind_whole, kernels, variants};
use crate::{Convolution, Error, GatedDelta, Result, Tensor, recurrence::DeltaDims};

/// Rows of a state that one workgroup of the gated delta rule takes.
const ROWS: u64 = 16;

/// `y = silu(Σ weight · x)` over each channel's last inputs.
pub(super) fn convolve(of: &Convolution<Tensor>, profile: &Profile) -> Result<Vec<Dispatch>> {
    let Convolution { x, weight, state, runs, y } = of;
    let (taps, channels) = (weight.shape().rows() as u32, weight.shape().columns());
    let (tokens, states) = (x.shape().rows() as u32, state.shape().dims()[0]);
    let items = runs.shape().rows() * u64::from(channels);
    let kernel = kernels::CONVOLVE;
    let whole = |tensor: &Tensor| bind_whole(tensor, "convolve: a tensor", profile);
    let [x, weight, runs, state, y] = [whole(x)?, whole(weight)?, whole(runs)?, whole(state)?, whole(y)?];
    let shape = [items as u32, taps, channels, tokens, states];
    let params = [&shape[..], &[x.words, weight.words, runs.words, state.words, y.words]].concat();
    // An item is a whole run: one for each thread.
    let grid = [
        items.div_ceil(kernel.workgroup[0].into()).min(profile.limits.max_workgroups[0].into()) as u32,
        1,
        1,
    ];
    Ok(vec![Dispatch::new(kernel, [x, weight, runs, state, y], params, grid)])
}

/// A state of each head fades, takes a token in, and is asked.
pub(super) fn gated_delta(of: &GatedDelta<Tensor>, profile: &Profile) -> Result<Vec<Dispatch>> {
    let GatedDelta { qkv, decay, strength, constants, state, runs, epsilon, y } = of;
    let Some(dims) = DeltaDims::of(state.shape().dims(), qkv.shape().columns()) else {
        return Err(Error::Unsupported {
            what: format!("a gated delta rule with states of shape {:?}", state.shape()),
            why: "they do not fit the rows of qkv".into(),
        });
    };
    let DeltaDims { states, heads, key_heads, key, value } = dims;
    let items = runs.shape().rows() * u64::from(heads) * u64::from(value).div_ceil(ROWS);
    let tokens = qkv.shape().rows() as u32;
    let whole = |tensor: &Tensor| bind_whole(tensor, "gated_delta: a tensor", profile);
    let bound = [
        whole(qkv)?,
        whole(decay)?,
        whole(strength)?,
        whole(constants)?,
        whole(runs)?,
        whole(state)?,
        whole(y)?,
    ];
    let shape = [items as u32, tokens, states, heads, key_heads, key, value, epsilon.to_bits()];
    let offsets = bound.each_ref().map(|bound| bound.words);
    let params = [&shape[..], &offsets].concat();
    Ok(vec![Dispatch::new(variants::gated_delta(key), bound, params, profile.folded(items)?)])
}
