//! Rotary positions: split by tokens.

use super::{
    Dispatch, Profile,
    bind::{bind, chunks},
    variants,
};
use crate::{Result, RopePairs, Tensor};

/// Turns the heads of each token by the token's angles.
pub(super) fn rope(
    [x, angles, y]: [&Tensor; 3],
    pairs: RopePairs,
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let kernel = variants::rope(pairs);
    let tokens = u64::from(angles.shape().dims()[0]);
    let per_token = x.shape().elements() / tokens;
    let angles_per_token = angles.shape().elements() / tokens;
    let head = u64::from(x.shape().columns());
    let heads = per_token / head;
    let pairs = angles_per_token / 2;
    let most = profile.capacity_of("rope: a token", per_token.max(angles_per_token) * 4)?;
    let parts = chunks(tokens, most).map(|r| {
        let of = |per_token: u64| r.start * per_token..r.end * per_token;
        let (x, y) = (bind(x, of(per_token), profile), bind(y, of(per_token), profile));
        let angles = bind(angles, of(angles_per_token), profile);
        let items = (r.end - r.start) * heads * (head - pairs);
        let shape = [items as u32, heads as u32, head as u32, pairs as u32];
        let params = [&shape[..], &[x.words, angles.words, y.words]].concat();
        Dispatch::new(kernel, [x, angles, y], params, profile.strided(items, kernel.workgroup[0]))
    });
    Ok(parts.collect())
}
