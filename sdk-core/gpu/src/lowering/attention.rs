//! Attention: split by tokens where q, y or a grid ask for it, and by stretches of the context where few queries would
//! leave a GPU idle. The caches are bound whole, since a table may lead anywhere in them.

use std::ops::Range;

use super::{
    Dispatch, Profile,
    bind::{Bound, bind, bind_whole, chunks},
    kernels, variants,
};
use crate::{Attention, Cache, DeviceKind, Error, Result, Tensor};

/// Workgroups that keep a GPU busy; a software device has few threads, and a workgroup for each is enough.
const BUSY: u64 = 128;
const BUSY_SOFTWARE: u64 = 8;

/// Positions that are worth a workgroup of their own.
const STRETCH: u64 = 256;

/// Stretches that one merge takes on.
const MOST_STRETCHES: u64 = 16;

/// Heads of `q` that share a head of the cache, heads of the cache, and elements of a head.
struct Heads {
    group: u64,
    kv: u64,
    head: u64,
}

impl Heads {
    fn of(attention: &Attention<Tensor>) -> Result<Self> {
        match (attention.q.shape().dims(), attention.keys.dims()) {
            (&[_, heads, head], Some([_, kv, _])) => {
                Ok(Self { group: (heads / kv).into(), kv: kv.into(), head: head.into() })
            }
            _ => Err(Error::Unsupported {
                what: format!("attention with q of shape {:?}", attention.q.shape()),
                why: "q and caches have three dimensions".into(),
            }),
        }
    }
}

/// How many stretches the context is cut into. What tokens see is known on the device only: it is as much as tables
/// and window allow, and stretches that turn out empty cost little.
pub(crate) fn stretches(attention: &Attention<Tensor>, profile: &Profile) -> Result<u32> {
    let heads = Heads::of(attention)?;
    let tokens = attention.rows.shape().rows();
    let tile = variants::attention(&attention.keys, tokens, heads.group, heads.head)?;
    let workgroups = (tokens * heads.group).div_ceil(tile.queries) * heads.kv;
    let context = attention
        .pages
        .shape()
        .elements()
        .saturating_mul(attention.page.into())
        .min(attention.reach().into());
    let busy = if profile.kind == DeviceKind::Software { BUSY_SOFTWARE } else { BUSY };
    Ok((context / STRETCH).min(busy / workgroups).clamp(1, MOST_STRETCHES) as u32)
}

/// `y = softmax(scale * q · k) · v`.
pub(super) fn attention(
    attention: &Attention<Tensor>,
    partial: Option<&Tensor>,
    profile: &Profile,
) -> Result<Vec<Dispatch>> {
    let heads = Heads::of(attention)?;
    let tokens = attention.rows.shape().rows();
    let stretches = partial.map_or(1, |partial| u64::from(partial.shape().dims()[2]));
    let work = Work { attention, partial, heads, stretches };
    let most = work.most_tokens(tokens, profile)?;
    let mut dispatches = Vec::new();
    for tokens in chunks(tokens, most) {
        dispatches.push(work.part(tokens, profile)?);
    }
    if let Some(partial) = partial {
        for tokens in chunks(tokens, most) {
            dispatches.push(work.merge(partial, tokens, profile));
        }
    }
    Ok(dispatches)
}

struct Work<'a> {
    attention: &'a Attention<Tensor>,
    partial: Option<&'a Tensor>,
    heads: Heads,
    stretches: u64,
}

impl Work<'_> {
    fn per_token(&self) -> u64 {
        self.heads.group * self.heads.kv * self.heads.head
    }

    fn partial_per_token(&self) -> u64 {
        self.heads.group * self.heads.kv * self.stretches * (self.heads.head + 2)
    }

    /// How many tokens bindings and grid take at once.
    fn most_tokens(&self, tokens: u64, profile: &Profile) -> Result<u64> {
        let widest = if self.partial.is_some() { self.partial_per_token() } else { self.per_token() };
        let most = profile.capacity_of("attention: a token", widest.max(self.per_token()) * 4)?;
        let tile = variants::attention(&self.attention.keys, tokens, self.heads.group, self.heads.head)?;
        let tiles = profile.most_folded() / (self.heads.kv * self.stretches);
        Ok(most.min((tiles * tile.queries / self.heads.group).max(1)))
    }

    fn part(&self, tokens: Range<u64>, profile: &Profile) -> Result<Dispatch> {
        let Attention { q, keys, values, pages, rows, page, scale, y, .. } = self.attention;
        let Heads { group, kv, head } = self.heads;
        // The whole operation's tile, so that all its parts use one kernel.
        let tile = variants::attention(keys, rows.shape().rows(), group, head)?;
        let queries = (tokens.end - tokens.start) * group;
        let tiles = queries.div_ceil(tile.queries);
        let of = |tensor: &Tensor, each: u64| bind(tensor, tokens.start * each..tokens.end * each, profile);
        let q = of(q, self.per_token());
        let y = match self.partial {
            Some(partial) => of(partial, self.partial_per_token()),
            None => of(y, self.per_token()),
        };
        let entries = pages.shape().elements() as u32;
        let (pages, rows) = (bind_whole(pages, "attention: the tables", profile)?, of(rows, 2));
        let cache_rows = keys.dims().map_or(0, |[rows, ..]| rows);
        let grid = profile.folded(tiles * kv * self.stretches)?;
        let shape = [queries, group, kv, head / 4, tiles, self.stretches].map(|n| n as u32);
        let table = [entries, cache_rows, *page, self.attention.reach(), scale.to_bits()];
        let whole = |tensor: &Tensor| bind_whole(tensor, "attention: a cache", profile);
        let offsets = |k: &Bound, v: &Bound, scales: [u32; 2]| {
            let offsets = [q.words, k.words, v.words, pages.words, rows.words, y.words];
            [&shape[..], &table, &offsets, &scales].concat()
        };
        match (keys, values) {
            (Cache::Dense(k), Cache::Dense(v)) => {
                let (k, v) = (whole(k)?, whole(v)?);
                let params = offsets(&k, &v, [0, 0]);
                Ok(Dispatch::new(tile.kernel, [q, k, v, pages, rows, y], params, grid))
            }
            (Cache::Bytes { words: k, scales: ks }, Cache::Bytes { words: v, scales: vs }) => {
                let (k, v, ks, vs) = (whole(k)?, whole(v)?, whole(ks)?, whole(vs)?);
                let params = offsets(&k, &v, [ks.words, vs.words]);
                Ok(Dispatch::new(tile.kernel, [q, k, v, pages, rows, y, ks, vs], params, grid))
            }
            _ => Err(Error::Unsupported {
                what: "attention over keys and values of different kinds".into(),
                why: "there is a kernel for each kind, and none for mixtures".into(),
            }),
        }
    }

    fn merge(&self, partial: &Tensor, tokens: Range<u64>, profile: &Profile) -> Dispatch {
        let kernel = kernels::ATTENTION_MERGE;
        let of = |tensor: &Tensor, each: u64| bind(tensor, tokens.start * each..tokens.end * each, profile);
        let (partial, y) = (of(partial, self.partial_per_token()), of(&self.attention.y, self.per_token()));
        let n = (tokens.end - tokens.start) * self.per_token();
        let shape = [n, self.heads.head, self.stretches].map(|n| n as u32);
        let params = [&shape[..], &[partial.words, y.words]].concat();
        Dispatch::new(kernel, [partial, y], params, profile.strided(n, kernel.workgroup[0]))
    }
}
