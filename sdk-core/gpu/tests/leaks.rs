//! Not a byte is leaked: counted by the allocator report, by a counting allocator, and by the process's memory.
//!
//! One test only, because the counters are the process's.
#![allow(clippy::unwrap_used)]

mod common;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicI64, Ordering},
};

use common::{cpu, upload};
use exo_gpu::{BackendKind, Gpu, OpenOptions};

struct Counting;

static LIVE: AtomicI64 = AtomicI64::new(0);

// SAFETY: every call goes to the system's allocator unchanged; the count is beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What this process holds, in KiB.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or("0");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn vulkan() -> Gpu {
    Gpu::open(OpenOptions::default().backend(BackendKind::Vulkan)).unwrap()
}

#[test]
fn nothing_is_leaked() {
    a_hundred_thousand_buffers_come_and_go();
    a_thousand_devices_open_and_close();
}

fn a_hundred_thousand_buffers_come_and_go() {
    let gpu = vulkan();
    for (name, device) in [("vulkan", gpu.device().clone()), ("cpu", cpu().clone())] {
        let churn = |n: u64| {
            for i in 0..n {
                let buffer = device.allocate(1 + (i * 7919) % 100_000).unwrap();
                if i % 1000 == 0 {
                    buffer.write(0, &[1]).unwrap();
                }
            }
        };
        churn(1000);
        let (live, reserved) = (LIVE.load(Ordering::Relaxed), device.memory_report().unwrap().reserved);
        churn(100_000);
        let report = device.memory_report().unwrap();
        assert_eq!(report.used, 0, "{name}");
        assert_eq!(
            report.reserved, reserved,
            "{name}: the allocator keeps no more than after the first thousand"
        );
        assert_eq!(LIVE.load(Ordering::Relaxed), live, "{name}");
    }
}

fn a_thousand_devices_open_and_close() {
    let open_and_close = |n: u32| {
        for i in 0..n {
            let gpu = vulkan();
            if i % 100 == 0 {
                let x = upload(gpu.device(), &[100], &[1.0; 100]);
                let mut batch = gpu.device().batch();
                batch.add(&x, &x, &x).unwrap();
                batch.submit().unwrap().wait().unwrap();
            }
            if i % 2 == 0 {
                gpu.device().close();
            }
        }
    };
    open_and_close(101);
    let (live, before) = (LIVE.load(Ordering::Relaxed), resident());
    open_and_close(900);
    assert_eq!(LIVE.load(Ordering::Relaxed), live, "bytes of ours, after 900 more devices");
    // The driver's own memory may move by a page or two, but not by something per device.
    let grown = resident() - before;
    assert!(grown < 900 * 4, "the process grew by {grown} KiB over 900 devices");
}
