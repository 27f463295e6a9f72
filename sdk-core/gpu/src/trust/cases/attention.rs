//! Caches: what goes into them, and attention over their pages.

use super::{Make, zeros};
use crate::{Attention, Cache, DType, Result, Shape, op::Op, trust::value::Value};

/// Rows of a page, which is no power of two.
const PAGE: u32 = 5;

/// How a cache keeps its rows.
#[derive(Clone, Copy)]
enum Kept {
    Dense(DType),
    Bytes,
}

const KEPT: [Kept; 3] = [Kept::Dense(DType::F32), Kept::Dense(DType::F16), Kept::Bytes];

pub(super) fn add(make: &mut Make, cases: &mut Vec<Op<Value>>) -> Result<()> {
    for kept in KEPT {
        for [heads, head] in [[3, 20], [2, 512]] {
            // The last slot lies beyond the cache: that token is not kept.
            let slots = Value::words(Shape::new(&[4])?, &[5, 0, 2, 7]);
            let cache = make.cache(kept, [7, heads, head])?;
            cases.push(Op::Store { x: make.eighths(&[4, heads, head])?, slots, cache });
        }
        // One query for each head of the cache, several, more than a tile takes, and two tokens to a tile; heads that
        // are no multiple of anything, and the largest. Whole contexts, and in stretches.
        for (tokens, [heads, kv_heads, head], window, stretches) in [
            (3, [4, 4, 12], None, None),
            (2, [6, 2, 64], Some(13), Some(3)),
            (3, [6, 3, 512], None, None),
            (4, [7, 1, 80], None, Some(2)),
            (17, [2, 1, 20], Some(9), None),
        ] {
            let dims = [tokens, heads, head];
            let of = Attention {
                q: make.f32(&dims)?,
                keys: make.cache(kept, [9 * PAGE, kv_heads, head])?,
                values: make.cache(kept, [9 * PAGE, kv_heads, head])?,
                // Two tables: the second begins with a page of the first, and ends with one beyond the cache.
                pages: Value::words(Shape::new(&[11])?, &[7, 2, 5, 0, 8, 3, 7, 1, 6, 4, 9]),
                rows: self::tokens(tokens)?,
                page: PAGE,
                scale: 0.4,
                window,
                y: zeros(DType::F32, &dims)?,
            };
            let partial =
                stretches.map(|count| zeros(DType::F32, &[tokens, heads, count, head + 2])).transpose()?;
            cases.push(Op::Attention { of: Box::new(of), partial });
        }
    }
    Ok(())
}

impl Make {
    /// Multiples of 1/8 in -15..15, with 127/8 in each head: however a device divides, they are the same bytes and halves.
    fn eighths(&mut self, dims: &[u32]) -> Result<Value> {
        let shape = Shape::new(dims)?;
        let mut floats: Vec<f32> =
            (0..shape.elements()).map(|_| (self.float() * 120.0).round() / 8.0).collect();
        for head in floats.chunks_mut(shape.columns() as usize) {
            head[1] = -127.0 / 8.0;
        }
        Ok(Value::floats(DType::F32, shape, &floats))
    }

    /// A cache with something in every row.
    fn cache(&mut self, kept: Kept, [rows, heads, head]: [u32; 3]) -> Result<Cache<Value>> {
        Ok(match kept {
            Kept::Dense(dtype) => Cache::Dense(self.floats(dtype, &[rows, heads, head])?),
            Kept::Bytes => {
                let words = Shape::new(&[rows, heads, head / 4])?;
                let random: Vec<u32> = (0..words.elements()).map(|_| self.next() as u32).collect();
                let scales: Vec<f32> = (0..rows * heads).map(|_| (1.5 + self.float()) / 127.0).collect();
                Cache::Bytes {
                    words: Value::words(words, &random),
                    scales: Value::floats(DType::F32, Shape::new(&[rows, heads])?, &scales),
                }
            }
        })
    }
}

/// Tokens of the first sequence at growing positions, and one of the second, near the end of its table.
fn tokens(count: u32) -> Result<Value> {
    let place = |i: u32| if i + 1 == count { [6, 23] } else { [0, (i * 11).min(29)] };
    let places: Vec<u32> = (0..count).flat_map(place).collect();
    Ok(Value::words(Shape::new(&[count, 2])?, &places))
}
