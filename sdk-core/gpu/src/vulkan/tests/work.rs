//! Work: dispatches, copies, barriers, both ways to wait.

use std::{sync::Arc, thread, time::Duration};

use super::{Bench, Random, add, all_paths, bytes_of, floats, read_floats, step, watched};
use crate::{
    OpenOptions,
    backend::{Action, BackendDevice, Pending, Work},
};

#[test]
fn a_dispatch_computes_on_every_path() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let (a, b, y) = (
            floats(&device, &[1.0, 2.0, 3.0, 4.0, 5.0]),
            floats(&device, &[10.0, 20.0, 30.0, 40.0, 50.0]),
            floats(&device, &[0.0; 5]),
        );
        bench.run(vec![step(add(&a, &b, &y), false)]);
        assert_eq!(read_floats(&y), [11.0, 22.0, 33.0, 44.0, 55.0]);
        drop((a, b, y, device));
        bench.close();
    }
}

#[test]
fn copies_move_any_range() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let mut random = Random::printed();
        let (from, to) =
            (device.allocate(1001).expect("allocates"), device.allocate(999).expect("allocates"));
        let source = random.bytes(1001);
        let mut shadow = random.bytes(999);
        from.write(0, &source).expect("writes");
        to.write(0, &shadow).expect("writes");
        for _ in 0..50 {
            let bytes = random.below(400) + 1;
            let (start, end) = (random.below(1001 - bytes), random.below(999 - bytes));
            let copy = Action::CopyBytes {
                from: from.clone(),
                from_offset: start as u64,
                to: to.clone(),
                to_offset: end as u64,
                bytes: bytes as u64,
            };
            bench.run(vec![step(copy, false)]);
            shadow[end..end + bytes].copy_from_slice(&source[start..start + bytes]);
        }
        assert_eq!(bytes_of(&to), shadow);
        drop((from, to, device));
        bench.close();
    }
}

#[test]
fn a_chain_of_a_thousand_dispatches_keeps_its_order() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let (one, x, y) =
            (floats(&device, &[1.0; 100]), floats(&device, &[0.0; 100]), floats(&device, &[0.0; 100]));
        let chain = (0..1000).map(|i| {
            let (from, to) = if i % 2 == 0 { (&x, &y) } else { (&y, &x) };
            step(add(from, &one, to), i > 0)
        });
        bench.run(chain.collect());
        assert_eq!(read_floats(&x), [1000.0; 100]);
        drop((one, x, y, device));
        bench.close();
    }
}

#[test]
fn a_submission_sees_the_one_before_though_nobody_waited() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let (one, x, y) =
            (floats(&device, &[1.0; 100]), floats(&device, &[0.0; 100]), floats(&device, &[0.0; 100]));
        let mut last: Option<Arc<dyn Pending>> = None;
        for i in 0..100 {
            let (from, to) = if i % 2 == 0 { (&x, &y) } else { (&y, &x) };
            let work = Work { steps: vec![step(add(from, &one, to), false)], timed: false };
            last = Some(bench.backend.submit(&work).expect("submits"));
        }
        assert!(last.expect("was submitted").wait(None).expect("waits"));
        assert_eq!(read_floats(&x), [100.0; 100]);
        drop((one, x, y, device));
        bench.close();
    }
}

#[test]
fn copies_and_dispatches_see_each_other_across_a_barrier() {
    let bench = Bench::open(&watched());
    let device = bench.device();
    let (a, b, y) = (floats(&device, &[1.0; 8]), floats(&device, &[2.0; 8]), floats(&device, &[0.0; 8]));
    let copy = |from: &crate::Tensor, to: &crate::Tensor| Action::CopyBytes {
        from: from.buffer().clone(),
        from_offset: 0,
        to: to.buffer().clone(),
        to_offset: 0,
        bytes: 32,
    };
    bench.run(vec![
        step(add(&a, &b, &y), false),
        step(copy(&y, &a), true),
        step(add(&a, &b, &y), true),
        step(copy(&y, &b), true),
    ]);
    assert_eq!((read_floats(&a), read_floats(&b)), (vec![3.0; 8], vec![5.0; 8]));
    drop((a, b, y, device));
    bench.close();
}

