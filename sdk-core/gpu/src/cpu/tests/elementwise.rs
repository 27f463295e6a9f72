//! Kernels that take elements one by one: fill, copy, add, mul, gated products, gelu, softcap, scale, rope, gather.

use half::{bf16, f16};

use super::{
    harness::{Data, assert_same_bits, at_every_level, run},
    reference::{self, Random, compare},
};
use crate::{
    DType, RopePairs, Weight,
    cpu::simd::Level,
    op::{HostTensor, Op},
};

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::Bf16];

/// Two operands and the output, or the output in place of the first.
fn two_operands(
    kernel: &str,
    make: impl Fn(HostTensor, HostTensor, HostTensor) -> Op<HostTensor>,
    expected: impl Fn(&[f32], &[f32]) -> Vec<reference::Expected>,
    broadcast: bool,
) {
    let mut random = Random::new();
    for largest in [1.0, 1e4, 1e18] {
        let (rows, columns) = (random.within(1, 40), random.choose(&[1, 3, 15, 16, 17, 100, 1023, 4096]));
        let (a, b) = (
            random.adversarial(rows * columns, largest),
            random.adversarial(if broadcast { columns } else { rows * columns }, largest),
        );
        let expected = expected(&a, &b);
        let b_rows = b.len() / columns;
        let apart = at_every_level(a.len(), |level, y| {
            let (mut a, mut b) = (Data::F32(a.clone()), Data::F32(b.clone()));
            let (a, b) = (a.tensor(&[rows, columns]), b.tensor(&[b_rows, columns]));
            run(level, &make(a, b, y.tensor(&[rows, columns])));
        });
        let in_place = at_every_level(a.len(), |level, y| {
            *y = Data::F32(a.clone());
            let mut b = Data::F32(b.clone());
            let (y, b) = (y.tensor(&[rows, columns]), b.tensor(&[b_rows, columns]));
            run(level, &make(y, b, y));
        });
        for (_, got) in &apart {
            compare(kernel, columns, &expected, got, |_| 0.0);
        }
        assert_same_bits(&[apart, in_place].concat());
    }
}

#[test]
fn kernel_add_is_rounded_once_with_rows_broadcast_and_in_place() {
    for broadcast in [false, true] {
        two_operands("add", |a, b, y| Op::Add { a, b, y }, reference::add, broadcast);
    }
}

#[test]
fn kernel_mul_is_rounded_once_with_rows_broadcast_and_in_place() {
    for broadcast in [false, true] {
        two_operands("mul", |a, b, y| Op::Mul { a, b, y }, reference::mul, broadcast);
    }
}

#[test]
fn kernel_silu_mul_keeps_its_bound_in_and_out_of_place() {
    two_operands("silu_mul", |gate, up, y| Op::SiluMul { gate, up, y }, reference::silu_mul, false);
}

#[test]
fn kernel_gelu_keeps_its_bound_in_and_out_of_place() {
    two_operands("gelu", |x, _, y| Op::Gelu { x, y }, |x, _| reference::gelu(x), false);
}

#[test]
fn kernel_gelu_mul_and_sigmoid_mul_keep_their_bounds_in_and_out_of_place() {
    two_operands("gelu_mul", |gate, up, y| Op::GeluMul { gate, up, y }, reference::gelu_mul, false);
    two_operands("sigmoid_mul", |gate, x, y| Op::SigmoidMul { gate, x, y }, reference::sigmoid_mul, false);
}

#[test]
fn kernel_softcap_and_scale_keep_their_bounds_in_and_out_of_place() {
    for number in [1.0, 30.0, 0.37] {
        let capped = |x: &[f32], _: &[f32]| reference::softcap(x, number);
        two_operands("softcap", |x, _, y| Op::Softcap { x, y, cap: number }, capped, false);
        let scaled = |x: &[f32], _: &[f32]| reference::scale(x, -number);
        two_operands("scale", |x, _, y| Op::Scale { x, y, factor: -number }, scaled, false);
    }
}

#[test]
fn kernel_elementwise_passes_nan_on_and_large_tensors_are_shared_without_gaps() {
    let n = 300_007;
    let x: Vec<f32> = (0..n).map(|i| if i % 1000 == 0 { f32::NAN } else { i as f32 / 1e5 }).collect();
    for (level, got) in at_every_level(n, |level, y| {
        let mut x = Data::F32(x.clone());
        run(level, &Op::Gelu { x: x.tensor(&[n]), y: y.tensor(&[n]) });
    }) {
        for (i, value) in got.iter().enumerate() {
            assert_eq!(value.is_nan(), i % 1000 == 0, "element {i} at {level:?}");
        }
        compare("gelu", 1, &reference::gelu(&x), &got, |_| 0.0);
    }
}

