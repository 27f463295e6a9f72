//! The cases of the self-test: small, of odd shapes, and the same on every device.
//!
//! Shapes are primes and near-misses of tile sizes, so that a kernel which is right only for whole tiles is caught.
//! Every kernel that lowering can choose must be reached by at least one case; a test sees to that.

mod attention;
mod recurrence;

use super::value::Value;
use crate::{Bits, DType, Group, Quantised, Result, RopePairs, Shape, Weight, op::Op};

/// All cases.
pub(crate) fn all() -> Result<Vec<Op<Value>>> {
    let mut make = Make { state: 0x9E37_79B9_7F4A_7C15 };
    let mut cases = Vec::new();
    elementwise(&mut make, &mut cases)?;
    rows(&mut make, &mut cases)?;
    tables(&mut make, &mut cases)?;
    matrices(&mut make, &mut cases)?;
    attention::add(&mut make, &mut cases)?;
    recurrence::add(&mut make, &mut cases)?;
    Ok(cases)
}

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::Bf16];

fn elementwise(make: &mut Make, cases: &mut Vec<Op<Value>>) -> Result<()> {
    for dtype in FLOATS {
        cases.push(Op::Fill { y: zeros(dtype, &[1031])?, value: -1.5 });
        for to in FLOATS {
            cases.push(Op::Copy { x: make.floats(dtype, &[1031])?, y: zeros(to, &[1031])? });
        }
    }
    for dims in [&[1031][..], &[4, 256]] {
        let y = zeros(DType::F32, dims)?;
        cases.push(Op::Add { a: make.f32(dims)?, b: make.f32(dims)?, y: y.clone() });
        cases.push(Op::Mul { a: make.f32(dims)?, b: make.f32(dims)?, y: y.clone() });
        cases.push(Op::SiluMul { gate: make.wide(dims)?, up: make.f32(dims)?, y: y.clone() });
        cases.push(Op::Gelu { x: make.wide(dims)?, y: y.clone() });
        cases.push(Op::GeluMul { gate: make.wide(dims)?, up: make.f32(dims)?, y: y.clone() });
        cases.push(Op::SigmoidMul { gate: make.wide(dims)?, x: make.f32(dims)?, y: y.clone() });
        cases.push(Op::Softcap { x: make.wide(dims)?, y: y.clone(), cap: 15.0 });
        cases.push(Op::Scale { x: make.f32(dims)?, y, factor: -0.37 });
    }
    let dims = &[7, 131];
    cases.push(Op::Add { a: make.f32(dims)?, b: make.f32(&[131])?, y: zeros(DType::F32, dims)? });
    cases.push(Op::Mul { a: make.f32(dims)?, b: make.f32(&[131])?, y: zeros(DType::F32, dims)? });
    Ok(())
}

fn rows(make: &mut Make, cases: &mut Vec<Op<Value>>) -> Result<()> {
    for dims in [&[3, 523][..], &[5, 16], &[2, 2048]] {
        let columns = dims[1];
        let y = zeros(DType::F32, dims)?;
        let weight = make.f32(&[columns])?;
        cases.push(Op::RmsNorm { x: make.f32(dims)?, weight: weight.clone(), y: y.clone(), epsilon: 1e-5 });
        cases.push(Op::AddRmsNorm {
            x: make.f32(dims)?,
            delta: make.f32(dims)?,
            weight: weight.clone(),
            sum: y.clone(),
            y: y.clone(),
            epsilon: 1e-5,
        });
        cases.push(Op::LayerNorm {
            x: make.f32(dims)?,
            weight,
            bias: make.f32(&[columns])?,
            y: y.clone(),
            epsilon: 1e-5,
        });
        cases.push(Op::Softmax { x: make.wide(dims)?, y: y.clone(), scale: 0.37 });
        cases.push(Op::Argmax { x: make.f32(dims)?, y: zeros(DType::U32, &dims[..1])? });
        cases.push(Op::Sum { x: make.f32(dims)?, y: zeros(DType::F32, &dims[..1])? });
    }
    for pairs in [RopePairs::Halves, RopePairs::Neighbours] {
        for dims in [&[3, 5, 24], &[2, 3, 64]] {
            let (x, y) = (make.f32(dims)?, zeros(DType::F32, dims)?);
            cases.push(Op::Rope { x, angles: make.angles(dims[0], 11)?, y, pairs });
        }
    }
    Ok(())
}

fn tables(make: &mut Make, cases: &mut Vec<Op<Value>>) -> Result<()> {
    // The last id lies beyond the table: a row of zeros.
    let ids = |columns: u32, rows: u32| -> Result<(Value, Shape)> {
        Ok((Value::words(Shape::new(&[4])?, &[rows - 1, 0, 3, rows]), Shape::new(&[4, columns])?))
    };
    for dtype in FLOATS {
        for columns in [67, 128] {
            let (ids, shape) = ids(columns, 11)?;
            let table = Weight::Dense(make.floats(dtype, &[11, columns])?);
            cases.push(Op::Gather { table, ids, y: Value::zeros(DType::F32, shape) });
        }
    }
    for (bits, group, scales) in quantisations() {
        let columns = group.size() * 3;
        let (ids, shape) = ids(columns, 13)?;
        let table = make.quantised(bits, group, scales, 13, columns)?;
        cases.push(Op::Gather { table, ids, y: Value::zeros(DType::F32, shape) });
    }
    Ok(())
}

