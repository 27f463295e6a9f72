//! Layers with a state: the convolution and the gated delta rule at every level.

use super::{
    harness::{Data, run},
    reference::Random,
};
use crate::{
    Convolution, GatedDelta,
    cpu::simd::Level,
    op::{HostTensor, Op},
    trust::recurrence::{Numbers, convolved, remembered},
};

/// An operand with its dimensions.
#[derive(Clone)]
struct Laid {
    data: Data,
    dims: Vec<usize>,
}

impl Laid {
    fn random(dims: &[usize], random: &mut Random) -> Self {
        Self { data: Data::F32(random.floats(dims.iter().product())), dims: dims.to_vec() }
    }

    fn words(dims: &[usize], words: &[u32]) -> Self {
        Self { data: Data::U32(words.to_vec()), dims: dims.to_vec() }
    }

    fn tensor(&mut self) -> HostTensor {
        self.data.tensor(&self.dims)
    }
}

impl From<&Laid> for Numbers {
    fn from(laid: &Laid) -> Self {
        let values = match &laid.data {
            Data::U32(words) => words.iter().map(|&word| f64::from(word)).collect(),
            data => data.exact(),
        };
        Self { dims: laid.dims.iter().map(|&d| d as u32).collect(), values }
    }
}

const NOWHERE: u32 = u32::MAX;

/// Runs that begin, go on in place, move, are skipped, and end beyond the tokens.
const RUNS: [u32; 20] = [NOWHERE, 3, 0, 70, 1, 1, 70, 1, 2, 0, 71, 6, 2, NOWHERE, 77, 2, 4, 5, 78, 9];
const TOKENS: usize = 80;

fn assert_near(level: Level, expected: &[Vec<f64>], got: [&Laid; 2]) {
    for (name, expected, got) in [("state", &expected[0], got[0]), ("y", &expected[1], got[1])] {
        for (i, (expected, got)) in expected.iter().zip(got.data.exact()).enumerate() {
            let allowed = 2e-6 * expected.abs().max(1.0);
            assert!((got - expected).abs() < allowed, "{name}[{i}] is {got}, not {expected}, at {level:?}");
        }
    }
}

#[test]
fn kernel_convolve_carries_its_inputs_from_run_to_run() {
    let mut random = Random::new();
    for (taps, channels) in [(4, 67), (2, 16), (8, 300), (3, 1)] {
        let before = Convolution {
            x: Laid::random(&[TOKENS, channels], &mut random),
            weight: Laid::random(&[taps, channels], &mut random),
            state: Laid::random(&[6, taps - 1, channels], &mut random),
            runs: Laid::words(&[5, 4], &RUNS),
            y: Laid::random(&[TOKENS, channels], &mut random),
        };
        let expected = convolved(&before);
        for level in Level::all() {
            let mut of = before.clone();
            let tensors = Convolution {
                x: of.x.tensor(),
                weight: of.weight.tensor(),
                state: of.state.tensor(),
                runs: of.runs.tensor(),
                y: of.y.tensor(),
            };
            run(level, &Op::Convolve(Box::new(tensors)));
            assert_near(level, &expected, [&of.state, &of.y]);
        }
    }
}

#[test]
fn kernel_gated_delta_keeps_its_bound_along_a_run() {
    let mut random = Random::new();
    for [heads, key_heads, key, value] in [[2, 2, 128, 40], [6, 2, 20, 19], [2, 1, 256, 5], [3, 3, 4, 1]] {
        let before = GatedDelta {
            qkv: Laid::random(&[TOKENS, 2 * key_heads * key + heads * value], &mut random),
            decay: Laid::random(&[TOKENS, heads], &mut random),
            strength: Laid::random(&[TOKENS, heads], &mut random),
            constants: Laid { data: Data::F32(vec![0.7; 2 * heads]), dims: vec![2, heads] },
            state: Laid::random(&[6, heads, value, key], &mut random),
            runs: Laid::words(&[5, 4], &RUNS),
            epsilon: 1e-6,
            y: Laid::random(&[TOKENS, heads, value], &mut random),
        };
        let expected = remembered(&before);
        for level in Level::all() {
            let mut of = before.clone();
            let tensors = GatedDelta {
                qkv: of.qkv.tensor(),
                decay: of.decay.tensor(),
                strength: of.strength.tensor(),
                constants: of.constants.tensor(),
                state: of.state.tensor(),
                runs: of.runs.tensor(),
                epsilon: of.epsilon,
                y: of.y.tensor(),
            };
            run(level, &Op::GatedDelta(Box::new(tensors)));
            assert_near(level, &expected, [&of.state, &of.y]);
        }
    }
}
