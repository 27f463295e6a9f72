//! Fifty devices opened, used and closed: short, so that a memory checker can watch every byte of it.
//!
//! `./scripts/test gpu` runs this under valgrind as well. The long run, with counters of our own, is `leaks.rs`.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use exo_gpu::{BackendKind, DType, Gpu, OpenOptions};

#[test]
fn fifty_devices_open_work_and_close() {
    // A checker makes loading a driver slow, which is not what is tested here.
    let options = OpenOptions::default().backend(BackendKind::Vulkan).patience(Duration::from_mins(2));
    for round in 0..50 {
        let gpu = Gpu::open(options.clone()).unwrap();
        // Compiling a pipeline is slow under a checker, so only some rounds compute.
        if round % 25 == 0 {
            let x = gpu.device().tensor(DType::F32, &[100]).unwrap();
            let mut batch = gpu.device().batch();
            batch.fill(&x, 1.5).unwrap().add(&x, &x, &x).unwrap();
            batch.submit().unwrap().wait().unwrap();
            let mut first = [0; 4];
            x.buffer().read(0, &mut first).unwrap();
            assert_eq!(f32::from_le_bytes(first), 3.0);
        }
        // Half of them are closed, half only dropped: both must free everything.
        if round % 2 == 0 {
            gpu.device().close();
        }
    }
}