#[test]
fn kernel_fill_writes_every_element_of_every_type_and_nothing_else() {
    for dtype in [DType::F32, DType::F16, DType::Bf16, DType::U32] {
        for n in [1, 5, 64, 1001, 400_001] {
            let mut y = Data::of(dtype, &vec![7.0; n + 1]);
            let mut tensor = y.tensor(&[n + 1]);
            tensor.shape = crate::Shape::new(&[n as u32]).unwrap();
            run(Level::best(), &Op::Fill { y: tensor, value: 3.0 });
            let values = y.values();
            assert!(values[..n].iter().all(|&value| value == 3.0), "{dtype:?} {n}");
            assert_eq!(values[n], 7.0, "{dtype:?} {n}");
        }
    }
}

#[test]
fn kernel_copy_converts_each_pair_of_types_to_the_nearest() {
    let mut random = Random::new();
    let mut values = random.adversarial(70_000, 1e6);
    values.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 65504.0, 65520.0, 1e-8]);
    let n = values.len();
    for from in FLOATS {
        for to in FLOATS {
            let x = Data::of(from, &values);
            for level in Level::all() {
                let mut y = Data::of(to, &vec![1.0; n]);
                run(level, &Op::Copy { x: x.clone().tensor(&[n]), y: y.tensor(&[n]) });
                for (i, (x, y)) in x.values().into_iter().zip(y.values()).enumerate() {
                    let nearest = match to {
                        DType::F16 => f16::from_f32(x).to_f32(),
                        DType::Bf16 => bf16::from_f32(x).to_f32(),
                        _ => x,
                    };
                    let same = y.to_bits() == nearest.to_bits() || y.is_nan() && nearest.is_nan();
                    assert!(same, "{from:?} to {to:?} at {level:?}, element {i}: {x} became {y}");
                }
            }
        }
    }
}

#[test]
fn kernel_copy_moves_integers_as_they_are() {
    let ids: Vec<u32> = (0..1000).map(|i| u32::MAX - i).collect();
    let (mut x, mut y) = (Data::U32(ids.clone()), Data::U32(vec![0; 1000]));
    run(Level::best(), &Op::Copy { x: x.tensor(&[1000]), y: y.tensor(&[1000]) });
    assert!(matches!(y, Data::U32(y) if y == ids));
}

#[test]
fn kernel_rope_turns_pairs_of_both_kinds_and_copies_the_rest() {
    let mut random = Random::new();
    for pairs in [RopePairs::Halves, RopePairs::Neighbours] {
        let (tokens, heads, turned) = (random.within(1, 5), random.within(1, 6), random.within(1, 40));
        let head = 2 * turned + random.within(0, 9);
        let dims = [tokens, heads, head];
        let x = random.floats(tokens * heads * head);
        let angles: Vec<f32> =
            (0..tokens * turned).map(|_| random.float() * 3.0).flat_map(|a| [a.cos(), a.sin()]).collect();
        let expected = reference::rope(&x, &angles, tokens, heads, pairs == RopePairs::Halves);
        let compute = |level, x: &mut Data, y: &mut Data, in_place: bool| {
            let mut angles = Data::F32(angles.clone());
            let angles = angles.tensor(&[tokens, turned, 2]);
            let y = y.tensor(&dims);
            let x = if in_place { y } else { x.tensor(&dims) };
            run(level, &Op::Rope { x, angles, y, pairs });
        };
        let apart = at_every_level(x.len(), |level, y| compute(level, &mut Data::F32(x.clone()), y, false));
        let in_place = at_every_level(x.len(), |level, y| {
            *y = Data::F32(x.clone());
            compute(level, &mut Data::zeros(1), y, true);
        });
        for (_, got) in &apart {
            compare("rope", 1, &expected, got, |_| 0.0);
        }
        assert_same_bits(&[apart, in_place].concat());
    }
}

#[test]
fn kernel_gather_takes_rows_of_every_type_and_zeros_beyond_the_table() {
    let mut random = Random::new();
    for dtype in FLOATS {
        let (rows, columns, count) = (random.within(1, 50), random.within(1, 300), random.within(1, 70));
        let mut table = Data::of(dtype, &random.floats(rows * columns));
        let mut ids: Vec<u32> = (0..count).map(|_| random.within(0, rows + 1) as u32).collect();
        ids.push(u32::MAX);
        let expected = reference::gather(&table.exact(), columns, &ids);
        for (_, got) in at_every_level(ids.len() * columns, |level, y| {
            let y = y.tensor(&[ids.len(), columns]);
            let mut ids = Data::U32(ids.clone());
            let ids = ids.tensor(&[count + 1]);
            run(level, &Op::Gather { table: Weight::Dense(table.tensor(&[rows, columns])), ids, y });
        }) {
            compare("gather", 1, &expected, &got, |_| 0.0);
        }
    }
}
