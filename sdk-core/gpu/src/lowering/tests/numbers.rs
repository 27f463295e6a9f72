//! Every kernel against f64, on shapes and numbers from a seed: ordinary ones, and those that hurt.

use super::{array::Array, random::Random, rig::Rig};
use crate::{Bits, DType, Group, Quantised, RopePairs, Weight, op::Op};

/// What the elements of an operand look like.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// Around 1.
    Ordinary,
    /// Nothing but zeros, of both signs.
    Zeros,
    /// Denormals of f32 among ordinary numbers.
    Denormal,
    /// Up to 1e18: squares do not overflow.
    Large,
    /// Anything that f32 can hold.
    Huge,
    /// A NaN in every few hundred.
    Nan,
}

const GENTLE: [Data; 4] = [Data::Ordinary, Data::Zeros, Data::Denormal, Data::Large];
const ALL: [Data; 6] = [Data::Ordinary, Data::Zeros, Data::Denormal, Data::Large, Data::Huge, Data::Nan];

fn number(data: Data, random: &mut Random) -> f64 {
    let unit = random.unit();
    let rare = random.next().is_multiple_of(8);
    match data {
        Data::Zeros => 0.0_f64.copysign(unit),
        Data::Denormal if rare => unit * 1e-39,
        Data::Large => unit * 10_f64.powi(random.between(0, 18) as i32),
        Data::Huge => unit * 10_f64.powi(random.between(0, 38) as i32),
        Data::Nan if random.next().is_multiple_of(300) => f64::NAN,
        _ => 4.0 * unit,
    }
}

fn array(data: Data, dtype: DType, dims: &[u32], random: &mut Random) -> Array {
    let elements = dims.iter().product::<u32>();
    Array::new(dtype, dims, (0..elements).map(|_| number(data, random)).collect())
}

fn f32s(data: Data, dims: &[u32], random: &mut Random) -> Array {
    array(data, DType::F32, dims, random)
}

/// A result of its own, or operand `i` where the operation may work in place.
fn result_or(i: usize, x: &Array, random: &mut Random) -> Array {
    let y = Array::result(DType::F32, x.shape.dims());
    if random.next().is_multiple_of(2) { y.in_place(i) } else { y }
}

fn shape(random: &mut Random) -> [u32; 2] {
    let [edge, any] = [random.one_of(&[1, 2, 127, 128, 129, 257]), random.between(1, 600)];
    [random.between(1, 9), random.one_of(&[edge, any])]
}

fn elementwise(random: &mut Random) -> Vec<Op<Array>> {
    let dims = shape(random);
    let data = random.one_of(&ALL);
    let a = f32s(data, &dims, random);
    let b = f32s(data, &[random.one_of(&[1, dims[0]]), dims[1]], random);
    let up = f32s(Data::Ordinary, &dims, random);
    let y = result_or(0, &a, random);
    vec![
        Op::Add { a: a.clone(), b: b.clone(), y: y.clone() },
        Op::Add { a: a.clone(), b: up.clone(), y: Array::result(DType::F32, &dims).in_place(1) },
        Op::Mul { a: a.clone(), b, y: y.clone() },
        Op::SiluMul { gate: a.clone(), up, y: y.clone() },
        Op::Gelu { x: a.clone(), y: y.clone() },
        Op::GeluMul { gate: a.clone(), up: f32s(Data::Ordinary, &dims, random), y: y.clone() },
        Op::SigmoidMul { gate: a.clone(), x: f32s(Data::Ordinary, &dims, random), y: y.clone() },
        Op::Softcap { x: a.clone(), y: y.clone(), cap: random.one_of(&[1.0, 30.0, 50.0]) },
        Op::Scale { x: a, y, factor: random.one_of(&[0.5, -3.7, 1e-3]) },
    ]
}

