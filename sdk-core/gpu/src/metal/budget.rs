//! How much memory this process may use, where the system says so.

use objc2::{available, runtime::ProtocolObject};
use objc2_metal::MTLDevice;

/// How much memory the device can use well.
pub(super) fn working_set(device: &ProtocolObject<dyn MTLDevice>) -> Option<u64> {
    // 0 is what a device without an opinion says.
    let bytes = if available!(ios = 16.0, ..) { device.recommendedMaxWorkingSetSize() } else { 0 };
    (bytes > 0).then_some(bytes)
}

/// What may be used now in all, when `reserved` bytes are in use: on iOS an app is ended for taking more than its
/// share, however much the device could use.
pub(super) fn now(device: &ProtocolObject<dyn MTLDevice>, reserved: u64) -> Option<u64> {
    let share = left_to_process().map(|left| left.saturating_add(reserved));
    [working_set(device), share].into_iter().flatten().min()
}

/// Bytes that the system still lets this process take.
#[cfg(target_os = "ios")]
fn left_to_process() -> Option<u64> {
    unsafe extern "C" {
        fn os_proc_available_memory() -> usize;
    }
    // SAFETY: from `os/proc.h` in libSystem, since iOS 13; it takes nothing and may be called from any thread.
    let left = unsafe { os_proc_available_memory() };
    // 0 where the process has no limit, as in the simulator.
    (left > 0).then_some(left as u64)
}

/// macOS sets no limit.
#[cfg(not(target_os = "ios"))]
fn left_to_process() -> Option<u64> {
    None
}
