//! Layers with a state: every kernel against f64 on lavapipe, and what cannot be bound.

use super::{
    super::{kernels_of, lower},
    array::Array,
    lawful::dispatches,
    paper::{FLOOR, profile, tensor},
    random::Random,
    rig::Rig,
};
use crate::{Convolution, DType, ErrorKind, GatedDelta, op::Op, trust::recurrence::Numbers};

impl From<&Array> for Numbers {
    fn from(array: &Array) -> Self {
        Self { dims: array.shape.dims().to_vec(), values: array.values.clone() }
    }
}

const STATES: u32 = 7;

/// Runs of random lengths over `tokens`, each with a state of its own to leave: begun, gone on with, moved or skipped.
fn runs(tokens: u32, random: &mut Random) -> Array {
    let mut words = Vec::new();
    let mut first = 0;
    for own in [0, 1, 2] {
        let count = random.between(0, tokens / 2);
        // States 3 and up are only read: no run leaves what another begins with.
        let elsewhere = random.between(3, STATES - 1);
        let before = random.one_of(&[own, elsewhere, STATES, u32::MAX]);
        let after = random.one_of(&[own, own, own, STATES + 2]);
        words.extend([before, after, first, count].map(f64::from));
        first += count;
    }
    Array::new(DType::U32, &[3, 4], words)
}

fn filled(dims: &[u32], random: &mut Random) -> Array {
    let count = dims.iter().product::<u32>();
    Array::new(DType::F32, dims, (0..count).map(|_| random.unit()).collect())
}

fn convolution(random: &mut Random) -> Op<Array> {
    let (tokens, taps) = (random.between(1, 40), random.between(2, 8));
    let channels = random.one_of(&[1, 67, 128, 600]);
    Op::Convolve(Box::new(Convolution {
        x: filled(&[tokens, channels], random),
        weight: filled(&[taps, channels], random),
        state: filled(&[STATES, taps - 1, channels], random),
        runs: runs(tokens, random),
        y: filled(&[tokens, channels], random),
    }))
}

fn delta(key: u32, random: &mut Random) -> Op<Array> {
    let (tokens, key_heads) = (random.between(1, 40), random.between(1, 3));
    let heads = key_heads * random.between(1, 3);
    let value = random.one_of(&[1, 16, 19, 64]);
    let rates = (0..2 * heads).map(|_| 1.0 + random.unit()).collect();
    Op::GatedDelta(Box::new(GatedDelta {
        qkv: filled(&[tokens, 2 * key_heads * key + heads * value], random),
        decay: filled(&[tokens, heads], random),
        strength: filled(&[tokens, heads], random),
        constants: Array::new(DType::F32, &[2, heads], rates),
        state: filled(&[STATES, heads, value, key], random),
        runs: runs(tokens, random),
        epsilon: 1e-6,
        y: filled(&[tokens, heads, value], random),
    }))
}

#[test]
fn convolutions_carry_their_inputs_on() {
    let (rig, random) = (Rig::open(), &mut Random::seeded());
    for _ in 0..20 {
        rig.check(&convolution(random), random);
    }
}

#[test]
fn states_fade_and_take_tokens_in() {
    let (rig, random) = (Rig::open(), &mut Random::seeded());
    for _ in 0..8 {
        for key in [4, 20, 128, 132, 256] {
            rig.check(&delta(key, random), random);
        }
    }
}

#[test]
fn a_state_that_no_binding_holds_is_refused_with_its_size() {
    let enough = crate::Limits { max_bindings: 8, ..FLOOR };
    let limits = crate::Limits { max_binding_bytes: 4096, ..enough };
    let make = |dims: &[u32]| tensor(0, DType::F32, dims);
    let op = Op::GatedDelta(Box::new(GatedDelta {
        qkv: make(&[1, 3 * 64]),
        decay: make(&[1, 1]),
        strength: make(&[1, 1]),
        constants: make(&[2, 1]),
        state: make(&[2, 1, 64, 64]),
        runs: tensor(0, DType::U32, &[1, 4]),
        epsilon: 1e-6,
        y: make(&[1, 1, 64]),
    }));
    let error = lower(&op, &profile(limits)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("32768 bytes"), "{error}");
    assert_eq!(kernels_of(&op, &profile(enough)).unwrap(), ["gated_delta_narrow"]);
    assert_eq!(dispatches(&op, &profile(enough))[0].workgroups, [4, 1, 1]);
}
