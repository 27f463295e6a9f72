//! What goes into a cache.

use half::f16;

use super::{
    harness::{Data, run},
    reference::Random,
};
use crate::{Cache, cpu::simd::Level, op::Op};

/// A cache of bytes in memory.
pub(super) struct Bytes {
    pub(super) words: Data,
    pub(super) scales: Data,
    dims: [usize; 3],
}

impl Bytes {
    pub(super) fn new(rows: usize, heads: usize, head: usize) -> Self {
        let words = Data::U32(vec![0x7F80_0181; rows * heads * head / 4]);
        Self { words, scales: Data::F32(vec![0.5; rows * heads]), dims: [rows, heads, head] }
    }

    pub(super) fn cache(&mut self) -> Cache<crate::op::HostTensor> {
        let [rows, heads, head] = self.dims;
        Cache::Bytes {
            words: self.words.tensor(&[rows, heads, head / 4]),
            scales: self.scales.tensor(&[rows, heads]),
        }
    }

    /// What the bytes stand for.
    pub(super) fn elements(&self) -> Vec<f64> {
        let (Data::U32(words), Data::F32(scales)) = (&self.words, &self.scales) else { unreachable!() };
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).map(|byte| f64::from(byte as i8));
        bytes.enumerate().map(|(i, byte)| byte * f64::from(scales[i / self.dims[2]])).collect()
    }
}

#[test]
fn kernel_store_puts_rows_where_slots_say_and_leaves_the_rest() {
    let mut random = Random::new();
    for level in Level::all() {
        let (rows, heads, head) = (9, random.within(1, 5), 4 * random.within(1, 40));
        let x = random.floats(3 * heads * head);
        let per_row = heads * head;
        let slots = [7, 9, 2];
        for half in [false, true] {
            let kept = |x: f32| if half { f16::from_f32(x).to_f32() } else { x };
            let mut cache = if half {
                Data::F16(vec![f16::from_f32(0.5); rows * per_row])
            } else {
                Data::F32(vec![0.5; rows * per_row])
            };
            run(
                level,
                &Op::Store {
                    x: Data::F32(x.clone()).tensor(&[3, heads, head]),
                    slots: Data::U32(slots.to_vec()).tensor(&[3]),
                    cache: Cache::Dense(cache.tensor(&[rows, heads, head])),
                },
            );
            for (i, got) in cache.values().into_iter().enumerate() {
                let token = slots.iter().position(|&slot| slot as usize == i / per_row);
                let expected = token.map_or(0.5, |token| kept(x[token * per_row + i % per_row]));
                assert_eq!(
                    got.to_bits(),
                    expected.to_bits(),
                    "element {i} of row {} at {level:?}",
                    i / per_row
                );
            }
        }
    }
}

#[test]
fn kernel_store_of_bytes_moves_an_element_by_half_a_scale_at_most() {
    let mut random = Random::new();
    for level in Level::all() {
        for largest in [1e-38, 1e-10, 1.0, 1e38] {
            let (heads, head) = (random.within(1, 3), 4 * random.within(1, 130));
            let mut x: Vec<f32> = random.floats(2 * heads * head).iter().map(|x| x * largest).collect();
            x[..head].fill(0.0);
            let mut bytes = Bytes::new(3, heads, head);
            run(
                level,
                &Op::Store {
                    x: Data::F32(x.clone()).tensor(&[2, heads, head]),
                    slots: Data::U32(vec![2, 0]).tensor(&[2]),
                    cache: bytes.cache(),
                },
            );
            let (got, Data::F32(scales)) = (bytes.elements(), &bytes.scales) else { unreachable!() };
            for (i, &x) in x.iter().enumerate() {
                let at = if i < heads * head { 2 * heads * head + i } else { i - heads * head };
                let moved = (got[at] - f64::from(x)).abs();
                // Heads of nothing but tiny numbers become zeros.
                let allowed = (0.50001 * f64::from(scales[at / head])).max(1e-30);
                assert!(moved <= allowed, "{x} became {} at {level:?}", got[at]);
            }
        }
    }
}

#[test]
fn kernel_store_of_something_that_is_not_finite_makes_its_head_nan_and_no_other() {
    for level in Level::all() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = vec![1.0; 3 * 8];
            x[9] = bad;
            let mut bytes = Bytes::new(1, 3, 8);
            run(
                level,
                &Op::Store {
                    x: Data::F32(x).tensor(&[1, 3, 8]),
                    slots: Data::U32(vec![0]).tensor(&[1]),
                    cache: bytes.cache(),
                },
            );
            for (i, x) in bytes.elements().into_iter().enumerate() {
                assert_eq!(x.is_nan(), i / 8 == 1, "element {i} at {level:?}");
            }
        }
    }
}

#[test]
fn kernel_store_with_equal_slots_keeps_one_of_them() {
    let x: Vec<f32> = (0..600).map(|i| (i / 2) as f32).collect();
    let mut cache = Data::F32(vec![-1.0; 8]);
    run(
        Level::best(),
        &Op::Store {
            x: Data::F32(x).tensor(&[150, 1, 4]),
            slots: Data::U32(vec![1; 150]).tensor(&[150]),
            cache: Cache::Dense(cache.tensor(&[2, 1, 4])),
        },
    );
    assert_eq!(cache.values(), [-1.0, -1.0, -1.0, -1.0, 298.0, 298.0, 299.0, 299.0]);
}
