//! Tensors larger than a binding and grids larger than a device allows, on paper.

use super::{
    super::{Dispatch, Profile, kernels_of, lower},
    lawful::{assert_tiles, dispatches},
    paper::{FLOOR, profile, tensor},
    random::Random,
};
use crate::{Bits, DType, ErrorKind, Features, Group, Limits, Quantised, RopePairs, Tensor, Weight, op::Op};

fn small(max_binding_bytes: u64) -> Profile {
    profile(Limits { max_binding_bytes, binding_alignment: 64, ..FLOOR })
}

/// A tensor of f32 at an odd place.
fn f32s(random: &mut Random, dims: &[u32]) -> Tensor {
    tensor(4 * u64::from(random.between(0, 100)), DType::F32, dims)
}

#[test]
fn elementwise_work_is_split_into_ranges_that_tile_the_result() {
    let random = &mut Random::seeded();
    for _ in 0..200 {
        let profile = small(u64::from(random.between(128, 4096)));
        let dims = [random.between(1, 30), random.between(1, 300)];
        let rows = random.one_of(&[1, dims[0]]);
        let [a, b, y] = [dims, [rows, dims[1]], dims].map(|dims| f32s(random, &dims));
        for op in [
            Op::Add { a: a.clone(), b: b.clone(), y: y.clone() },
            Op::Mul { a: a.clone(), b, y: y.clone() },
            Op::SiluMul { gate: a.clone(), up: y.clone(), y: y.clone() },
            Op::Gelu { x: a.clone(), y: y.clone() },
            Op::GeluMul { gate: a.clone(), up: y.clone(), y: y.clone() },
            Op::SigmoidMul { gate: a.clone(), x: y.clone(), y: y.clone() },
            Op::Softcap { x: a.clone(), y: y.clone(), cap: 30.0 },
            Op::Scale { x: a.clone(), y: y.clone(), factor: 2.0 },
        ] {
            assert_tiles(&dispatches(&op, &profile), &y);
        }
    }
}

#[test]
fn a_row_that_is_added_to_all_keeps_its_place_in_every_part() {
    let profile = small(256);
    let [a, b, y] = [[5, 7], [1, 7], [5, 7]].map(|dims| tensor(0, DType::F32, &dims));
    let parts = dispatches(&Op::Add { a, b, y }, &small(64 + 40));
    let firsts: Vec<_> = parts.iter().map(|d| d.params[2]).collect();
    assert_eq!(firsts, [0, 3, 6, 2], "each part has ten elements");
    let [a, b, y] = [[2, 100], [1, 100], [2, 100]].map(|dims| tensor(0, DType::F32, &dims));
    let parts = dispatches(&Op::Add { a, b, y: y.clone() }, &profile);
    assert!(parts.iter().all(|d| d.params[1] == 0), "a row beyond a binding is split like the rest");
    assert_tiles(&parts, &y);
}

#[test]
fn copies_and_fills_are_split_between_words() {
    let random = &mut Random::seeded();
    let types = [DType::F32, DType::F16, DType::Bf16];
    for _ in 0..300 {
        let profile = small(u64::from(random.between(128, 1024)));
        let n = random.between(1, 3000);
        let (from, to) = (random.one_of(&types), random.one_of(&types));
        let (x, y) = (tensor(4 * u64::from(random.between(0, 9)), from, &[n]), tensor(4, to, &[n]));
        assert_tiles(&dispatches(&Op::Copy { x, y: y.clone() }, &profile), &y);
        assert_tiles(&dispatches(&Op::Fill { y: y.clone(), value: 1.0 }, &profile), &y);
    }
}

#[test]
fn only_the_last_part_of_an_odd_copy_is_odd() {
    let (x, y) = (tensor(0, DType::F16, &[101]), tensor(0, DType::F16, &[101]));
    let parts = dispatches(&Op::Copy { x, y: y.clone() }, &small(64 + 40));
    assert_eq!(parts.iter().map(|d| d.params[1]).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1]);
    let parts = dispatches(&Op::Fill { y, value: 0.0 }, &small(64 + 40));
    assert_eq!(parts.iter().map(|d| d.params[1]).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1]);
}

