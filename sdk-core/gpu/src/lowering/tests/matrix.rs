//! The matrix family: every kernel against f64 on lavapipe, and splitting on paper.

use std::collections::BTreeSet;

use super::{
    super::{Profile, kernels::KERNELS, kernels_of},
    array::Array,
    lawful::dispatches,
    paper::{FLOOR, profile, tensor},
    random::Random,
    rig::Rig,
};
use crate::{Bits, DType, DeviceKind, Features, Group, Limits, Quantised, Tensor, Weight, op::Op};

#[derive(Clone, Copy, Debug)]
enum Format {
    Dense(DType),
    Packed(Bits),
}

const FORMATS: [Format; 6] = [
    Format::Dense(DType::F32),
    Format::Dense(DType::F16),
    Format::Dense(DType::Bf16),
    Format::Packed(Bits::B4),
    Format::Packed(Bits::B6),
    Format::Packed(Bits::B8),
];

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::Bf16];

/// Rows of x that lead to different kernels.
const ROWS: [(u32, u32); 4] = [(1, 1), (2, 3), (4, 16), (17, 80)];

/// A product's shape. What is aligned suits the kernels that want whole vectors.
#[derive(Clone, Copy, Debug)]
struct Draw {
    format: Format,
    m: u32,
    n: u32,
    k: u32,
    group: Group,
    scales: DType,
    aligned: bool,
}

impl Draw {
    fn new(format: Format, (least, most): (u32, u32), aligned: bool, random: &mut Random) -> Self {
        let group = random.one_of(&[Group::G32, Group::G64, Group::G128]);
        let k = match format {
            Format::Packed(_) => group.size() * random.between(1, 3),
            Format::Dense(_) if aligned => 8 * random.between(1, 40),
            Format::Dense(_) => random.between(1, 330),
        };
        let (edge, any) = (random.one_of(&[1, 7, 32, 65]), random.between(1, 300));
        let n = random.one_of(&[edge, any]);
        Self { format, m: random.between(least, most), n, k, group, scales: random.one_of(&FLOATS), aligned }
    }

    /// The product over operands that `make` makes from a type and dimensions.
    fn product<T>(self, mut make: impl FnMut(DType, &[u32]) -> T) -> Op<T> {
        let Self { m, n, k, group, scales, .. } = self;
        let weight = match self.format {
            Format::Dense(dtype) => Weight::Dense(make(dtype, &[n, k])),
            Format::Packed(bits) => Weight::Quantised(Quantised {
                words: make(DType::U32, &[n, k / 32 * bits.count()]),
                scales: make(scales, &[n, k / group.size()]),
                biases: make(scales, &[n, k / group.size()]),
                bits,
                group,
            }),
        };
        Op::MatMul { x: make(DType::F32, &[m, k]), weight, y: make(DType::F32, &[m, n]) }
    }

    fn on_the_host(self, random: &mut Random, number: &fn(&mut Random) -> f64) -> Op<Array> {
        self.product(|dtype, dims| {
            let elements = dims.iter().product::<u32>();
            let mut each = || match dtype {
                DType::U32 => f64::from(random.next() as u32),
                _ => number(random),
            };
            let array = Array::new(dtype, dims, (0..elements).map(|_| each()).collect());
            array.placed_after(self.place(random))
        })
    }

    fn on_paper(self, random: &mut Random) -> Op<Tensor> {
        self.product(|dtype, dims| {
            let offset = 16 * random.between(0, 20) + self.place(random);
            tensor(u64::from(offset), dtype, dims)
        })
    }

    /// Bytes after a multiple of 16.
    fn place(self, random: &mut Random) -> u32 {
        if self.aligned { 0 } else { 4 * random.between(1, 3) }
    }
}

fn ordinary(random: &mut Random) -> f64 {
    4.0 * random.unit()
}

/// All kinds of numbers at once. Large ones stay within what an f16 holds, so that none becomes infinite on the way.
fn hard(random: &mut Random) -> f64 {
    match random.next() % 4 {
        0 => 0.0_f64.copysign(random.unit()),
        1 => random.unit() * 1e-39,
        2 => random.unit() * 6e4,
        _ => random.unit(),
    }
}

fn with_nans(random: &mut Random) -> f64 {
    if random.next().is_multiple_of(2000) { f64::NAN } else { random.unit() }
}

