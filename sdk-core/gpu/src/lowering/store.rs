//! Rows that go into a cache: split by tokens. The cache itself is bound whole, since slots may be anywhere in it.

use super::{
    Dispatch, Profile,
    bind::{bind, bind_whole, chunks},
    variants,
};
use crate::{Cache, Result, Tensor};

/// Row `i` of `x` becomes row `slots[i]` of the cache.
pub(super) fn store(
    [x, slots]: [&Tensor; 2],
    cache: &Cache<Tensor>,
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let tokens = slots.shape().elements();
    let per_token = x.shape().elements() / tokens;
    let most = profile.capacity_of("store: a token", per_token * 4)?;
    match cache {
        Cache::Dense(cache) => {
            let kernel = variants::store(cache.dtype())?;
            let to = bind_whole(cache, "store: a cache", profile)?;
            let words = per_token * cache.dtype().bytes() / 4;
            let rows = cache.shape().elements() / per_token;
            let parts = chunks(tokens, most).map(|r| {
                let x = bind(x, r.start * per_token..r.end * per_token, profile);
                let slots = bind(slots, r.clone(), profile);
                let n = (r.end - r.start) * words;
                let params = vec![n as u32, words as u32, rows as u32, x.words, slots.words, to.words];
                let grid = profile.strided(n, kernel.workgroup[0]);
                Dispatch::new(kernel, [x, slots, to.clone()], params, grid)
            });
            Ok(parts.collect())
        }
        Cache::Bytes { words, scales } => {
            let kernel = variants::row_kernels(profile).store_bytes;
            let heads = u64::from(scales.shape().columns());
            let (rows, quads) = (scales.shape().rows() as u32, words.shape().columns());
            let [words, scales] = [
                bind_whole(words, "store: a cache", profile)?,
                bind_whole(scales, "store: scales", profile)?,
            ];
            let most = most.min((profile.most_folded() / heads).max(1));
            chunks(tokens, most)
                .map(|r| {
                    let x = bind(x, r.start * per_token..r.end * per_token, profile);
                    let slots = bind(slots, r.clone(), profile);
                    let items = (r.end - r.start) * heads;
                    let shape = [items as u32, heads as u32, quads, rows];
                    let params = [&shape[..], &[x.words, slots.words, words.words, scales.words]].concat();
                    let grid = profile.folded(items)?;
                    Ok(Dispatch::new(kernel, [x, slots, words.clone(), scales.clone()], params, grid))
                })
                .collect()
        }
    }
}