#[test]
fn rows_are_never_cut() {
    let random = &mut Random::seeded();
    for _ in 0..200 {
        let columns = random.between(1, 200);
        let limits = small(u64::from(4 * columns + 64 + random.between(0, 2000))).limits;
        let profile = profile(Limits { max_bindings: 5, ..limits });
        let (rows, offset) = (random.between(1, 50), 4 * u64::from(random.between(0, 100)));
        let [x, y] = [(); 2].map(|()| tensor(offset, DType::F32, &[rows, columns]));
        let [weight, bias] = [(); 2].map(|()| tensor(offset, DType::F32, &[columns]));
        let [sums, winners] = [DType::F32, DType::U32].map(|dtype| tensor(offset, dtype, &[rows]));
        for op in [
            Op::RmsNorm { x: x.clone(), weight: weight.clone(), y: y.clone(), epsilon: 1e-5 },
            Op::AddRmsNorm {
                x: x.clone(),
                delta: x.clone(),
                weight: weight.clone(),
                sum: x.clone(),
                y: y.clone(),
                epsilon: 1e-5,
            },
            Op::LayerNorm { x: x.clone(), weight, bias, y: y.clone(), epsilon: 1e-5 },
            Op::Softmax { x: x.clone(), y: y.clone(), scale: 1.0 },
        ] {
            let parts = dispatches(&op, &profile);
            assert_tiles(&parts, &y);
            assert_rows(&parts, rows);
        }
        for (op, y) in [
            (Op::Sum { x: x.clone(), y: sums.clone() }, sums),
            (Op::Argmax { x: x.clone(), y: winners.clone() }, winners),
        ] {
            let parts = dispatches(&op, &profile);
            assert_tiles(&parts, &y);
            assert_rows(&parts, rows);
        }
    }
}

/// Row kernels have the number of rows as their first parameter, and a workgroup or more for each.
fn assert_rows(parts: &[Dispatch], rows: u32) {
    assert_eq!(parts.iter().map(|d| d.params[0]).sum::<u32>(), rows);
    for part in parts {
        let [x, y, z] = part.workgroups;
        assert!(x * y * z >= part.params[0] && x * (y - 1) < part.params[0], "{:?}", part.workgroups);
    }
}