fn matrices(make: &mut Make, cases: &mut Vec<Op<Value>>) -> Result<()> {
    // One row, a few rows, and more than a tile in every direction; aligned and not.
    for (m, n, k) in
        [(1, 37, 67), (1, 40, 256), (3, 19, 65), (4, 64, 128), (33, 70, 35), (37, 131, 132), (64, 64, 64)]
    {
        for dtype in FLOATS {
            let weight = Weight::Dense(make.floats(dtype, &[n, k])?);
            cases.push(Op::MatMul { x: make.f32(&[m, k])?, weight, y: zeros(DType::F32, &[m, n])? });
        }
    }
    for (bits, group, scales) in quantisations() {
        for (m, n, groups) in [(1, 37, 5), (1, 64, 8), (3, 21, 3), (37, 70, 3), (64, 64, 2)] {
            let k = groups * group.size();
            let weight = make.quantised(bits, group, scales, n, k)?;
            cases.push(Op::MatMul { x: make.f32(&[m, k])?, weight, y: zeros(DType::F32, &[m, n])? });
        }
    }
    Ok(())
}

fn quantisations() -> impl Iterator<Item = (Bits, Group, DType)> {
    [Bits::B4, Bits::B6, Bits::B8].into_iter().flat_map(|bits| {
        [Group::G32, Group::G64, Group::G128]
            .into_iter()
            .flat_map(move |group| FLOATS.into_iter().map(move |scales| (bits, group, scales)))
    })
}

fn zeros(dtype: DType, dims: &[u32]) -> Result<Value> {
    Ok(Value::zeros(dtype, Shape::new(dims)?))
}

/// Makes values from a fixed seed.
struct Make {
    state: u64,
}

impl Make {
    /// `SplitMix64`: good enough to leave no structure that a wrong kernel could hide behind.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In -1..1.
    fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn floats(&mut self, dtype: DType, dims: &[u32]) -> Result<Value> {
        let shape = Shape::new(dims)?;
        let floats: Vec<f32> = (0..shape.elements()).map(|_| self.float()).collect();
        Ok(Value::floats(dtype, shape, &floats))
    }

    fn f32(&mut self, dims: &[u32]) -> Result<Value> {
        self.floats(DType::F32, dims)
    }

    /// In -30..30, with a few far out, where careless exponentials overflow.
    fn wide(&mut self, dims: &[u32]) -> Result<Value> {
        let shape = Shape::new(dims)?;
        let mut floats: Vec<f32> = (0..shape.elements()).map(|_| self.float() * 30.0).collect();
        for (i, far) in [(1, 90.0), (2, -90.0), (5, 0.0)] {
            floats[i] = far;
        }
        Ok(Value::floats(DType::F32, shape, &floats))
    }

    fn angles(&mut self, tokens: u32, pairs: u32) -> Result<Value> {
        let turns: Vec<f32> = (0..tokens * pairs)
            .flat_map(|_| {
                let (sin, cos) = (self.float() * 3.0).sin_cos();
                [cos, sin]
            })
            .collect();
        Ok(Value::floats(DType::F32, Shape::new(&[tokens, pairs, 2])?, &turns))
    }

    fn quantised(
        &mut self,
        bits: Bits,
        group: Group,
        scales: DType,
        rows: u32,
        columns: u32,
    ) -> Result<Weight<Value>> {
        let words = Shape::new(&[rows, columns * bits.count() / 32])?;
        let random: Vec<u32> = (0..words.elements()).map(|_| self.next() as u32).collect();
        let groups = [rows, columns / group.size()];
        // Scales of one sign and biases near the middle, as quantised weights have.
        let scale = 2.0 / (1 << bits.count()) as f32;
        let count = groups[0] * groups[1];
        let scale_values: Vec<f32> = (0..count).map(|_| scale * (1.0 + 0.5 * self.float())).collect();
        let bias_values: Vec<f32> = (0..count).map(|_| -1.0 + 0.25 * self.float()).collect();
        Ok(Weight::Quantised(Quantised {
            words: Value::words(words, &random),
            scales: Value::floats(scales, Shape::new(&groups)?, &scale_values),
            biases: Value::floats(scales, Shape::new(&groups)?, &bias_values),
            bits,
            group,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        Device, DeviceKind, cpu,
        lowering::{self, Profile, kernels::KERNELS},
    };

    #[test]
    fn every_kernel_is_reached_by_a_case_on_some_kind_of_device() {
        let device = Device::over(cpu::open());
        let mut reached = BTreeSet::new();
        for kind in [DeviceKind::Software, DeviceKind::Integrated] {
            for subgroup_arithmetic in [true, false] {
                let mut description = cpu::describe();
                description.kind = kind;
                description.subgroup_size = Some(8);
                description.features.subgroup_arithmetic = subgroup_arithmetic;
                description.features.subgroup_shuffle = true;
                description.limits.max_workgroup_threads = 1024;
                description.limits.max_workgroup_size = [1024; 3];
                description.limits.max_workgroups = [65_535; 3];
                description.limits.shared_memory_bytes = 32 << 10;
                let profile = Profile::of(&description);
                for case in all().unwrap() {
                    reached.extend(lowering::kernels_of(&case.placed(&device).unwrap(), &profile).unwrap());
                }
            }
        }
        let missed: Vec<_> = KERNELS.iter().map(|k| k.name).filter(|name| !reached.contains(name)).collect();
        assert!(missed.is_empty(), "no case reaches {missed:?}");
    }
}
