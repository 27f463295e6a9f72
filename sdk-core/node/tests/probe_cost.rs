//! What a look costs: no allocation once everything is open. In a program of its own, since it counts them all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// It is const; where threads have no native storage the macro's own code is taken for ours.
#![allow(clippy::missing_const_for_thread_local)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    time::Instant,
};

use exo_telemetry::{Readings, Timestamp, probe::Probe, reading::Groups};

mod devices;
use devices::{ANDROID, CONTAINER, Device, INTEL, LAPTOP, OLD_CONTAINER, RASPBERRY_PI, SERVER, at};

/// The system's allocator, counting what this thread asks of it.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and nothing to count.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator with the arguments as they came, which upholds what that
// allocator promises; counting touches a plain thread-local cell and neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` through `alloc` or `realloc` with this layout, by the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; `size` is the caller's promise too.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn allocations_are_counted_at_all() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(7)))), 1);
    assert_eq!(allocations(|| drop(String::new())), 0);
}

#[test]
fn a_look_at_any_device_allocates_nothing_after_the_first_two() {
    let broken: devices::Files = &[
        ("proc/meminfo", "lots"),
        ("sys/class/thermal/thermal_zone0/type", "cpu\n"),
        ("sys/class/thermal/thermal_zone0/temp", "65535\n"),
        ("sys/class/power_supply/BAT0/type", "Battery\n"),
        ("sys/class/power_supply/BAT0/capacity", "65535\n"),
        ("proc/net/route/nonsense", ""),
    ];
    for files in [LAPTOP, RASPBERRY_PI, ANDROID, SERVER, CONTAINER, OLD_CONTAINER, INTEL, broken, &[]] {
        let mut device = Device::new(files);
        for look in 0..3 {
            device.look(look * 1_000);
        }
        let count = allocations(|| {
            for look in 3..103 {
                device.look(look * 1_000);
            }
        });
        assert_eq!(count, 0, "{:?}", files.first());
    }
}

#[test]
fn a_look_at_this_machine_allocates_nothing_and_is_quick() {
    let mut probe = exo_node::probe::LinuxProbe::default();
    let mut readings = Readings::unavailable("not looked at", Timestamp(0));
    for look in 0..3 {
        probe.read(at(look * 1_000), Groups::ALL, &mut readings);
    }
    // The median: on a busy machine some looks are interrupted, which is not what a look costs.
    let mut times = [0_u128; 500];
    let count = allocations(|| {
        for (look, time) in times.iter_mut().enumerate() {
            let start = Instant::now();
            probe.read(at(3_000 + look as u64), Groups::ALL, &mut readings);
            *time = start.elapsed().as_nanos();
        }
    });
    times.sort_unstable();
    println!(
        "a look at everything: {:.1} µs median, {:.1} µs least",
        times[250] as f64 / 1e3,
        times[0] as f64 / 1e3
    );
    assert_eq!(count, 0);
    assert!(
        times[250] < 2_000_000,
        "ten times the goal, in a build that is hardly optimised: {} ns",
        times[250]
    );
}
