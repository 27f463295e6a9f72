//! Recording work: operations are checked as they are added, and run when the batch is submitted.
//!
//! A batch that is dropped instead was never seen by the device.

use std::ops::Range;

use crate::{
    Attention, BackendKind, Buffer, Cache, Convolution, DType, Device, Error, GatedDelta, Result, RopePairs,
    Shape, Submission, Tensor, Weight,
    backend::{Action, Step, Work},
    check::check,
    hazard::Hazards,
    lowering::{Profile, attention},
    op::{Access, Op},
};

/// Operations to be submitted as one. See the [crate's docs](crate) for an example.
#[derive(Debug)]
pub struct Batch {
    device: Device,
    steps: Vec<Step>,
    hazards: Hazards,
    timed: bool,
    /// See [`partial`](Self::partial).
    partials: Option<Buffer>,
}

impl Batch {
    pub(crate) fn new(device: Device) -> Self {
        Self { device, steps: Vec::new(), hazards: Hazards::default(), timed: false, partials: None }
    }

    /// Every element of `y` becomes `value`.
    pub fn fill(&mut self, y: &Tensor, value: f32) -> Result<&mut Self> {
        self.record(Op::Fill { y: y.clone(), value })
    }

    /// `y = x`, converting between f32, f16 and bf16 (to nearest even).
    pub fn copy(&mut self, x: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Copy { x: x.clone(), y: y.clone() })
    }

    /// `y = a + b`; a `b` of one row is added to every row of `a`. May run in place.
    pub fn add(&mut self, a: &Tensor, b: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Add { a: a.clone(), b: b.clone(), y: y.clone() })
    }

    /// `y = a * b`; a `b` of one row multiplies every row of `a`. May run in place.
    pub fn mul(&mut self, a: &Tensor, b: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Mul { a: a.clone(), b: b.clone(), y: y.clone() })
    }

    /// `y = silu(gate) * up`. May run in place.
    pub fn silu_mul(&mut self, gate: &Tensor, up: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::SiluMul { gate: gate.clone(), up: up.clone(), y: y.clone() })
    }

    /// `y = gelu(x)`, the tanh form. May run in place.
    pub fn gelu(&mut self, x: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Gelu { x: x.clone(), y: y.clone() })
    }

    /// `y = gelu(gate) * up`, the tanh form. May run in place.
    pub fn gelu_mul(&mut self, gate: &Tensor, up: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::GeluMul { gate: gate.clone(), up: up.clone(), y: y.clone() })
    }

    /// `y = sigmoid(gate) * x`. May run in place.
    pub fn sigmoid_mul(&mut self, gate: &Tensor, x: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::SigmoidMul { gate: gate.clone(), x: x.clone(), y: y.clone() })
    }

    /// `y = cap * tanh(x / cap)`, with a positive cap: nothing is beyond it. May run in place.
    pub fn softcap(&mut self, x: &Tensor, cap: f32, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Softcap { x: x.clone(), y: y.clone(), cap })
    }

    /// `y = factor * x`. May run in place.
    pub fn scale(&mut self, x: &Tensor, factor: f32, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Scale { x: x.clone(), y: y.clone(), factor })
    }

    /// `y = x / sqrt(mean(x²) + epsilon) * weight`, by rows. The weight is f32. May run in
    /// place.
    pub fn rmsnorm(&mut self, x: &Tensor, weight: &Tensor, epsilon: f32, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::RmsNorm { x: x.clone(), weight: weight.clone(), y: y.clone(), epsilon })
    }

    /// `sum = x + delta`, and `y` is the [`rmsnorm`](Self::rmsnorm) of it: a residual and the norm after it, in one
    /// pass. Each output may be `x` or `delta`.
    pub fn add_rmsnorm(
        &mut self,
        x: &Tensor,
        delta: &Tensor,
        weight: &Tensor,
        epsilon: f32,
        sum: &Tensor,
        y: &Tensor,
    ) -> Result<&mut Self> {
        let [x, delta, weight, sum, y] = [x, delta, weight, sum, y].map(Clone::clone);
        self.record(Op::AddRmsNorm { x, delta, weight, sum, y, epsilon })
    }

    /// `y = (x - mean) / sqrt(variance + epsilon) * weight + bias`, by rows. May run in place.
    pub fn layernorm(
        &mut self,
        x: &Tensor,
        weight: &Tensor,
        bias: &Tensor,
        epsilon: f32,
        y: &Tensor,
    ) -> Result<&mut Self> {
        let (x, weight, bias, y) = (x.clone(), weight.clone(), bias.clone(), y.clone());
        self.record(Op::LayerNorm { x, weight, bias, y, epsilon })
    }

    /// `y = softmax(scale * x)`, by rows. May run in place.
    pub fn softmax(&mut self, x: &Tensor, scale: f32, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Softmax { x: x.clone(), y: y.clone(), scale })
    }

    /// Turns the first `dims` elements of each head of `x` (`[tokens, heads, head]`) by `angles`
    /// (`[tokens, dims / 2, 2]`: cosine and sine). May run in place.
    pub fn rope(&mut self, x: &Tensor, angles: &Tensor, pairs: RopePairs, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Rope { x: x.clone(), angles: angles.clone(), y: y.clone(), pairs })
    }

    /// `y[i] = table[ids[i]]`; an id beyond the table gives zeros.
    pub fn gather(&mut self, table: &Weight<Tensor>, ids: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Gather { table: table.clone(), ids: ids.clone(), y: y.clone() })
    }

    /// `y = x · weightᵀ`: `[m, k] · [n, k]ᵀ = [m, n]`.
    pub fn matmul(&mut self, x: &Tensor, weight: &Weight<Tensor>, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::MatMul { x: x.clone(), weight: weight.clone(), y: y.clone() })
    }

    /// `y = weight · x` for one vector: [`matmul`](Self::matmul) with one row.
    pub fn matvec(&mut self, x: &Tensor, weight: &Weight<Tensor>, y: &Tensor) -> Result<&mut Self> {
        if x.shape().rows() != 1 {
            return Err(Error::InvalidArgument {
                what: "matvec",
                asked: format!("x of shape {:?}", x.shape()),
                allowed: "one row".into(),
                help: "use Batch::matmul for several rows",
            });
        }
        self.matmul(x, weight, y)
    }

    /// The index of the largest element of each row, as u32; the first of equals; NaN never wins.
    pub fn argmax(&mut self, x: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Argmax { x: x.clone(), y: y.clone() })
    }

    /// The sum of each row.
    pub fn sum(&mut self, x: &Tensor, y: &Tensor) -> Result<&mut Self> {
        self.record(Op::Sum { x: x.clone(), y: y.clone() })
    }

    /// Row `i` of `x` (`[tokens, heads, head]`, f32) becomes row `slots[i]` of the cache, converted. A slot beyond the
    /// cache is skipped: the token is not kept. Slots are distinct; of two that are not, any part may win.
    pub fn store(&mut self, x: &Tensor, slots: &Tensor, cache: &Cache<Tensor>) -> Result<&mut Self> {
        self.record(Op::Store { x: x.clone(), slots: slots.clone(), cache: cache.clone() })
    }

    /// `y = softmax(scale * q · k) · v`: each token attends to the positions of its sequence from
    /// `max(0, p + 1 - window)` to its own, `p`.
    ///
    /// A position whose page lies beyond the tables or the cache is skipped, and a token that sees nothing at all gives
    /// zeros: no table, however wrong, makes it read elsewhere.
    pub fn attention(&mut self, attention: Attention<&Tensor, &Cache<Tensor>>) -> Result<&mut Self> {
        let mut op = Op::Attention { of: Box::new(attention.owned()), partial: None };
        check(&op)?;
        if let Op::Attention { of, partial } = &mut op {
            *partial = self.partial(of)?;
        }
        self.record(op)
    }

    /// `y = silu(Σ weight[j] * input[t - taps + 1 + j])` by channels, over each run's tokens and the inputs before
    /// them, which its state holds; and the state becomes the run's last inputs. See [`Convolution`].
    pub fn convolve(&mut self, convolution: Convolution<&Tensor>) -> Result<&mut Self> {
        self.record(Op::Convolve(Box::new(convolution.owned())))
    }

    /// The gated delta rule: for each token of a run in order, and each head, with `g = exp(-rate * softplus(decay +
    /// bias))`, the state `S` becomes `g S`, then `S + sigmoid(strength) * (v - S k) kᵀ`, and `y = S q`. Keys have a
    /// length of 1, queries one of `1 / √key`. See [`GatedDelta`].
    pub fn gated_delta(&mut self, delta: GatedDelta<&Tensor>) -> Result<&mut Self> {
        self.record(Op::GatedDelta(Box::new(delta.owned())))
    }

    /// Where a GPU leaves what it found in stretches of a long context, if it is to be cut; one place for the batch.
    fn partial(&mut self, of: &Attention<Tensor>) -> Result<Option<Tensor>> {
        let backend = self.device.backend()?;
        if backend.description().backend == BackendKind::Cpu {
            return Ok(None);
        }
        let stretches = attention::stretches(of, &Profile::of(backend.description()))?;
        let &[tokens, heads, head] = of.q.shape().dims() else { return Ok(None) };
        if stretches == 1 {
            return Ok(None);
        }
        let dims = [tokens, heads, stretches, head + 2];
        let bytes = Shape::new(&dims)?.elements() * DType::F32.bytes();
        let buffer = match self.partials.take().filter(|buffer| buffer.size() >= bytes) {
            Some(buffer) => buffer,
            None => self.device.allocate(bytes)?,
        };
        let partial = Tensor::new(&buffer, 0, DType::F32, &dims)?;
        self.partials = Some(buffer);
        Ok(Some(partial))
    }

    /// Copies the bytes `range` of `from` to `to` at `at`. Any alignment.
    pub fn copy_bytes(
        &mut self,
        from: &Buffer,
        range: Range<u64>,
        to: &Buffer,
        at: u64,
    ) -> Result<&mut Self> {
        const CALL: &str = "copy_bytes";
        let bytes = range.end.saturating_sub(range.start);
        if bytes == 0 {
            return Err(Error::InvalidArgument {
                what: CALL,
                asked: format!("{range:?}"),
                allowed: "at least 1 byte".into(),
                help: "skip the copy when there is nothing to copy",
            });
        }
        from.bounds(CALL, range.start, bytes)?;
        to.bounds(CALL, at, bytes)?;
        self.belongs(CALL, from)?;
        self.belongs(CALL, to)?;
        if from.is(to) && range.start < at + bytes && at < range.end {
            return Err(Error::InvalidArgument {
                what: CALL,
                asked: format!("bytes {range:?} onto {at}..{} of the same buffer", at + bytes),
                allowed: "ranges that do not overlap".into(),
                help: "copy through a second buffer",
            });
        }
        let touches = [(from.id(), range.clone(), Access::Read), (to.id(), at..at + bytes, Access::Write)];
        let action = Action::CopyBytes {
            from: from.clone(),
            from_offset: range.start,
            to: to.clone(),
            to_offset: at,
            bytes,
        };
        let barrier = self.hazards.step(&touches);
        self.steps.push(Step { action, barrier });
        Ok(self)
    }

    /// Asks for the device's own time; [`Submission::device_time`] tells it.
    pub fn timed(&mut self) -> &mut Self {
        self.timed = true;
        self
    }

    /// How many operations were recorded.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Hands the work to the device and returns at once.
    ///
    /// The first use of a kernel on a device runs its self-test here, and work that holds a kernel which failed it
    /// is computed here, on the CPU where needed; both block.
    pub fn submit(self) -> Result<Submission> {
        let repeatable = self.hazards.is_repeatable();
        self.device.submit(Work { steps: self.steps, timed: self.timed }, repeatable)
    }

    /// Whether the CPU would compute a part of it, in place of a kernel that failed its self-test here. Runs the
    /// self-tests that submitting would run.
    pub(crate) fn needs_substitutes(self) -> Result<bool> {
        let work = Work { steps: self.steps, timed: false };
        Ok(!self.device.inner.trust.judge(&self.device, &work)?.is_empty())
    }

    fn record(&mut self, op: Op<Tensor>) -> Result<&mut Self> {
        check(&op)?;
        let mut touches = Vec::with_capacity(6);
        let mut belongs = Ok(());
        op.visit(&mut |t, access| {
            touches.push((t.buffer().id(), t.range(), access));
            if belongs.is_ok() {
                belongs = self.belongs(op.name(), t.buffer());
            }
        });
        belongs?;
        let barrier = self.hazards.step(&touches);
        self.steps.push(Step { action: Action::Op(op), barrier });
        Ok(self)
    }

    fn belongs(&self, call: &'static str, buffer: &Buffer) -> Result<()> {
        if buffer.device().is(&self.device) {
            return Ok(());
        }
        Err(Error::WrongDevice {
            what: call,
            ours: self.device.description().name,
            theirs: buffer.device().description().name,
        })
    }
}
