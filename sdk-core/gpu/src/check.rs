//! Checks that hold for every backend, made once, when an operation is recorded.
//!
//! After this, a backend may rely on: element types, shapes that fit each other, one device, and operands that do
//! not overlap (except an output that *is* an input, where the operation may run in place).

mod attention;
mod recurrence;

use crate::{
    DType, Error, Quantised, Result, Shape, Tensor, Weight,
    op::{Access, Op},
};

/// Checks one operation.
pub(crate) fn check(op: &Op<Tensor>) -> Result<()> {
    types(op)?;
    shapes(op)?;
    overlaps(op)
}

fn types(op: &Op<Tensor>) -> Result<()> {
    let call = op.name();
    match op {
        // Any type is filled; any float is converted to any other.
        Op::Fill { .. } => Ok(()),
        Op::Copy { x, y } => {
            float(call, "x", x)?;
            float(call, "y", y)
        }
        Op::Add { a, b, y } | Op::Mul { a, b, y } => {
            [("a", a), ("b", b), ("y", y)].iter().try_for_each(|(name, t)| is(call, name, t, DType::F32))
        }
        Op::SiluMul { gate, up: x, y } | Op::GeluMul { gate, up: x, y } | Op::SigmoidMul { gate, x, y } => {
            let second = gated(op);
            [("gate", gate), (second, x), ("y", y)]
                .iter()
                .try_for_each(|(name, t)| is(call, name, t, DType::F32))
        }
        Op::Gelu { x, y }
        | Op::Softcap { x, y, .. }
        | Op::Scale { x, y, .. }
        | Op::Softmax { x, y, .. }
        | Op::Sum { x, y } => {
            is(call, "x", x, DType::F32)?;
            is(call, "y", y, DType::F32)
        }
        Op::AddRmsNorm { x, delta, weight, sum, y, .. } => {
            [("x", x), ("delta", delta), ("weight", weight), ("sum", sum), ("y", y)]
                .iter()
                .try_for_each(|(name, t)| is(call, name, t, DType::F32))
        }
        Op::RmsNorm { x, weight, y, .. } => {
            is(call, "x", x, DType::F32)?;
            is(call, "weight", weight, DType::F32)?;
            is(call, "y", y, DType::F32)
        }
        Op::LayerNorm { x, weight, bias, y, .. } => {
            is(call, "x", x, DType::F32)?;
            is(call, "weight", weight, DType::F32)?;
            is(call, "bias", bias, DType::F32)?;
            is(call, "y", y, DType::F32)
        }
        Op::Rope { x, angles, y, .. } => [("x", x), ("angles", angles), ("y", y)]
            .iter()
            .try_for_each(|(name, t)| is(call, name, t, DType::F32)),
        Op::Gather { table, ids, y } => {
            weight_types(call, table)?;
            is(call, "ids", ids, DType::U32)?;
            is(call, "y", y, DType::F32)
        }
        Op::MatMul { x, weight, y } => {
            is(call, "x", x, DType::F32)?;
            weight_types(call, weight)?;
            is(call, "y", y, DType::F32)
        }
        Op::Argmax { x, y } => {
            is(call, "x", x, DType::F32)?;
            is(call, "y", y, DType::U32)
        }
        Op::Store { x, slots, cache } => {
            is(call, "x", x, DType::F32)?;
            is(call, "slots", slots, DType::U32)?;
            attention::cache_types(call, cache)
        }
        Op::Attention { of, partial } => attention::types(call, of, partial.as_ref()),
        Op::Convolve(of) => recurrence::convolution_types(call, of),
        Op::GatedDelta(of) => recurrence::delta_types(call, of),
    }
}

/// What the second operand of a gated product is called.
fn gated(op: &Op<Tensor>) -> &'static str {
    if matches!(op, Op::SigmoidMul { .. }) { "x" } else { "up" }
}

