//! The device as the front sees it: memory, transfers, submissions.

use std::time::Duration;

use crate::{
    BackendKind, DType, Device, DeviceKind, ErrorKind, Tensor,
    backend::{Action, Step, Work},
    cpu,
    op::Op,
};

fn steps(actions: Vec<Action>) -> Vec<Step> {
    actions.into_iter().map(|action| Step { action, barrier: true }).collect()
}

#[test]
fn device_describes_the_host_without_inventing_anything() {
    let description = cpu::describe();
    println!("{description:#?}");
    assert_eq!((description.backend, description.kind), (BackendKind::Cpu, DeviceKind::Host));
    assert!(description.unified_memory && description.has_compute_queue && !description.name.is_empty());
    assert_eq!(description.heaps.len(), description.memory_types.len());
    if let Some(budget) = description.memory_budget() {
        assert!(budget <= description.total_memory());
    }
}

#[test]
fn device_runs_steps_in_order_on_what_was_written() {
    let backend = cpu::open();
    let device = Device::over(backend.clone());
    let (a, b) = (device.allocate(64).unwrap(), device.allocate(64).unwrap());
    a.write(16, bytemuck::cast_slice(&[1f32, 2.0, 3.0, 4.0])).unwrap();
    let x = Tensor::new(&a, 16, DType::F32, &[4]).unwrap();
    let y = Tensor::new(&b, 32, DType::F32, &[4]).unwrap();
    let work = Work {
        steps: steps(vec![
            Action::Op(Op::Fill { y: y.clone(), value: 0.5 }),
            Action::Op(Op::Mul { a: x.clone(), b: y.clone(), y: y.clone() }),
            Action::Op(Op::Add { a: x, b: y.clone(), y: y.clone() }),
            Action::CopyBytes { from: b.clone(), from_offset: 32, to: a.clone(), to_offset: 48, bytes: 16 },
        ]),
        timed: true,
    };
    let pending = backend.submit(&work).unwrap();
    assert!(pending.wait(Some(Duration::from_mins(1))).unwrap());
    assert!(pending.device_time().is_some());
    let mut got = [0f32; 4];
    a.read(48, bytemuck::cast_slice_mut(&mut got)).unwrap();
    assert_eq!(got.map(f32::to_bits), [1.5, 3.0, 4.5, 6.0].map(f32::to_bits));
    assert!(backend.kernels_of(&Op::Fill { y, value: 1.0 }).unwrap().is_empty());
    assert_eq!(backend.memory_use().reserved, 128);
}

#[test]
fn device_refuses_memory_that_the_machine_does_not_have() {
    let backend = cpu::open();
    for bytes in [1 << 45, u64::MAX] {
        assert_eq!(backend.allocate(bytes).err().unwrap().kind(), ErrorKind::OutOfMemory);
    }
    assert_eq!(backend.memory_use().reserved, 0);
}

#[test]
fn device_that_is_dropped_finishes_its_work_first() {
    let backend = cpu::open();
    let (pending, memory) = {
        let device = Device::over(backend.clone());
        let buffer = device.allocate(4096).unwrap();
        let y = Tensor::new(&buffer, 0, DType::F32, &[1024]).unwrap();
        let work = Work { steps: steps(vec![Action::Op(Op::Fill { y, value: 2.0 })]), timed: false };
        (backend.submit(&work).unwrap(), buffer.memory().unwrap())
    };
    drop(backend);
    assert!(pending.wait(Some(Duration::ZERO)).unwrap());
    // SAFETY: the memory is alive, and all work is done.
    let last = unsafe { memory.host().unwrap().cast::<f32>().add(1023).read() };
    assert_eq!(last.to_bits(), 2f32.to_bits());
}
