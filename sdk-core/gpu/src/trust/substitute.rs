//! Running work with the CPU in the place of kernels that are wrong on a device.
//!
//! The steps between are submitted as they are. Where host and device share memory, the CPU works on the buffers
//! themselves; otherwise operands are copied to the host and the output back.

use super::value::Scratch;
use crate::{
    Result, Tensor,
    backend::{Action, BackendDevice, Work},
    cpu,
    op::{Access, HostTensor, Op},
};

/// Runs `work` to its end; the steps numbered in `wrong` on the CPU.
pub(crate) fn run(backend: &dyn BackendDevice, work: &Work, wrong: &[usize]) -> Result<()> {
    let mut trusted = Vec::new();
    for (at, step) in work.steps.iter().enumerate() {
        match &step.action {
            Action::Op(op) if wrong.contains(&at) => {
                submit_and_wait(backend, std::mem::take(&mut trusted))?;
                run_on_host(backend, op)?;
            }
            _ => trusted.push(step.clone()),
        }
    }
    submit_and_wait(backend, trusted)
}

fn submit_and_wait(backend: &dyn BackendDevice, steps: Vec<crate::backend::Step>) -> Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    backend.submit(&Work { steps, timed: false })?.wait(None).map(drop)
}

fn run_on_host(backend: &dyn BackendDevice, op: &Op<Tensor>) -> Result<()> {
    let mut copies: Vec<(Scratch, &Tensor, Access)> = Vec::new();
    // Operands that share a range (in place) must share their copy too.
    op.visit(&mut |tensor, access| {
        let known =
            copies.iter_mut().find(|(_, t, _)| t.buffer().is(tensor.buffer()) && t.range() == tensor.range());
        match known {
            Some((_, _, known)) if access.writes() => *known = access,
            Some(_) => {}
            None => copies.push((Scratch::new(tensor.bytes()), tensor, access)),
        }
    });
    let host_op: Op<HostTensor> = op.try_map(&mut |tensor, _| {
        let memory = tensor.buffer().memory()?;
        if let Some(host) = memory.host() {
            // SAFETY: a tensor's range lies inside its buffer (`Tensor::new`).
            let data = unsafe { host.as_ptr().add(tensor.offset() as usize) };
            return Ok(HostTensor { data, dtype: tensor.dtype(), shape: tensor.shape() });
        }
        let copy =
            copies.iter_mut().find(|(_, t, _)| t.buffer().is(tensor.buffer()) && t.range() == tensor.range());
        let Some((scratch, ..)) = copy else { return Err(crate::Error::Closed { what: "buffer" }) };
        backend.read(&*memory, tensor.offset(), scratch.bytes(tensor.bytes()))?;
        Ok(scratch.tensor(tensor.dtype(), tensor.shape()))
    })?;
    // SAFETY: each operand points into a mapped buffer or a scratch of its size; both outlive the call. The work's
    // buffers were entered and earlier work was waited for, so nothing else touches them; `check` saw to overlaps.
    unsafe { cpu::run(&host_op) }?;
    for (scratch, tensor, access) in &mut copies {
        let memory = tensor.buffer().memory()?;
        if access.writes() && memory.host().is_none() {
            backend.write(&*memory, tensor.offset(), scratch.bytes(tensor.bytes()))?;
        }
    }
    Ok(())
}