fn by_rows(random: &mut Random) -> Vec<Op<Array>> {
    let dims = shape(random);
    let data = random.one_of(&[GENTLE[0], GENTLE[1], GENTLE[2], GENTLE[3], Data::Nan]);
    let x = f32s(data, &dims, random);
    let any = random.one_of(&ALL);
    let weight = f32s(Data::Ordinary, &[dims[1]], random);
    let bias = f32s(Data::Ordinary, &[dims[1]], random);
    let y = result_or(0, &x, random);
    let epsilon = random.one_of(&[1e-6, 1e-5, 1e-2]);
    vec![
        Op::RmsNorm { x: x.clone(), weight: weight.clone(), y: y.clone(), epsilon },
        Op::AddRmsNorm {
            x: x.clone(),
            delta: f32s(Data::Ordinary, &dims, random),
            weight: weight.clone(),
            sum: result_or(0, &x, random),
            y: result_or(1, &x, random),
            epsilon,
        },
        Op::LayerNorm { x: x.clone(), weight, bias, y: y.clone(), epsilon },
        Op::Softmax { x: f32s(any, &dims, random), y, scale: random.one_of(&[1.0, 0.125, -0.5]) },
        Op::Sum { x: x.clone(), y: Array::result(DType::F32, &[dims[0]]) },
        Op::Argmax { x: f32s(any, &dims, random), y: Array::result(DType::U32, &[dims[0]]) },
    ]
}

fn conversions(random: &mut Random) -> Vec<Op<Array>> {
    let n = random.between(1, 900);
    let types = [DType::F32, DType::F16, DType::Bf16];
    let (from, to) = (random.one_of(&types), random.one_of(&types));
    let x = match random.next() % 2 {
        0 => array(random.one_of(&ALL), from, &[n], random),
        // Small enough to be a denormal of f16, where rounding has a rule of its own.
        _ => Array::new(
            from,
            &[n],
            (0..n).map(|_| random.unit() * 2_f64.powi(-(random.between(8, 30) as i32))).collect(),
        ),
    };
    let y = Array::result(to, &[n]);
    let value = number(Data::Ordinary, random) as f32;
    vec![Op::Copy { x, y: y.clone() }, Op::Fill { y, value }]
}

fn rope(random: &mut Random) -> Vec<Op<Array>> {
    let (tokens, heads, pairs) = (random.between(1, 7), random.between(1, 5), random.between(1, 33));
    let x = f32s(random.one_of(&GENTLE), &[tokens, heads, 2 * pairs + random.between(0, 9)], random);
    let angles: Vec<f64> =
        (0..tokens * pairs).map(|_| 4.0 * random.unit()).flat_map(|t| [t.cos(), t.sin()]).collect();
    let angles = Array::new(DType::F32, &[tokens, pairs, 2], angles);
    let y = result_or(0, &x, random);
    [RopePairs::Halves, RopePairs::Neighbours]
        .map(|pairs| Op::Rope { x: x.clone(), angles: angles.clone(), y: y.clone(), pairs })
        .into()
}

fn gathers(random: &mut Random) -> Vec<Op<Array>> {
    let (rows, n) = (random.between(1, 40), random.between(1, 12));
    let dtype = random.one_of(&[DType::F32, DType::F16, DType::Bf16]);
    let ids: Vec<f64> = (0..n).map(|_| f64::from(random.between(0, rows + 2))).collect();
    let ids = Array::new(DType::U32, &[n], [&ids[1..], &[f64::from(u32::MAX)]].concat());

    let columns = random.between(1, 300);
    let table = Weight::Dense(array(random.one_of(&ALL), dtype, &[rows, columns], random));
    let dense = Op::Gather { table, ids: ids.clone(), y: Array::result(DType::F32, &[n, columns]) };

    let bits = random.one_of(&[Bits::B4, Bits::B6, Bits::B8]);
    let group = random.one_of(&[Group::G32, Group::G64, Group::G128]);
    let groups = random.between(1, 3);
    let columns = groups * group.size();
    let packed = columns / 32 * bits.count();
    let words = (0..rows * packed).map(|_| f64::from(random.next() as u32)).collect();
    let table = Weight::Quantised(Quantised {
        words: Array::new(DType::U32, &[rows, packed], words),
        scales: array(Data::Ordinary, dtype, &[rows, groups], random),
        biases: array(Data::Ordinary, dtype, &[rows, groups], random),
        bits,
        group,
    });
    vec![dense, Op::Gather { table, ids, y: Array::result(DType::F32, &[n, columns]) }]
}

