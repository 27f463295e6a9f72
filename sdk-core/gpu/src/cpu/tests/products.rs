//! Products with weights: matmul, matvec, `matmul_q`, `matvec_q`, and gather from quantised tables.

use super::{
    harness::{Data, at_every_level, run},
    reference::{self, Random, compare},
};
use crate::{Bits, DType, Group, Quantised, Weight, op::HostTensor, op::Op};

const BITS: [Bits; 3] = [Bits::B4, Bits::B6, Bits::B8];
const GROUPS: [Group; 3] = [Group::G32, Group::G64, Group::G128];
const SCALES: [DType; 3] = [DType::F16, DType::Bf16, DType::F32];

#[test]
fn kernel_matvec_and_matmul_of_every_type_keep_their_bounds_on_odd_shapes() {
    let mut random = Random::new();
    for dtype in [DType::F32, DType::F16, DType::Bf16] {
        for (m, columns) in
            [(1, 1), (1, 7), (1, 64), (1, 1000), (2, 5), (3, 100), (17, 33), (40, 257), (70, 600)]
        {
            let n = random.within(1, 150);
            let x = random.floats(m * columns);
            let weights = Data::of(dtype, &random.floats(n * columns));
            let expected = reference::matmul(&x, &weights.exact(), columns);
            for (level, got) in at_every_level(m * n, |level, y| {
                let mut weights = weights.clone();
                let weight = Weight::Dense(weights.tensor(&[n, columns]));
                run(
                    level,
                    &Op::MatMul {
                        x: Data::F32(x.clone()).tensor(&[m, columns]),
                        weight,
                        y: y.tensor(&[m, n]),
                    },
                );
            }) {
                println!("{m}x{columns} by {n} of {dtype:?} at {level:?}");
                compare("matmul", columns, &expected, &got, |_| 0.0);
            }
        }
    }
}

#[test]
fn kernel_matmul_passes_nan_on_to_its_row_and_no_further() {
    let (m, n, k) = (5, 40, 70);
    let mut x = vec![1.0; m * k];
    x[2 * k + 3] = f32::NAN;
    let got = at_every_level(m * n, |level, y| {
        let mut weights = Data::F32(vec![1.0; n * k]);
        let weight = Weight::Dense(weights.tensor(&[n, k]));
        run(level, &Op::MatMul { x: Data::F32(x.clone()).tensor(&[m, k]), weight, y: y.tensor(&[m, n]) });
    });
    for (i, value) in got[0].1.iter().enumerate() {
        assert_eq!(value.is_nan(), i / n == 2, "element {i}");
    }
}

/// A quantised matrix of random bits, which are as good weights as any.
struct Matrix {
    words: Vec<u32>,
    scales: Data,
    biases: Data,
    bits: Bits,
    group: Group,
    rows: usize,
    columns: usize,
}

impl Matrix {
    fn random(
        random: &mut Random,
        bits: Bits,
        group: Group,
        scales: DType,
        rows: usize,
        groups: usize,
    ) -> Self {
        let columns = groups * group.size() as usize;
        let words = (0..rows * columns * bits.count() as usize / 32).map(|_| random.bits() as u32).collect();
        let scale: Vec<f32> = (0..rows * groups).map(|_| random.float() / 8.0).collect();
        let middle = (1 << (bits.count() - 1)) as f32;
        let bias: Vec<f32> = scale.iter().map(|scale| -middle * scale).collect();
        let (scales, biases) = (Data::of(scales, &scale), Data::of(scales, &bias));
        Self { words, scales, biases, bits, group, rows, columns }
    }

    fn weights(&self) -> Vec<f64> {
        let (scales, biases) = (self.scales.values(), self.biases.values());
        let (bits, group) = (self.bits.count() as usize, self.group.size() as usize);
        reference::dequantise(&self.words, &scales, &biases, bits, group)
    }

    /// Calls `f` with tensors over copies, so that nothing but its own memory can be read.
    fn with<R>(&self, f: impl FnOnce(Weight<HostTensor>) -> R) -> R {
        let (bits, group) = (self.bits, self.group);
        let (rows, groups) = (self.rows, self.columns / group.size() as usize);
        let mut words = Data::U32(self.words.clone());
        let (mut scales, mut biases) = (self.scales.clone(), self.biases.clone());
        let words = words.tensor(&[rows, self.columns * bits.count() as usize / 32]);
        let (scales, biases) = (scales.tensor(&[rows, groups]), biases.tensor(&[rows, groups]));
        f(Weight::Quantised(Quantised { words, scales, biases, bits, group }))
    }
}

fn multiply(matrix: &Matrix, x: &[f32]) {
    let (k, n) = (matrix.columns, matrix.rows);
    let m = x.len() / k;
    let weights = matrix.weights();
    let expected = reference::matmul(x, &weights, k);
    let group = matrix.group.size() as usize;
    let rounding: Vec<f64> = x
        .chunks(k)
        .flat_map(|x| weights.chunks(k).map(move |w| reference::quantisation_error(x, w, group)))
        .collect();
    for (level, got) in at_every_level(m * n, |level, y| {
        matrix.with(|weight| {
            run(
                level,
                &Op::MatMul { x: Data::F32(x.to_vec()).tensor(&[m, k]), weight, y: y.tensor(&[m, n]) },
            );
        });
    }) {
        println!("{m}x{k} by {n}, {:?} {:?} at {level:?}", matrix.bits, matrix.group);
        // Subnormal activations count as zeros.
        compare("matmul_q", k, &expected, &got, |i| rounding[i] + 1e-25);
    }
}