fn shapes(op: &Op<Tensor>) -> Result<()> {
    let call = op.name();
    match op {
        Op::Fill { .. } => Ok(()),
        Op::Copy { x, y } | Op::Gelu { x, y } | Op::Scale { x, y, .. } | Op::Softmax { x, y, .. } => {
            elements(call, "y", y, x.shape().elements())
        }
        Op::Softcap { x, y, cap } => {
            if cap.is_nan() || *cap <= 0.0 || cap.is_infinite() {
                return Err(Error::InvalidArgument {
                    what: call,
                    asked: format!("a cap of {cap}"),
                    allowed: "a positive number".into(),
                    help: "leave the operation out where a model has no cap",
                });
            }
            elements(call, "y", y, x.shape().elements())
        }
        Op::SiluMul { gate, up: x, y } | Op::GeluMul { gate, up: x, y } | Op::SigmoidMul { gate, x, y } => {
            elements(call, gated(op), x, gate.shape().elements())?;
            elements(call, "y", y, gate.shape().elements())
        }
        Op::Add { a, b, y } | Op::Mul { a, b, y } => {
            if b.shape().elements() != u64::from(a.shape().columns()) {
                elements(call, "b", b, a.shape().elements())?;
            }
            elements(call, "y", y, a.shape().elements())
        }
        Op::RmsNorm { x, weight, y, .. } => {
            elements(call, "weight", weight, x.shape().columns().into())?;
            elements(call, "y", y, x.shape().elements())
        }
        Op::AddRmsNorm { x, delta, weight, sum, y, .. } => {
            elements(call, "weight", weight, x.shape().columns().into())?;
            [("delta", delta), ("sum", sum), ("y", y)]
                .iter()
                .try_for_each(|(name, t)| elements(call, name, t, x.shape().elements()))
        }
        Op::LayerNorm { x, weight, bias, y, .. } => {
            elements(call, "weight", weight, x.shape().columns().into())?;
            elements(call, "bias", bias, x.shape().columns().into())?;
            elements(call, "y", y, x.shape().elements())
        }
        Op::Rope { x, angles, y, .. } => rope_shapes(call, x, angles, y),
        Op::Gather { table, ids, y } => {
            weight_shapes(call, table)?;
            let (_, columns) = table.dims();
            elements(call, "y", y, ids.shape().elements().saturating_mul(columns))
        }
        Op::MatMul { x, weight, y } => {
            weight_shapes(call, weight)?;
            let (rows, columns) = weight.dims();
            if u64::from(x.shape().columns()) != columns {
                return Err(shape_error(call, "x", x.shape(), format!("rows of {columns}, as the weight's")));
            }
            elements(call, "y", y, x.shape().rows().saturating_mul(rows))
        }
        Op::Argmax { x, y } | Op::Sum { x, y } => elements(call, "y", y, x.shape().rows()),
        Op::Store { x, slots, cache } => attention::store_shapes(call, x, slots, cache),
        Op::Attention { of, .. } => attention::shapes(call, of),
        Op::Convolve(of) => recurrence::convolution_shapes(call, of),
        Op::GatedDelta(of) => recurrence::delta_shapes(call, of),
    }
}

fn rope_shapes(call: &'static str, x: &Tensor, angles: &Tensor, y: &Tensor) -> Result<()> {
    let (shape, angles_shape) = (x.shape(), angles.shape());
    let (&[tokens, _, head], &[angle_tokens, half, 2]) = (shape.dims(), angles_shape.dims()) else {
        return Err(shape_error(
            call,
            "x and angles",
            x.shape(),
            "x of [tokens, heads, head] and angles of [tokens, dims / 2, 2]".into(),
        ));
    };
    if tokens != angle_tokens || u64::from(half) * 2 > u64::from(head) {
        return Err(shape_error(
            call,
            "angles",
            angles.shape(),
            format!("{tokens} tokens and at most {} pairs", head / 2),
        ));
    }
    elements(call, "y", y, x.shape().elements())
}

fn weight_types(call: &'static str, weight: &Weight<Tensor>) -> Result<()> {
    match weight {
        Weight::Dense(w) => float(call, "weight", w),
        Weight::Quantised(q) => {
            is(call, "words", &q.words, DType::U32)?;
            float(call, "scales", &q.scales)?;
            is(call, "biases", &q.biases, q.scales.dtype())
        }
    }
}

fn weight_shapes(call: &'static str, weight: &Weight<Tensor>) -> Result<()> {
    match weight {
        Weight::Dense(w) if w.shape().dims().len() != 2 => {
            Err(shape_error(call, "weight", w.shape(), "two dimensions: [outputs, inputs]".into()))
        }
        Weight::Dense(_) => Ok(()),
        Weight::Quantised(q) => quantised_shapes(call, q),
    }
}

