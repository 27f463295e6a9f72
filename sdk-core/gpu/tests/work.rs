//! Batches and submissions: order, overlap, waiting, cancelling, many threads.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{Seed, block_on, cpu, download, every_device, gpu, gpu_with, upload, watched};
use exo_gpu::{DType, ErrorKind, OpenOptions, Tensor, Validation};

#[test]
fn a_chain_of_dependent_steps_runs_in_order_in_one_submission() {
    for (name, device) in every_device() {
        let x = upload(&device, &[1000], &[1.0; 1000]);
        let mut batch = device.batch();
        for _ in 0..50 {
            batch.add(&x, &x, &x).unwrap();
        }
        for _ in 0..50 {
            batch.mul(&x, &upload(&device, &[1000], &[0.5; 1000]), &x).unwrap();
        }
        batch.submit().unwrap().wait().unwrap();
        assert_eq!(download(&x), [1.0; 1000], "{name}");
    }
}

#[test]
fn a_read_waits_for_the_work_that_writes_the_buffer() {
    for (name, device) in every_device() {
        let y = device.tensor(DType::F32, &[100_000]).unwrap();
        for value in [1.0, 2.0, 3.0] {
            let mut batch = device.batch();
            batch.fill(&y, value).unwrap();
            let _not_waited_for = batch.submit().unwrap();
            assert!(download(&y).iter().all(|v| *v == value), "{name}");
        }
    }
}

#[test]
fn a_dropped_buffer_lives_until_its_work_is_done() {
    for (name, device) in every_device() {
        let y = device.tensor(DType::F32, &[1 << 16]).unwrap();
        let mut done = Vec::new();
        for _ in 0..40 {
            let x = upload(&device, &[1 << 16], &vec![2.0; 1 << 16]);
            let mut batch = device.batch();
            batch.mul(&x, &x, &y).unwrap();
            done.push(batch.submit().unwrap());
        }
        for d in &done {
            d.wait().unwrap();
        }
        assert!(download(&y).iter().all(|v| *v == 4.0), "{name}");
        drop(done);
        assert_eq!(device.memory_report().unwrap().used, y.buffer().size(), "{name}");
    }
}

#[test]
fn work_that_nobody_waits_for_is_done_and_its_memory_comes_back() {
    for (name, device) in every_device() {
        for _ in 0..30 {
            let x = device.tensor(DType::F32, &[1 << 14]).unwrap();
            let mut batch = device.batch();
            batch.fill(&x, 1.0).unwrap();
            drop(batch.submit().unwrap());
        }
        let y = device.tensor(DType::F32, &[1]).unwrap();
        let mut last = device.batch();
        last.fill(&y, 1.0).unwrap();
        last.submit().unwrap().wait().unwrap();
        assert_eq!(device.memory_report().unwrap().used, 4, "{name}");
    }
}

#[test]
fn a_submission_can_be_awaited() {
    for (name, device) in every_device() {
        let x = upload(&device, &[500], &[1.5; 500]);
        let y = device.tensor(DType::F32, &[500]).unwrap();
        let result = block_on(async {
            let mut batch = device.batch();
            batch.add(&x, &x, &y)?;
            let first = batch.submit()?;
            let mut batch = device.batch();
            batch.mul(&y, &x, &y)?;
            let second = batch.submit()?;
            second.await?;
            first.await
        });
        result.unwrap();
        assert_eq!(download(&y), [4.5; 500], "{name}");
    }
}

#[test]
fn what_has_not_begun_can_be_taken_back() {
    for (name, device) in every_device() {
        let big = upload(&device, &[1 << 20], &vec![1.0; 1 << 20]);
        let untouched = upload(&device, &[4], &[7.0; 4]);
        // More work than the line hands over at once: the last ones wait.
        let mut waiting = Vec::new();
        for _ in 0..64 {
            let mut batch = device.batch();
            for _ in 0..4 {
                batch.add(&big, &big, &big).unwrap();
            }
            waiting.push(batch.submit().unwrap());
        }
        let mut batch = device.batch();
        batch.fill(&untouched, 0.0).unwrap();
        let last = batch.submit().unwrap();
        let cancelled = last.cancel();
        let result = last.wait();
        for w in &waiting {
            w.wait().unwrap();
        }
        // Whether it was early enough is up to the machine; that both sides agree is not.
        if cancelled {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled, "{name}");
            assert_eq!(download(&untouched), [7.0; 4], "{name}");
        } else {
            result.unwrap();
            assert_eq!(download(&untouched), [0.0; 4], "{name}");
        }
        assert!(!last.cancel(), "{name}: too late");
    }
}

#[test]
fn waiting_with_a_limit_comes_back() {
    for (name, device) in every_device() {
        let x = upload(&device, &[1000], &[1.0; 1000]);
        let mut batch = device.batch();
        batch.add(&x, &x, &x).unwrap();
        let done = batch.submit().unwrap();
        while !done.wait_for(Duration::from_millis(1)).unwrap() {}
        assert!(done.is_done(), "{name}");
        assert!(done.wait_for(Duration::ZERO).unwrap(), "{name}");
    }
}