#[test]
fn kernel_matvec_q_of_every_width_group_and_scale_keeps_its_bound() {
    let mut random = Random::new();
    for bits in BITS {
        for group in GROUPS {
            for scales in SCALES {
                let (rows, groups) = (random.within(1, 90), random.within(1, 11));
                let matrix = Matrix::random(&mut random, bits, group, scales, rows, groups);
                let x = random.floats(matrix.columns);
                multiply(&matrix, &x);
            }
        }
    }
}

#[test]
fn kernel_matvec_q_keeps_its_bound_on_zeros_subnormal_and_huge_activations() {
    let mut random = Random::new();
    for bits in BITS {
        for largest in [1e-38, 1.0, 1e12] {
            let matrix = Matrix::random(&mut random, bits, Group::G64, DType::F16, 13, 5);
            let x = random.adversarial(matrix.columns, largest);
            multiply(&matrix, &x);
        }
        let matrix = Matrix::random(&mut random, bits, Group::G32, DType::Bf16, 13, 3);
        multiply(&matrix, &vec![0.0; matrix.columns]);
    }
}

#[test]
fn kernel_matvec_q_sums_stay_exact_at_the_largest_weights_and_activations() {
    for bits in BITS {
        for group in GROUPS {
            let columns = 2 * group.size() as usize;
            let matrix = Matrix {
                words: vec![u32::MAX; columns * bits.count() as usize / 32],
                scales: Data::F32(vec![1.0; 2]),
                biases: Data::F32(vec![0.0; 2]),
                bits,
                group,
                rows: 1,
                columns,
            };
            for sign in [1.0, -1.0] {
                for rows in [1, 4, 5] {
                    multiply(&matrix, &vec![sign; rows * columns]);
                }
            }
        }
    }
}

#[test]
fn kernel_matvec_q_of_an_activation_that_is_not_finite_is_nan() {
    let mut random = Random::new();
    let matrix = Matrix::random(&mut random, Bits::B4, Group::G64, DType::F16, 9, 4);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for m in [1, 3, 7] {
            let mut x = random.floats(m * matrix.columns);
            x[77] = bad;
            for (level, got) in at_every_level(m * 9, |level, y| {
                let mut x = Data::F32(x.clone());
                let x = x.tensor(&[m, matrix.columns]);
                matrix.with(|weight| run(level, &Op::MatMul { x, weight, y: y.tensor(&[m, 9]) }));
            }) {
                for (i, y) in got.iter().enumerate() {
                    assert_eq!(y.is_nan(), i < 9, "element {i} of {m} rows at {level:?}");
                }
            }
        }
    }
}

#[test]
fn kernel_matmul_q_keeps_its_bound_for_few_and_many_rows() {
    let mut random = Random::new();
    for bits in BITS {
        for m in [2, 3, 4, 5, 6, 7, 16, 17, 50] {
            let group = random.choose(&GROUPS);
            let scales = random.choose(&SCALES);
            let (rows, groups) = (random.within(1, 200), random.within(1, 9));
            let matrix = Matrix::random(&mut random, bits, group, scales, rows, groups);
            let x = random.floats(m * matrix.columns);
            multiply(&matrix, &x);
        }
    }
}

#[test]
fn kernel_matmul_q_keeps_its_bound_at_the_edges_of_panels_and_blocks() {
    let mut random = Random::new();
    for bits in BITS {
        for group in GROUPS {
            for (m, rows) in [(2, 1), (4, 15), (5, 16), (6, 17), (13, 33)] {
                // A block more than one, and one that is not full.
                let groups = 512 / group.size() as usize + random.within(1, 5);
                let scales = random.choose(&SCALES);
                let matrix = Matrix::random(&mut random, bits, group, scales, rows, groups);
                let x = random.floats(m * matrix.columns);
                multiply(&matrix, &x);
            }
        }
    }
}

#[test]
fn kernel_gather_unpacks_quantised_rows() {
    let mut random = Random::new();
    for bits in BITS {
        for group in GROUPS {
            let matrix = Matrix::random(&mut random, bits, group, DType::F16, 11, 3);
            let ids = [3, 0, 10, 11, 3, u32::MAX];
            let expected = reference::gather(&matrix.weights(), matrix.columns, &ids);
            for (_, got) in at_every_level(ids.len() * matrix.columns, |level, y| {
                let y = y.tensor(&[ids.len(), matrix.columns]);
                let mut ids = Data::U32(ids.to_vec());
                let ids = ids.tensor(&[6]);
                matrix.with(|table| run(level, &Op::Gather { table, ids, y }));
            }) {
                compare("gather_q", 1, &expected, &got, |_| 0.0);
            }
        }
    }
}