/// Draws products of every kernel, each with every kind of numbers, and checks them.
fn check(rig: &Rig, numbers: &[fn(&mut Random) -> f64]) {
    let random = &mut Random::seeded();
    for format in FORMATS {
        for rows in ROWS {
            for aligned in [true, false] {
                for number in numbers {
                    let draw = Draw::new(format, rows, aligned, random);
                    rig.check(&draw.on_the_host(random, number), random);
                }
            }
        }
    }
}

#[test]
fn products_agree_with_f64_and_a_nan_stays_in_its_row_or_column() {
    check(&Rig::open(), &[ordinary, ordinary, hard, with_nans]);
}

#[test]
fn products_beyond_a_binding_give_the_same_numbers() {
    check(&Rig::with_bindings_of(4096), &[ordinary]);
}

/// A device that the lanes kernels are for.
fn software(limits: Limits) -> Profile {
    let features = Features { subgroup_shuffle: true, ..Features::default() };
    Profile { kind: DeviceKind::Software, subgroup_size: Some(8), features, ..profile(limits) }
}

#[test]
fn the_draws_of_these_tests_lead_to_every_kernel_of_the_family() {
    let random = &mut Random::seeded();
    let profile = software(Limits { max_bindings: 5, ..FLOOR });
    let mut met = BTreeSet::new();
    for format in FORMATS {
        for rows in ROWS {
            for aligned in [true, false] {
                let op = Draw::new(format, rows, aligned, random).on_paper(random);
                met.extend(kernels_of(&op, &profile).unwrap());
            }
        }
    }
    let all: BTreeSet<_> = KERNELS.iter().map(|k| k.name).filter(|name| name.starts_with("mat")).collect();
    assert_eq!(met, all);
}

#[test]
fn only_software_of_eight_lanes_gets_the_lanes_kernels() {
    let random = &mut Random::seeded();
    let limits = Limits { max_bindings: 5, ..FLOOR };
    let op = Draw::new(FORMATS[0], (20, 20), true, random).on_paper(random);
    let phone = Profile { kind: DeviceKind::Integrated, ..software(limits) };
    let narrow = Profile { subgroup_size: Some(4), ..software(limits) };
    assert_eq!(kernels_of(&op, &software(limits)).unwrap(), ["matmul_lanes_f32"]);
    assert_eq!(kernels_of(&op, &phone).unwrap(), ["matmul_f32"]);
    assert_eq!(kernels_of(&op, &narrow).unwrap(), ["matmul_f32"]);
}

#[test]
fn parts_of_a_product_write_every_value_once() {
    let random = &mut Random::seeded();
    for _ in 0..400 {
        let (format, rows) = (random.one_of(&FORMATS), random.one_of(&ROWS));
        let draw = Draw::new(format, rows, random.one_of(&[true, false]), random);
        let limits = Limits {
            max_binding_bytes: u64::from(64 + 8 * draw.k + random.between(0, 6000)),
            binding_alignment: 64,
            max_bindings: 5,
            max_workgroups: [random.between(1, 5), random.between(1, 5), 1],
            ..FLOOR
        };
        let profile = if random.one_of(&[true, false]) { software(limits) } else { profile(limits) };
        let op = draw.on_paper(random);
        let Op::MatMul { y, .. } = &op else { unreachable!("a draw is a product") };
        let (m, n) = (draw.m as usize, draw.n as usize);
        let mut written = vec![0; m * n];
        for part in dispatches(&op, &profile) {
            let at = (part.bindings[2].offset + 4 * u64::from(part.params[6]) - y.offset()) / 4;
            for row in 0..part.params[0] as usize {
                for column in 0..part.params[1] as usize {
                    written[at as usize + row * n + column] += 1;
                }
            }
        }
        assert!(written.iter().all(|&times| times == 1), "{draw:?} with {limits:?}");
    }
}

#[test]
fn a_row_of_weights_beyond_a_binding_is_refused_with_the_numbers() {
    let op: Op<Tensor> = Op::MatMul {
        x: tensor(0, DType::F32, &[1, 1000]),
        weight: Weight::Dense(tensor(0, DType::F32, &[4, 1000])),
        y: tensor(0, DType::F32, &[1, 4]),
    };
    let limits = Limits { max_binding_bytes: 2048, ..FLOOR };
    let error = super::super::lower(&op, &profile(limits)).unwrap_err().to_string();
    assert!(error.contains("matmul: a row of the weights of 4000 bytes"), "{error}");
}