/// Draws operations again and again and checks each.
fn check(rig: &Rig, times: u32, mut draw: impl FnMut(&mut Random) -> Vec<Op<Array>>) {
    let random = &mut Random::seeded();
    for _ in 0..times {
        for op in draw(random) {
            rig.check(&op, random);
        }
    }
}

#[test]
fn elementwise_kernels_agree_with_f64() {
    check(&Rig::open(), 60, elementwise);
}

#[test]
fn row_kernels_agree_with_f64() {
    check(&Rig::open(), 80, by_rows);
}

#[test]
fn row_kernels_through_shared_memory_agree_with_f64() {
    for (kernel, instead) in [
        ("rmsnorm_subgroup", "rmsnorm_shared"),
        ("add_rmsnorm_subgroup", "add_rmsnorm_shared"),
        ("layernorm_subgroup", "layernorm_shared"),
        ("softmax_subgroup", "softmax_shared"),
        ("sum_subgroup", "sum_shared"),
        ("argmax_subgroup", "argmax_shared"),
    ] {
        let rig = Rig::with_variant(kernel, instead);
        let name = kernel.trim_end_matches("_subgroup");
        check(&rig, 60, |random| by_rows(random).into_iter().filter(|op| op.name() == name).collect());
    }
}

#[test]
fn conversions_round_to_nearest_even_and_leave_their_neighbours_alone() {
    check(&Rig::open(), 150, conversions);
}

#[test]
fn rope_agrees_with_f64() {
    check(&Rig::open(), 60, rope);
}

#[test]
fn gathers_agree_with_f64() {
    check(&Rig::open(), 80, gathers);
}

#[test]
fn tensors_beyond_a_binding_give_the_same_numbers() {
    let rig = Rig::with_bindings_of(4096);
    check(&rig, 15, elementwise);
    check(&rig, 15, by_rows);
    check(&rig, 30, conversions);
    check(&rig, 15, rope);
    check(&rig, 30, gathers);
}

#[test]
fn every_half_survives_the_way_to_f32_and_back() {
    let rig = Rig::open();
    let random = &mut Random::seeded();
    for dtype in [DType::F16, DType::Bf16] {
        let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let mut all = Array::result(dtype, &[1 << 16]);
        all.values = all.decode(&bytes);
        rig.check(&Op::Copy { x: all.clone(), y: Array::result(DType::F32, &[1 << 16]) }, random);
        let wide = Array::new(DType::F32, &[1 << 16], all.values);
        rig.check(&Op::Copy { x: wide, y: Array::result(dtype, &[1 << 16]) }, random);
    }
}

#[test]
fn more_rows_than_one_axis_of_the_grid_takes() {
    let random = &mut Random::seeded();
    let x = f32s(Data::Ordinary, &[65_537, 3], random);
    Rig::open().check(&Op::Sum { x, y: Array::result(DType::F32, &[65_537]) }, random);
}

#[test]
fn argmax_takes_the_first_of_equals_and_never_nan() {
    let rig = Rig::open();
    let random = &mut Random::seeded();
    let nan = f64::NAN;
    for (row, winner) in [
        (vec![1.0, 3.0, 3.0], 1),
        (vec![-0.0, 0.0], 0),
        (vec![nan, -1.0, nan], 1),
        (vec![nan, nan], 0),
        (vec![f64::NEG_INFINITY, nan, f64::NEG_INFINITY], 0),
        (vec![nan, f64::NEG_INFINITY, f64::INFINITY], 2),
    ] {
        let x = Array::new(DType::F32, &[1, row.len() as u32], row);
        let (got, _) = rig.run(&Op::Argmax { x, y: Array::result(DType::U32, &[1]) }, random);
        assert_eq!(got, [[f64::from(winner)]]);
    }
}

#[test]
fn a_mask_of_minus_infinity_gets_no_weight() {
    let random = &mut Random::seeded();
    let row = vec![f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY, 3.0];
    let x = Array::new(DType::F32, &[1, 4], row);
    Rig::open().check(&Op::Softmax { x, y: Array::result(DType::F32, &[1, 4]), scale: 0.5 }, random);
}
