//! What attention and the caches under it must look like.

use super::{elements, is, shape_error, type_error};
use crate::{Attention, Cache, DType, Error, Result, Tensor};

/// Elements of the largest head that kernels have room for.
const LARGEST_HEAD: u32 = 512;

/// Positions that tables may lead to: kernels count them in 32 bits, with room for a block beyond.
const MOST_POSITIONS: u64 = 1 << 31;

pub(super) fn cache_types(call: &'static str, cache: &Cache<Tensor>) -> Result<()> {
    match cache {
        Cache::Dense(rows) if matches!(rows.dtype(), DType::F32 | DType::F16) => Ok(()),
        Cache::Dense(rows) => Err(type_error(call, "cache", rows, "F32 or F16".into())),
        Cache::Bytes { words, scales } => {
            is(call, "words", words, DType::U32)?;
            is(call, "scales", scales, DType::F32)
        }
    }
}

pub(super) fn types(call: &'static str, of: &Attention<Tensor>, partial: Option<&Tensor>) -> Result<()> {
    is(call, "q", &of.q, DType::F32)?;
    cache_types(call, &of.keys)?;
    cache_types(call, &of.values)?;
    match (&of.keys, &of.values) {
        (Cache::Dense(keys), Cache::Dense(values)) => is(call, "values", values, keys.dtype())?,
        (Cache::Bytes { .. }, Cache::Bytes { .. }) => {}
        _ => {
            return Err(Error::InvalidArgument {
                what: call,
                asked: "keys and values of different kinds".into(),
                allowed: "both Cache::Dense, or both Cache::Bytes".into(),
                help: "keep both in the same way",
            });
        }
    }
    is(call, "pages", &of.pages, DType::U32)?;
    is(call, "rows", &of.rows, DType::U32)?;
    partial.map_or(Ok(()), |partial| is(call, "partial", partial, DType::F32))?;
    is(call, "y", &of.y, DType::F32)
}

pub(super) fn store_shapes(
    call: &'static str,
    x: &Tensor,
    slots: &Tensor,
    cache: &Cache<Tensor>,
) -> Result<()> {
    let [_, heads, head] = cache_dims(call, "cache", cache)?;
    let tokens = slots.shape().elements();
    if x.shape().dims() != [tokens as u32, heads, head] {
        return Err(shape_error(
            call,
            "x",
            x.shape(),
            format!("[{tokens}, {heads}, {head}], as slots and cache"),
        ));
    }
    Ok(())
}

pub(super) fn shapes(call: &'static str, of: &Attention<Tensor>) -> Result<()> {
    let dims = cache_dims(call, "keys", &of.keys)?;
    if cache_dims(call, "values", &of.values)? != dims {
        let allowed = format!("{dims:?}, as the keys");
        return Err(shape_error(call, "values", first(&of.values).shape(), allowed));
    }
    let [_, kv_heads, head] = dims;
    let shape = of.q.shape();
    let &[tokens, heads, _] = shape.dims() else {
        return Err(shape_error(call, "q", shape, "[tokens, heads, head]".into()));
    };
    if shape.columns() != head || !heads.is_multiple_of(kv_heads) {
        let allowed = format!("heads of {head}, and a multiple of {kv_heads} of them");
        return Err(shape_error(call, "q", shape, allowed));
    }
    if of.rows.shape().dims() != [tokens, 2] {
        return Err(shape_error(call, "rows", of.rows.shape(), format!("[{tokens}, 2]")));
    }
    let positions = of.pages.shape().elements().saturating_mul(of.page.into());
    let wrong = |asked: String, allowed: &str, help| {
        Err(Error::InvalidArgument { what: call, asked, allowed: allowed.into(), help })
    };
    if of.page == 0 || positions > MOST_POSITIONS {
        let asked = format!("{} pages of {} rows", of.pages.shape().elements(), of.page);
        return wrong(
            asked,
            "pages of at least 1 row, 2^31 positions in all",
            "give tables as long as they are",
        );
    }
    if of.window == Some(0) {
        return wrong(
            "a window of 0".into(),
            "at least 1: a token sees itself",
            "use None to see everything",
        );
    }
    elements(call, "y", &of.y, shape.elements())
}

/// The cache's rows, heads and elements of a head, after looking at all of its tensors.
fn cache_dims(call: &'static str, name: &str, cache: &Cache<Tensor>) -> Result<[u32; 3]> {
    let shape = first(cache).shape();
    let Some([rows, heads, head]) = cache.dims() else {
        return Err(shape_error(call, name, shape, "three dimensions: [rows, heads, head]".into()));
    };
    if !head.is_multiple_of(4) || head > LARGEST_HEAD {
        let allowed = format!("heads of a multiple of 4 elements, at most {LARGEST_HEAD}");
        return Err(shape_error(call, name, shape, allowed));
    }
    if let Cache::Bytes { scales, .. } = cache
        && scales.shape().dims() != [rows, heads]
    {
        return Err(shape_error(call, "scales", scales.shape(), format!("[{rows}, {heads}]")));
    }
    Ok([rows, heads, head])
}

fn first(cache: &Cache<Tensor>) -> &Tensor {
    match cache {
        Cache::Dense(first) | Cache::Bytes { words: first, .. } => first,
    }
}
