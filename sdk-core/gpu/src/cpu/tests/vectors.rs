//! Golden vectors of MLX: what it packs is what we unpack, to the bit.

use half::{bf16, f16};
use serde::Deserialize;

use super::{
    harness::{Data, run},
    reference,
};
use crate::{Bits, Group, Quantised, Weight, cpu::simd::Level, op::Op};

#[derive(Deserialize)]
struct Vectors {
    note: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    bits: u32,
    group: u32,
    scale_type: String,
    rows: usize,
    columns: usize,
    words: Vec<u32>,
    scales: Vec<u16>,
    biases: Vec<u16>,
    weights: Vec<u32>,
}

impl Case {
    fn halves(&self, bits: &[u16]) -> Data {
        match self.scale_type.as_str() {
            "f16" => Data::F16(bits.iter().map(|&b| f16::from_bits(b)).collect()),
            "bf16" => Data::Bf16(bits.iter().map(|&b| bf16::from_bits(b)).collect()),
            other => panic!("unknown type {other}"),
        }
    }
}

#[test]
fn kernel_unpacks_what_mlx_packed_bit_for_bit() {
    let text = include_str!("../../../../../tests/vectors/mlx_quantised.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    println!("{}", vectors.note);
    assert_eq!(vectors.cases.len(), 18, "three widths, three groups, two types of scale");
    for case in &vectors.cases {
        let bits = [Bits::B4, Bits::B6, Bits::B8].into_iter().find(|bits| bits.count() == case.bits).unwrap();
        let group = [Group::G32, Group::G64, Group::G128]
            .into_iter()
            .find(|group| group.size() == case.group)
            .unwrap();
        let (rows, columns) = (case.rows, case.columns);
        let (mut scales, mut biases) = (case.halves(&case.scales), case.halves(&case.biases));
        let by_reference = reference::dequantise(
            &case.words,
            &scales.values(),
            &biases.values(),
            case.bits as usize,
            case.group as usize,
        );
        let mut words = Data::U32(case.words.clone());
        let groups = columns / case.group as usize;
        let table = Quantised {
            words: words.tensor(&[rows, columns * case.bits as usize / 32]),
            scales: scales.tensor(&[rows, groups]),
            biases: biases.tensor(&[rows, groups]),
            bits,
            group,
        };
        for level in Level::all() {
            let (mut ids, mut y) = (Data::U32((0..rows as u32).collect()), Data::zeros(rows * columns));
            let op = Op::Gather {
                table: Weight::Quantised(table.clone()),
                ids: ids.tensor(&[rows]),
                y: y.tensor(&[rows, columns]),
            };
            run(level, &op);
            let what =
                format!("{} bits, groups of {}, {}, {level:?}", case.bits, case.group, case.scale_type);
            for (i, (got, weight)) in y.values().iter().zip(&case.weights).enumerate() {
                assert_eq!(got.to_bits(), *weight, "{what}: weight {i} is {got}");
                assert_eq!(*got, by_reference[i] as f32, "{what}: the reference disagrees at {i}");
            }
        }
    }
}
