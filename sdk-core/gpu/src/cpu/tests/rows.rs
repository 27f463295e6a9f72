//! Kernels that take rows: rmsnorm, layernorm, softmax, argmax, sum.

use super::{
    harness::{Data, assert_same_bits, at_every_level, run},
    reference::{self, Random, compare},
};
use crate::{
    cpu::simd::Level,
    op::{HostTensor, Op},
};

fn by_rows(
    kernel: &str,
    data: &[f32],
    columns: usize,
    expected: &[reference::Expected],
    make: &dyn Fn(HostTensor, HostTensor) -> Op<HostTensor>,
) {
    let dims = [data.len() / columns, columns];
    let apart = at_every_level(data.len(), |level, y| {
        run(level, &make(Data::F32(data.to_vec()).tensor(&dims), y.tensor(&dims)));
    });
    let in_place = at_every_level(data.len(), |level, y| {
        *y = Data::F32(data.to_vec());
        let y = y.tensor(&dims);
        run(level, &make(y, y));
    });
    for (_, got) in &apart {
        compare(kernel, columns, expected, got, |_| 0.0);
    }
    assert_same_bits(&[apart, in_place].concat());
}

fn shapes(random: &mut Random) -> Vec<(usize, usize)> {
    [1, 2, 15, 16, 17, 33, 100, 4096, 5000].map(|columns| (random.within(1, 9), columns)).to_vec()
}

#[test]
fn kernel_rmsnorm_keeps_its_bound_on_odd_rows_zeros_and_huge_numbers() {
    let mut random = Random::new();
    for (rows, columns) in shapes(&mut random) {
        for largest in [1.0, 1e30] {
            let x = random.adversarial(rows * columns, largest);
            let weight = random.floats(columns);
            let mut w = Data::F32(weight.clone());
            let w = w.tensor(&[columns]);
            let expected = reference::rmsnorm(&x, &weight, 1e-5);
            let make = |x, y| Op::RmsNorm { x, weight: w, y, epsilon: 1e-5 };
            by_rows("rmsnorm", &x, columns, &expected, &make);
        }
    }
}

#[test]
fn kernel_add_rmsnorm_is_an_addition_and_a_norm_to_the_bit_wherever_its_results_go() {
    let mut random = Random::new();
    for (rows, columns) in shapes(&mut random) {
        let (x, delta) = (random.adversarial(rows * columns, 1e30), random.floats(rows * columns));
        let weight = random.floats(columns);
        let dims = [rows, columns];
        for level in Level::all() {
            let [mut a, mut b, mut w] = [&x, &delta, &weight].map(|v| Data::F32(v.clone()));
            let [mut sum, mut y] = [(); 2].map(|()| Data::zeros(rows * columns));
            let (a, b, w) = (a.tensor(&dims), b.tensor(&dims), w.tensor(&[columns]));
            run(level, &Op::Add { a, b, y: sum.tensor(&dims) });
            run(level, &Op::RmsNorm { x: sum.tensor(&dims), weight: w, y: y.tensor(&dims), epsilon: 1e-5 });
            let expected = [sum.values(), y.values()].concat();
            for places in [[2, 3], [0, 1], [1, 0], [0, 3], [2, 0]] {
                let mut data = [&x, &delta, &x, &delta].map(|v| Data::F32(v.clone()));
                let t = data.each_mut().map(|d| d.tensor(&dims));
                let [sum, y] = places.map(|place| t[place]);
                run(level, &Op::AddRmsNorm { x: t[0], delta: t[1], weight: w, sum, y, epsilon: 1e-5 });
                let got = places.map(|place| data[place].values()).concat();
                assert_same_bits(&[(level, expected.clone()), (level, got)]);
            }
        }
    }
}