#[test]
fn the_device_tells_its_own_time_when_asked() {
    for (name, device) in every_device() {
        let x = upload(&device, &[1 << 18], &vec![1.0; 1 << 18]);
        let mut batch = device.batch();
        batch.gelu(&x, &x).unwrap().timed();
        let timed = batch.submit().unwrap();
        timed.wait().unwrap();
        assert!(timed.device_time().is_some_and(|t| t > Duration::ZERO), "{name}");
        let mut batch = device.batch();
        batch.gelu(&x, &x).unwrap();
        let untimed = batch.submit().unwrap();
        untimed.wait().unwrap();
        assert_eq!(untimed.device_time(), None, "{name}");
    }
}

#[test]
fn an_empty_batch_is_done_at_once() {
    let device = cpu();
    let done = device.batch().submit().unwrap();
    assert!(done.is_done());
    done.wait().unwrap();
}

#[test]
fn eight_threads_share_one_device() {
    for (name, device) in every_device() {
        let mut seed = Seed::printed("threads");
        let seeds: Vec<u64> = (0..8).map(|_| seed.next()).collect();
        std::thread::scope(|scope| {
            for thread_seed in seeds {
                let device = &*device;
                scope.spawn(move || {
                    let mut seed = Seed(thread_seed);
                    for _ in 0..25 {
                        let n = 1 + seed.below(3000) as usize;
                        let (a, b) = (seed.floats(n), seed.floats(n));
                        let (x, w) = (upload(device, &[n as u32], &a), upload(device, &[n as u32], &b));
                        let y = device.tensor(DType::F32, &[n as u32]).unwrap();
                        let mut batch = device.batch();
                        batch.add(&x, &w, &y).unwrap().mul(&y, &y, &y).unwrap();
                        let done = batch.submit().unwrap();
                        match seed.below(3) {
                            0 => drop(done),
                            1 => done.wait().unwrap(),
                            _ => block_on(done).unwrap(),
                        }
                        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| (a + b) * (a + b)).collect();
                        assert_eq!(download(&y), expected);
                    }
                });
            }
        });
        assert_eq!(device.memory_report().unwrap().used, 0, "{name}");
    }
}

#[test]
fn closing_while_others_submit_ends_every_submission() {
    for (name, device) in every_device() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let device = &*device;
                scope.spawn(move || {
                    loop {
                        let Ok(x) = device.tensor(DType::F32, &[4096]) else { return };
                        let mut batch = device.batch();
                        batch.fill(&x, 1.0).unwrap();
                        match batch.submit().and_then(|done| done.wait()) {
                            Ok(()) => {}
                            Err(error) => {
                                assert!(
                                    matches!(error.kind(), ErrorKind::Closed | ErrorKind::Cancelled),
                                    "{error}"
                                );
                                return;
                            }
                        }
                    }
                });
            }
            let y = device.tensor(DType::F32, &[16]).unwrap();
            for _ in 0..20 {
                let mut batch = device.batch();
                batch.fill(&y, 2.0).unwrap();
                batch.submit().unwrap().wait().unwrap();
            }
            device.close();
        });
        assert_eq!(device.allocate(1).unwrap_err().kind(), ErrorKind::Closed, "{name}");
    }
}

#[test]
fn shapes_types_and_overlaps_are_checked_before_anything_is_recorded() {
    let device = cpu();
    let buffer = device.allocate(4096).unwrap();
    let f32s = |offset, n: u32| Tensor::new(&buffer, offset, DType::F32, &[n]).unwrap();
    let mut batch = device.batch();
    let refused = |result: exo_gpu::Result<&mut exo_gpu::Batch>| {
        let error = result.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        error.to_string()
    };
    assert!(refused(batch.add(&f32s(0, 8), &f32s(64, 9), &f32s(128, 8))).contains("8 elements"));
    assert!(refused(batch.add(&f32s(0, 8), &f32s(64, 8), &f32s(16, 8))).contains("the very same tensor"));
    assert!(refused(batch.sum(&f32s(0, 8), &f32s(0, 1))).contains("no overlap"));
    let ids = Tensor::new(&buffer, 256, DType::U32, &[8]).unwrap();
    assert!(refused(batch.gelu(&ids, &f32s(0, 8))).contains("F32"));
    assert!(batch.is_empty());
    batch.add(&f32s(0, 8), &f32s(64, 8), &f32s(0, 8)).unwrap();
    assert_eq!(batch.len(), 1);
}

#[test]
fn gpu_assisted_validation_has_nothing_to_say() {
    let device = watched(OpenOptions::default().validation(Validation::GpuAssisted));
    let x = upload(&device, &[3, 523], &[0.5; 1569]);
    let (y, w) = (device.tensor(DType::F32, &[3, 523]).unwrap(), upload(&device, &[523], &[1.0; 523]));
    let mut batch = device.batch();
    batch.add(&x, &x, &y).unwrap().rmsnorm(&y, &w, 1e-5, &x).unwrap().softmax(&x, 1.0, &y).unwrap();
    batch.submit().unwrap().wait().unwrap();
    for row in download(&y).chunks(523) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn both_ways_of_waiting_on_the_gpu_give_the_same_numbers() {
    let mut seed = Seed::printed("fences");
    let values = seed.floats(10_000);
    let run = |device: &exo_gpu::Device| {
        let x = upload(device, &[10, 1000], &values);
        let y = device.tensor(DType::F32, &[10, 1000]).unwrap();
        let mut batch = device.batch();
        batch.softmax(&x, 2.0, &y).unwrap();
        batch.submit().unwrap().wait().unwrap();
        download(&y)
    };
    assert_eq!(run(&gpu()), run(&gpu_with(OpenOptions::default().without_timeline())));
}
