//! Faults on purpose: each comes where it was asked for, and nothing leaks behind it.

use super::{Bench, add, all_paths, floats, read_floats, step};
use crate::{
    ErrorKind, Faults, OpenOptions, Result,
    backend::{BackendDevice, Work},
};

fn with(options: OpenOptions, faults: Faults) -> Bench {
    Bench::open(&OpenOptions { faults, ..options })
}

fn try_add(bench: &Bench) -> Result<Vec<f32>> {
    let device = bench.device();
    let (a, y) = (floats(&device, &[1.0; 9]), floats(&device, &[0.0; 9]));
    let work = Work { steps: vec![step(add(&a, &a, &y), false)], timed: false };
    bench.backend.submit(&work)?.wait(None)?;
    Ok(read_floats(&y))
}

#[test]
fn a_device_lost_at_a_submission_stays_lost_and_closes_cleanly() {
    for options in all_paths().into_iter().filter(|options| !options.without_unified_memory) {
        let bench = with(options, Faults { lose_device_at_submission: Some(2), ..Faults::default() });
        assert_eq!(try_add(&bench).expect("the first goes well"), [2.0; 9]);
        assert_eq!(try_add(&bench).expect_err("is lost").kind(), ErrorKind::DeviceLost);
        let work = Work { steps: vec![], timed: false };
        assert_eq!(bench.backend.submit(&work).err().map(|e| e.kind()), Some(ErrorKind::DeviceLost));
        assert_eq!(bench.backend.allocate(1).err().map(|e| e.kind()), Some(ErrorKind::DeviceLost));
        bench.close();
    }
}

#[test]
fn a_device_lost_at_a_wait_leaves_nothing_running() {
    for options in all_paths().into_iter().filter(|options| !options.without_unified_memory) {
        let bench = with(options, Faults { lose_device_at_wait: Some(1), ..Faults::default() });
        assert_eq!(try_add(&bench).expect_err("is lost").kind(), ErrorKind::DeviceLost);
        bench.close();
    }
}

#[test]
fn a_device_lost_in_the_middle_of_a_staged_upload_closes_cleanly() {
    for without_timeline in [false, true] {
        let options = OpenOptions { without_timeline, without_unified_memory: true, ..super::watched() };
        let bench = with(options, Faults { lose_device_at_submission: Some(3), ..Faults::default() });
        let buffer = bench.device().allocate(80 << 20).expect("allocates");
        let error = buffer.write(0, &vec![1; 80 << 20]).expect_err("is lost");
        assert_eq!(error.kind(), ErrorKind::DeviceLost);
        drop(buffer);
        bench.close();
    }
}

#[test]
fn memory_that_runs_out_once_is_there_the_next_time() {
    for options in all_paths() {
        let bench = with(options, Faults { out_of_memory_at_allocation: Some(2), ..Faults::default() });
        let kinds: Vec<_> =
            (0..3).map(|_| bench.backend.allocate(1000).err().map(|error| error.kind())).collect();
        assert_eq!(kinds, [None, Some(ErrorKind::OutOfMemory), None]);
        bench.close();
    }
}

#[test]
fn a_swapped_kernel_lies() {
    let bench =
        with(super::watched(), Faults { swap_kernel: Some(("add_pairs", "mul_pairs")), ..Faults::default() });
    assert_eq!(try_add(&bench).expect("computes"), [1.0; 9]);
    bench.close();
}