#[test]
fn kernel_layernorm_keeps_its_bound_far_from_zero() {
    let mut random = Random::new();
    for (rows, columns) in shapes(&mut random) {
        for offset in [0.0, 1000.0] {
            let x: Vec<f32> = random.floats(rows * columns).iter().map(|x| x + offset).collect();
            let (weight, bias) = (random.floats(columns), random.floats(columns));
            let (mut w, mut b) = (Data::F32(weight.clone()), Data::F32(bias.clone()));
            let (w, b) = (w.tensor(&[columns]), b.tensor(&[columns]));
            let expected = reference::layernorm(&x, &weight, &bias, 1e-6);
            let make = |x, y| Op::LayerNorm { x, weight: w, bias: b, y, epsilon: 1e-6 };
            by_rows("layernorm", &x, columns, &expected, &make);
        }
    }
}

#[test]
fn kernel_softmax_keeps_its_bound_for_scales_of_both_signs_and_masked_rows() {
    let mut random = Random::new();
    for (rows, columns) in shapes(&mut random) {
        for scale in [1.0, -0.125, 8.0, 0.0] {
            let mut x: Vec<f32> = random.floats(rows * columns).iter().map(|x| x * 20.0).collect();
            if scale > 0.0 && columns > 2 {
                x.chunks_mut(columns).for_each(|row| row[columns / 2..columns - 1].fill(f32::NEG_INFINITY));
            }
            let expected = reference::softmax(&x, columns, scale);
            by_rows("softmax", &x, columns, &expected, &|x, y| Op::Softmax { x, y, scale });
        }
    }
}

#[test]
fn kernel_softmax_of_nan_or_of_nothing_but_minus_infinity_is_nan() {
    for row in [vec![1.0, f32::NAN, 2.0], vec![f32::NEG_INFINITY; 20], vec![1.0, f32::INFINITY]] {
        let n = row.len();
        for (level, got) in at_every_level(n, |level, y| {
            let mut x = Data::F32(row.clone());
            let x = x.tensor(&[1, n]);
            run(level, &Op::Softmax { x, y: y.tensor(&[1, n]), scale: 1.0 });
        }) {
            let rest_is_zero = row.contains(&f32::INFINITY);
            assert!(
                got.iter().any(|y| y.is_nan()) && (rest_is_zero || got.iter().all(|y| y.is_nan())),
                "{level:?}"
            );
        }
    }
}

#[test]
fn kernel_sum_is_rounded_once_even_where_it_cancels() {
    let mut random = Random::new();
    for (rows, columns) in shapes(&mut random) {
        let x = random.adversarial(rows * columns, 1e8);
        let results = at_every_level(rows, |level, y| {
            run(level, &Op::Sum { x: Data::F32(x.clone()).tensor(&[rows, columns]), y: y.tensor(&[rows]) });
        });
        for (_, got) in &results {
            compare("sum", columns, &reference::sum(&x, columns), got, |_| 0.0);
        }
        assert_same_bits(&results);
    }
}

#[test]
fn kernel_argmax_takes_the_first_of_equals_and_never_nan() {
    let mut random = Random::new();
    let mut rows: Vec<(Vec<f32>, usize)> = Vec::new();
    for (count, columns) in shapes(&mut random) {
        // Few distinct values, so that there are ties.
        let x = (0..count * columns).map(|_| random.choose(&[1.0, 2.0, -3.0, f32::NAN, 0.0, -0.0]));
        rows.push((x.collect(), columns));
        rows.push((random.floats(count * columns), columns));
    }
    rows.push((vec![f32::NAN; 40], 20));
    rows.push((vec![f32::NAN, f32::NEG_INFINITY, f32::NEG_INFINITY], 3));
    rows.push((vec![f32::INFINITY, f32::NAN, f32::INFINITY], 3));
    for (x, columns) in rows {
        let count = x.len() / columns;
        for level in Level::all() {
            let mut y = Data::U32(vec![99; count]);
            let tensor = y.tensor(&[count]);
            run(level, &Op::Argmax { x: Data::F32(x.clone()).tensor(&[count, columns]), y: tensor });
            let Data::U32(got) = y else { unreachable!() };
            assert_eq!(got, reference::argmax(&x, columns), "{level:?}");
        }
    }
}
