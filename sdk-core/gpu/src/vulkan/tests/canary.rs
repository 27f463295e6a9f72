//! Deliberate mistakes: silence of the layer means something only if it speaks when it should.

use super::{Bench, add, floats, step, watched};
use crate::{
    Buffer, OpenOptions, Validation,
    backend::{Action, BackendDevice},
};

/// What the layer says of `mistake`.
fn heard(options: &OpenOptions, mistake: impl FnOnce(&Bench)) -> Vec<String> {
    let bench = Bench::open(options);
    assert_eq!(bench.backend.validation_messages(), Vec::<String>::new());
    mistake(&bench);
    bench.backend.validation_messages()
}

#[test]
fn a_copy_beyond_the_end_is_heard() {
    let messages = heard(&watched(), |bench| {
        let device = bench.device();
        let (from, to) = (device.allocate(64).expect("allocates"), device.allocate(32).expect("allocates"));
        // The front would refuse this; the layer must, too.
        bench
            .run(vec![step(Action::CopyBytes { from, from_offset: 0, to, to_offset: 16, bytes: 17 }, false)]);
    });
    assert!(messages.iter().any(|m| m.contains("VUID-vkCmdCopyBuffer-size-00116")), "{messages:?}");
}

#[test]
fn a_missing_barrier_is_heard() {
    let messages = heard(&watched(), |bench| {
        let device = bench.device();
        let (a, b, y) = (floats(&device, &[1.0]), floats(&device, &[1.0]), floats(&device, &[1.0]));
        bench.run(vec![step(add(&a, &b, &y), false), step(add(&y, &b, &a), false)]);
    });
    assert!(messages.iter().any(|m| m.contains("SYNC-HAZARD")), "{messages:?}");
}

#[test]
fn a_missing_barrier_between_copies_is_heard() {
    let messages = heard(&watched(), |bench| {
        let device = bench.device();
        let [a, b, c] = [(); 3].map(|()| device.allocate(64).expect("allocates"));
        let copy = |from: &Buffer, to: &Buffer| Action::CopyBytes {
            from: from.clone(),
            from_offset: 0,
            to: to.clone(),
            to_offset: 0,
            bytes: 64,
        };
        bench.run(vec![step(copy(&a, &b), false), step(copy(&b, &c), false)]);
    });
    assert!(messages.iter().any(|m| m.contains("SYNC-HAZARD-READ-AFTER-WRITE")), "{messages:?}");
}

#[test]
fn shaders_run_clean_under_gpu_assisted_checks() {
    let bench = Bench::open(&OpenOptions { validation: Validation::GpuAssisted, ..OpenOptions::default() });
    let device = bench.device();
    let (a, b, y) = (floats(&device, &[1.0; 77]), floats(&device, &[1.0; 77]), floats(&device, &[1.0; 77]));
    bench.run(vec![step(add(&a, &b, &y), false)]);
    drop((a, b, y, device));
    bench.close();
}