#[test]
fn work_that_nobody_waits_for_is_done_all_the_same() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let (a, y) = (floats(&device, &[1.0; 999]), floats(&device, &[0.0; 999]));
        for _ in 0..50 {
            let work = Work { steps: vec![step(add(&a, &a, &y), false)], timed: false };
            drop(bench.backend.submit(&work).expect("submits"));
        }
        bench.run(vec![]);
        assert_eq!(read_floats(&y), [2.0; 999]);
        drop((a, y, device));
        bench.close();
    }
}

#[test]
fn closing_waits_for_what_is_under_way() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        for _ in 0..50 {
            drop(bench.backend.submit(&Work { steps: vec![], timed: true }).expect("submits"));
        }
        bench.close();
    }
}

#[test]
fn waiting_again_and_from_many_threads_is_fine() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let (a, y) = (floats(&device, &vec![1.0; 50_000]), floats(&device, &vec![0.0; 50_000]));
        let work = Work { steps: vec![step(add(&a, &a, &y), false)], timed: false };
        let pending = bench.backend.submit(&work).expect("submits");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert!(pending.wait(None).expect("waits")));
            }
        });
        assert!(pending.wait(Some(Duration::ZERO)).expect("waits"));
        drop((pending, work, a, y, device));
        bench.close();
    }
}

#[test]
fn eight_threads_share_one_device() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        thread::scope(|scope| {
            for thread in 0..8_u8 {
                let bench = &bench;
                scope.spawn(move || {
                    let device = bench.device();
                    let start = f32::from(thread);
                    let (one, x) = (floats(&device, &[1.0; 333]), floats(&device, &[start; 333]));
                    let y = floats(&device, &[0.0; 333]);
                    for _ in 0..20 {
                        bench.run(vec![step(add(&x, &one, &y), false), step(add(&y, &one, &x), true)]);
                    }
                    assert_eq!(read_floats(&x), [start + 40.0; 333]);
                });
            }
        });
        bench.close();
    }
}

#[test]
fn the_device_tells_its_time_only_when_asked_and_only_when_done() {
    let bench = Bench::open(&watched());
    let device = bench.device();
    let (a, y) = (floats(&device, &vec![1.0; 100_000]), floats(&device, &vec![0.0; 100_000]));
    for timed in [true, false, true] {
        let work = Work { steps: vec![step(add(&a, &a, &y), false)], timed };
        let pending = bench.backend.submit(&work).expect("submits");
        pending.wait(None).expect("waits");
        assert_eq!(pending.device_time().is_some(), timed);
        assert!(pending.device_time().is_none_or(|time| time > Duration::ZERO));
    }
    drop((a, y, device));
    bench.close();
}

#[test]
fn empty_work_is_done_at_once() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        bench.run(vec![]);
        bench.close();
    }
}

#[test]
fn trimming_between_submissions_changes_nothing() {
    let bench = Bench::open(&OpenOptions { without_timeline: true, ..watched() });
    let device = bench.device();
    let (a, y) = (floats(&device, &[1.0; 10]), floats(&device, &[0.0; 10]));
    for _ in 0..3 {
        bench.run(vec![step(add(&a, &a, &y), false)]);
        bench.backend.trim();
    }
    assert_eq!(read_floats(&y), [2.0; 10]);
    drop((a, y, device));
    bench.close();
}

#[test]
fn kernels_are_named() {
    let bench = Bench::open(&watched());
    let device = bench.device();
    let x = floats(&device, &[1.0; 10]);
    let Action::Op(op) = add(&x, &x, &x) else { unreachable!() };
    assert_eq!(bench.backend.kernels_of(&op).expect("lowers"), ["add_pairs"]);
    drop((x, op, device));
    bench.close();
}