fn quantised_shapes(call: &'static str, q: &Quantised<Tensor>) -> Result<()> {
    let (&[rows, groups], words) = (q.scales.shape().dims(), q.words.shape()) else {
        return Err(shape_error(
            call,
            "scales",
            q.scales.shape(),
            "two dimensions: [rows, columns / group]".into(),
        ));
    };
    let expected = u64::from(groups) * u64::from(q.group.size()) * u64::from(q.bits.count()) / 32;
    if words.rows() != u64::from(rows) || u64::from(words.columns()) != expected || words.dims().len() != 2 {
        return Err(shape_error(
            call,
            "words",
            words,
            format!(
                "[{rows}, {expected}] for {groups} groups of {} at {} bits",
                q.group.size(),
                q.bits.count()
            ),
        ));
    }
    if q.biases.shape() != q.scales.shape() {
        return Err(shape_error(
            call,
            "biases",
            q.biases.shape(),
            format!("{:?}, as the scales", q.scales.shape()),
        ));
    }
    Ok(())
}

fn overlaps(op: &Op<Tensor>) -> Result<()> {
    let outputs = op.outputs();
    let mut clash = None;
    op.visit(&mut |t, access| {
        let in_place = access == Access::Read && runs_in_place_on(op, t);
        let over = |output: &&&Tensor| !std::ptr::eq(t, **output) && touch(t, output);
        if let Some(output) = outputs.iter().filter(over).find(|output| !(in_place && same(t, output))) {
            clash = Some((t, access, *output));
        }
    });
    let Some((other, access, output)) = clash else { return Ok(()) };
    let what = if access == Access::Read { "an input" } else { "another output" };
    let in_place = access == Access::Read && runs_in_place_on(op, other);
    Err(Error::InvalidArgument {
        what: op.name(),
        asked: format!("an output at bytes {:?} over {what} at bytes {:?}", output.range(), other.range()),
        allowed: if in_place { "the very same tensor, or no overlap" } else { "no overlap" }.into(),
        help: "give the output a place of its own",
    })
}

/// Whether the operation may write its output over this very input: each element is read by the thread that
/// overwrites it, and not needed by any other after that.
fn runs_in_place_on(op: &Op<Tensor>, input: &Tensor) -> bool {
    let is = |t: &Tensor| std::ptr::eq(t, input);
    match op {
        Op::Add { a, b, .. }
        | Op::Mul { a, b, .. }
        | Op::SiluMul { gate: a, up: b, .. }
        | Op::GeluMul { gate: a, up: b, .. }
        | Op::SigmoidMul { gate: a, x: b, .. }
        | Op::AddRmsNorm { x: a, delta: b, .. } => is(a) || is(b),
        Op::Gelu { x, .. }
        | Op::Softcap { x, .. }
        | Op::Scale { x, .. }
        | Op::RmsNorm { x, .. }
        | Op::LayerNorm { x, .. }
        | Op::Softmax { x, .. }
        | Op::Rope { x, .. } => is(x),
        _ => false,
    }
}

/// Whether two tensors share a 4-byte word: kernels write whole words.
fn touch(a: &Tensor, b: &Tensor) -> bool {
    let up = |end: u64| end.next_multiple_of(4);
    a.buffer().is(b.buffer()) && a.range().start < up(b.range().end) && b.range().start < up(a.range().end)
}

fn same(a: &Tensor, b: &Tensor) -> bool {
    a.range() == b.range() && a.dtype() == b.dtype()
}

fn is(call: &'static str, name: &str, t: &Tensor, wanted: DType) -> Result<()> {
    if t.dtype() == wanted { Ok(()) } else { Err(type_error(call, name, t, format!("{wanted:?}"))) }
}

fn float(call: &'static str, name: &str, t: &Tensor) -> Result<()> {
    if t.dtype() == DType::U32 { Err(type_error(call, name, t, "F32, F16 or Bf16".into())) } else { Ok(()) }
}

fn elements(call: &'static str, name: &str, t: &Tensor, wanted: u64) -> Result<()> {
    if t.shape().elements() == wanted {
        Ok(())
    } else {
        Err(shape_error(call, name, t.shape(), format!("{wanted} elements")))
    }
}

fn type_error(call: &'static str, name: &str, t: &Tensor, allowed: String) -> Error {
    Error::InvalidArgument {
        what: call,
        asked: format!("{name} of type {:?}", t.dtype()),
        allowed,
        help: "convert it with Batch::copy first",
    }
}

fn shape_error(call: &'static str, name: &str, shape: Shape, allowed: String) -> Error {
    Error::InvalidArgument {
        what: call,
        asked: format!("{name} of shape {shape:?}"),
        allowed,
        help: "make the shapes agree",
    }
}