#[test]
fn a_row_beyond_a_binding_is_refused_with_the_numbers() {
    let (x, y) = (tensor(0, DType::F32, &[2, 1000]), tensor(0, DType::F32, &[2, 1000]));
    let error = lower(&Op::Softmax { x, y, scale: 1.0 }, &small(2048)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(text.contains("softmax: a row of 4000 bytes") && text.contains("1984 bytes"), "{text}");
}

#[test]
fn a_kernel_with_more_buffers_than_the_device_takes_is_refused_with_the_numbers() {
    let words = tensor(0, DType::U32, &[2, 4]);
    let [scales, biases] = [(); 2].map(|()| tensor(0, DType::F32, &[2, 1]));
    let table = Weight::Quantised(Quantised { words, scales, biases, bits: Bits::B4, group: Group::G32 });
    let op = Op::Gather { table, ids: tensor(0, DType::U32, &[1]), y: tensor(0, DType::F32, &[1, 32]) };
    let error = lower(&op, &profile(Limits { max_bindings: 4, ..FLOOR })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(
        text.contains("gather_q_f32") && text.contains("5 storage buffers, the device allows 4"),
        "{text}"
    );
}

#[test]
fn more_rows_than_workgroups_are_folded_then_split() {
    let grid = |rows: u32, max_workgroups: [u32; 3]| {
        let profile = profile(Limits { max_workgroups, ..FLOOR });
        let (x, y) = (tensor(0, DType::F32, &[rows, 2]), tensor(0, DType::F32, &[rows]));
        let parts = dispatches(&Op::Sum { x, y }, &profile);
        assert_rows(&parts, rows);
        parts.iter().map(|d| d.workgroups).collect::<Vec<_>>()
    };
    assert_eq!(grid(7, [8, 8, 8]), [[7, 1, 1]]);
    assert_eq!(grid(9, [8, 8, 8]), [[5, 2, 1]]);
    assert_eq!(grid(70, [8, 8, 8]), [[8, 8, 1], [6, 1, 1]]);
    assert_eq!(grid(65_536, [65_535; 3]), [[32_768, 2, 1]]);
}

#[test]
fn rope_is_split_by_tokens() {
    let random = &mut Random::seeded();
    for _ in 0..100 {
        let (tokens, heads, pairs) = (random.between(1, 20), random.between(1, 5), random.between(1, 8));
        let head = 2 * pairs + random.between(0, 9);
        let profile = small(u64::from(64 + 4 * heads * head + random.between(0, 1000)));
        let [x, y] = [(); 2].map(|()| f32s(random, &[tokens, heads, head]));
        let angles = f32s(random, &[tokens, pairs, 2]);
        let parts = dispatches(&Op::Rope { x, angles, y: y.clone(), pairs: RopePairs::Halves }, &profile);
        assert_tiles(&parts, &y);
        let items = tokens * heads * (head - pairs);
        assert_eq!(parts.iter().map(|d| d.params[0]).sum::<u32>(), items);
    }
}

#[test]
fn a_table_beyond_a_binding_is_gathered_in_parts_that_see_every_row_once() {
    let random = &mut Random::seeded();
    for _ in 0..200 {
        let (rows, columns, n) = (random.between(1, 90), random.between(1, 40), random.between(1, 30));
        let dtype = random.one_of(&[DType::F32, DType::F16, DType::Bf16]);
        let profile = small(u64::from(64 + 8 * columns + random.between(0, 1000)));
        let table = tensor(4 * u64::from(random.between(0, 30)), dtype, &[rows, columns]);
        let (ids, y) = (tensor(4, DType::U32, &[n]), f32s(random, &[n, columns]));
        let parts = dispatches(&Op::Gather { table: Weight::Dense(table), ids, y }, &profile);
        assert_table(&parts, n * columns, rows, 2);
    }
}

#[test]
fn a_quantised_table_is_split_with_its_scales() {
    let random = &mut Random::seeded();
    for _ in 0..200 {
        let bits = random.one_of(&[Bits::B4, Bits::B6, Bits::B8]);
        let group = random.one_of(&[Group::G32, Group::G64, Group::G128]);
        let (rows, groups, n) = (random.between(1, 90), random.between(1, 3), random.between(1, 30));
        let columns = groups * group.size();
        let dtype = random.one_of(&[DType::F32, DType::F16, DType::Bf16]);
        let profile = profile(Limits {
            max_binding_bytes: u64::from(64 + 8 * columns + random.between(0, 5000)),
            binding_alignment: 64,
            max_bindings: 5,
            ..FLOOR
        });
        let words = tensor(8, DType::U32, &[rows, columns / 32 * bits.count()]);
        let [scales, biases] = [(); 2].map(|()| tensor(20, dtype, &[rows, groups]));
        let table = Weight::Quantised(Quantised { words, scales, biases, bits, group });
        let (ids, y) = (tensor(4, DType::U32, &[n]), f32s(random, &[n, columns]));
        let parts = dispatches(&Op::Gather { table, ids, y }, &profile);
        assert_table(&parts, n * columns, rows, 4);
    }
}

/// Every element of the result meets every row of the table once, and exactly one part writes zeros.
/// `range` is where `first`, `rows`, `total` and `zeroes` begin in the parameters.
fn assert_table(parts: &[Dispatch], elements: u32, rows: u32, range: usize) {
    let met: u32 = parts.iter().map(|d| d.params[0] * d.params[range + 1]).sum();
    assert_eq!(met, elements * rows);
    let zeroed: u32 = parts.iter().filter(|d| d.params[range + 3] == 1).map(|d| d.params[0]).sum();
    assert_eq!(zeroed, elements);
    for part in parts {
        let [first, count, total] = [0, 1, 2].map(|i| part.params[range + i]);
        assert!(first + count <= total && total == rows, "{:?}", part.params);
    }
}

#[test]
fn parts_wait_for_each_other_only_where_their_bindings_overlap() {
    let barriers = |offset: u64, binding_bytes: u64| {
        let op = Op::Fill { y: tensor(offset, DType::F32, &[64]), value: 0.0 };
        dispatches(&op, &small(binding_bytes)).iter().map(|d| d.barrier).collect::<Vec<_>>()
    };
    assert_eq!(barriers(0, 64 + 128), [false, false], "parts begin where the alignment is");
    assert_eq!(barriers(4, 64 + 128), [false, true], "the second binding begins within the first part");
}

#[test]
fn subgroups_are_used_where_they_work() {
    let op = Op::Sum { x: tensor(0, DType::F32, &[3, 5]), y: tensor(0, DType::F32, &[3]) };
    let mut profile = profile(FLOOR);
    assert_eq!(kernels_of(&op, &profile).unwrap(), ["sum_shared"]);
    profile.features = Features { subgroup_arithmetic: true, ..Features::default() };
    assert_eq!(kernels_of(&op, &profile).unwrap(), ["sum_subgroup"]);
    profile.workarounds.no_subgroup_arithmetic = true;
    assert_eq!(kernels_of(&op, &profile).unwrap(), ["sum_shared"]);
}

#[test]
fn an_operation_in_many_parts_names_its_kernel_once() {
    let op = Op::Gelu { x: tensor(0, DType::F32, &[900]), y: tensor(0, DType::F32, &[900]) };
    assert!(dispatches(&op, &small(256)).len() > 1);
    assert_eq!(kernels_of(&op, &small(256)).unwrap(), ["gelu"]);
}
