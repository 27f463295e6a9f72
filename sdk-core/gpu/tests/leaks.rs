//! Not a byte is leaked: counted by the allocator report, by a counting allocator, and by the process's memory.
//!
//! One test only, because the counters are the process's.
#![cfg(target_env = "gnu")]
#![allow(clippy::unwrap_used)]

mod common;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use ash::vk;
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

/// Has the C library keep one heap. Drivers are opened on threads of their own, and a heap for each thread would
/// keep pieces of each driver that came and went: not leaked, but not given back either, and not ours to judge.
const ONE_HEAP: &str = "MALLOC_ARENA_MAX";

#[test]
fn nothing_is_leaked() {
    if std::env::var_os(ONE_HEAP).is_some() {
        a_hundred_thousand_buffers_come_and_go();
        a_thousand_devices_open_and_close();
        return;
    }
    // The C library reads it before any code of ours runs, hence a process of its own.
    let this = std::env::current_exe().unwrap();
    let child = std::process::Command::new(this).arg("--nocapture").env(ONE_HEAP, "1").output().unwrap();
    let told = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    println!("{told}");
    assert!(child.status.success(), "{told}");
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
        // Pools and tables may end a little fuller or emptier; a leak would be a hundred thousand of something.
        let grown = LIVE.load(Ordering::Relaxed) - live;
        assert!(grown < 10_000, "{name}: {grown} bytes of ours remain of 100,000 buffers");
    }
}

fn a_thousand_devices_open_and_close() {
    // With memory and a copy on each, but no kernel: what a compiler keeps is another matter (see opens.rs).
    let ours = |n: u32| {
        for i in 0..n {
            let gpu = vulkan();
            let (x, y) = (upload(gpu.device(), &[100], &[1.0; 100]), gpu.device().allocate(400).unwrap());
            x.buffer().copy_to(0..400, &y, 0).unwrap();
            if i % 2 == 0 {
                gpu.device().close();
            }
        }
    };
    ours(101);
    let live = LIVE.load(Ordering::Relaxed);
    let grown = least_growth(|| ours(300));
    let kept = kept_since(live, 900);
    assert!(kept < 900, "{kept} bytes of ours remain of 900 devices");
    // Drivers keep something of every device (lavapipe does); how much is measured by opening it bare.
    bare(100);
    let drivers = least_growth(|| bare(300));
    println!("the process grew by {grown} KiB over 300 devices of ours, by {drivers} KiB over 300 bare ones");
    assert!(
        grown < drivers + 300,
        "the process grew by {grown} KiB over 300 devices, bare Vulkan by {drivers} KiB"
    );
}

/// How many bytes of ours remain, once that is less than `enough` or two seconds have passed: on a busy machine threads
/// of the last devices end late and still hold something. A leak stays.
fn kept_since(live: i64, enough: i64) -> i64 {
    let kept = || LIVE.load(Ordering::Relaxed) - live;
    for _ in 0..200 {
        if kept() < enough {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    kept()
}

/// How much the process grew over the round that made it grow least, of three. A leak shows in every round; a heap
/// that settles, or a busy machine on which threads end late, does not.
fn least_growth(mut round: impl FnMut()) -> i64 {
    let growth = (0..3).map(|_| {
        let before = resident();
        round();
        resident() - before
    });
    growth.min().unwrap_or(0)
}

/// Opens and closes `n` devices with nothing of ours in between.
fn bare(n: u32) {
    for _ in 0..n {
        // SAFETY: each handle is made from the one before and destroyed once, in the opposite order.
        unsafe {
            let entry = ash::Entry::load().unwrap();
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let device = instance
                .create_device(physical, &vk::DeviceCreateInfo::default().queue_create_infos(&queues), None)
                .unwrap();
            device.destroy_device(None);
            instance.destroy_instance(None);
        }
    }
}
