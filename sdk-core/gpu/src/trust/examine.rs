//! Running the cases on a device and judging its answers.

use std::{collections::BTreeMap, time::Instant};

use super::{KernelReport, Verdict, answers, cases as all_cases, value::Value};
use crate::{
    Cache, DType, Device, Error, Result,
    backend::{Action, BackendDevice, Step, Work},
    op::Op,
};

/// Which cases reach which kernel on a device; made once a device.
pub(crate) struct Plan {
    cases: Vec<Op<Value>>,
    by_kernel: BTreeMap<String, Vec<usize>>,
}

impl Plan {
    /// The CPU has no kernels of that kind; there, operations stand for them.
    pub(crate) fn new(device: &Device) -> Result<Self> {
        let backend = device.backend()?;
        let cases = all_cases::all()?;
        let mut by_kernel: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, case) in cases.iter().enumerate() {
            let kernels = backend.kernels_of(&case.placed(device)?)?;
            if kernels.is_empty() {
                by_kernel.entry(label(case)).or_default().push(at);
            }
            for kernel in kernels {
                by_kernel.entry(kernel.to_owned()).or_default().push(at);
            }
        }
        Ok(Self { cases, by_kernel })
    }

    pub(crate) fn kernels(&self) -> Vec<String> {
        self.by_kernel.keys().cloned().collect()
    }

    /// Tests one kernel.
    pub(crate) fn examine(&self, device: &Device, kernel: &str) -> Result<KernelReport> {
        let cases = self.by_kernel.get(kernel).into_iter().flatten().filter_map(|&at| self.cases.get(at));
        examine(device, kernel, cases)
    }
}

/// Computes `cases` on the device and compares.
fn examine<'a>(
    device: &Device,
    kernel: &str,
    cases: impl Iterator<Item = &'a Op<Value>>,
) -> Result<KernelReport> {
    let backend = device.backend()?;
    let start = Instant::now();
    let (mut worst, mut count) = (0.0_f64, 0);
    let mut verdict = Verdict::Failed { reason: "no self-test reaches this kernel".into() };
    for case in cases {
        count += 1;
        verdict = Verdict::Trusted;
        match compute(device, &*backend, case) {
            Ok(got) => match judge(case, &got) {
                Ok(error) => worst = worst.max(error),
                Err(reason) => verdict = Verdict::Wrong { reason },
            },
            // A lost device and a lack of memory say nothing about the kernel.
            Err(error @ (Error::DeviceLost { .. } | Error::Closed { .. } | Error::OutOfMemory { .. })) => {
                return Err(error);
            }
            Err(error) => verdict = Verdict::Failed { reason: error.to_string() },
        }
        if !verdict.is_trusted() {
            break;
        }
    }
    let kernel = kernel.to_owned();
    Ok(KernelReport { kernel, verdict, worst_error: worst, cases: count, elapsed: start.elapsed() })
}

/// Runs one case on the bare backend: the line, and trust itself, are above this.
fn compute(device: &Device, backend: &dyn BackendDevice, case: &Op<Value>) -> Result<Vec<Value>> {
    let op = case.upload(device)?;
    // Held here, because nothing in the line holds it: the device may be closed while the work runs.
    let mut memory = Vec::new();
    op.visit(&mut |tensor, _| memory.push(tensor.buffer().memory()));
    let _memory: Vec<_> = memory.into_iter().collect::<Result<_>>()?;
    let work = Work { steps: vec![Step { action: Action::Op(op.clone()), barrier: false }], timed: false };
    backend.submit(&work)?.wait(None)?;
    case.download(&op)
}

/// The worst error as a part of the bound, or the first element that is beyond it.
fn judge(case: &Op<Value>, got: &[Value]) -> Result<f64, String> {
    let bound = bound(case) * answers::magnitude(case).max(1e-3);
    let mut worst = 0.0_f64;
    // What a kernel leaves for the next one of its operation has no answer, and is judged by the end.
    for (expected, got) in answers::answer(case).iter().zip(got) {
        for (i, want) in expected.iter().enumerate() {
            let have = got.number(i);
            let error = (have - want).abs() / bound;
            // A NaN is not within any bound.
            if error.is_nan() || error > 1.0 {
                return Err(format!(
                    "{}: element {i} of {} is {have:.6e}, expected {want:.6e} within {bound:.1e}",
                    label(case),
                    expected.len()
                ));
            }
            worst = worst.max(error);
        }
    }
    Ok(worst)
}

/// The largest error that is trusted, relative to the magnitude of the numbers involved.
fn bound(case: &Op<Value>) -> f64 {
    match case {
        // Indices are right or wrong; copies and fills round once, to the type of the output.
        Op::Argmax { .. } => 1e-9,
        Op::Fill { y, .. } | Op::Copy { y, .. } => match y.dtype {
            DType::F32 | DType::U32 => 1e-7,
            DType::F16 => 1e-3,
            DType::Bf16 => 8e-3,
        },
        Op::Add { .. } | Op::Mul { .. } | Op::Scale { .. } | Op::Rope { .. } | Op::Gather { .. } => 2e-6,
        // Cases have numbers that round to the same bytes and halves however a device divides.
        Op::Store { .. } => 1e-6,
        // exp, tanh and inverse square roots are a few units in the last place off on GPUs; sums round many times.
        Op::SiluMul { .. }
        | Op::Gelu { .. }
        | Op::GeluMul { .. }
        | Op::SigmoidMul { .. }
        | Op::Softcap { .. }
        | Op::Softmax { .. }
        | Op::RmsNorm { .. }
        | Op::AddRmsNorm { .. }
        | Op::LayerNorm { .. }
        | Op::Sum { .. }
        | Op::Attention { .. }
        | Op::Convolve(_)
        | Op::GatedDelta(_)
        | Op::MatMul { .. } => 1e-4,
    }
}

/// An operation with what distinguishes its variants.
fn label(op: &Op<Value>) -> String {
    use crate::Weight::{Dense, Quantised};
    match op {
        Op::MatMul { x, weight, .. } => {
            let name = if x.shape.rows() == 1 { "matvec" } else { "matmul" };
            match weight {
                Dense(w) => format!("{name}_{:?}", w.dtype).to_lowercase(),
                Quantised(q) => format!("{name}_q{}", q.bits.count()),
            }
        }
        Op::Gather { table: Quantised(q), .. } => format!("gather_q{}", q.bits.count()),
        Op::Gather { table: Dense(w), .. } => format!("gather_{:?}", w.dtype).to_lowercase(),
        Op::Store { cache, .. } => format!("store_{}", kind(cache)),
        Op::Attention { of, .. } => format!("attention_{}", kind(&of.keys)),
        other => other.name().to_owned(),
    }
}

/// How a cache keeps its rows.
fn kind(cache: &Cache<Value>) -> String {
    match cache {
        Cache::Dense(rows) => format!("{:?}", rows.dtype).to_lowercase(),
        Cache::Bytes { .. } => "bytes".into(),
    }
}
