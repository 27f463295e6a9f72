//! Apple: sysctl, and on phones the number that decides when the system ends an app.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr,
};

unsafe extern "C" {
    fn sysctlbyname(
        name: *const c_char,
        old: *mut c_void,
        old_bytes: *mut usize,
        new: *mut c_void,
        new_bytes: usize,
    ) -> c_int;
    #[cfg(not(target_os = "macos"))]
    fn os_proc_available_memory() -> usize;
}

fn read(name: &CStr, into: &mut [u8]) -> Option<usize> {
    let mut bytes = into.len();
    // SAFETY: the name ends in a zero byte; `old` has room for `bytes`, which sysctl lowers to what it wrote.
    let status =
        unsafe { sysctlbyname(name.as_ptr(), into.as_mut_ptr().cast(), &raw mut bytes, ptr::null_mut(), 0) };
    (status == 0 && bytes <= into.len()).then_some(bytes)
}

pub(super) fn total_memory() -> Option<u64> {
    let mut value = [0; 8];
    (read(c"hw.memsize", &mut value)? == 8).then(|| u64::from_ne_bytes(value))
}

#[cfg(not(target_os = "macos"))]
pub(super) fn available_memory() -> Option<u64> {
    // SAFETY: it takes nothing and may be called from any thread; iOS has it since version 13.
    let bytes = unsafe { os_proc_available_memory() };
    // 0 is what the simulator and app extensions without a limit answer: unknown.
    (bytes > 0).then_some(bytes as u64)
}

/// macOS pages and compresses; it names no number that a process may count on.
#[cfg(target_os = "macos")]
pub(super) fn available_memory() -> Option<u64> {
    None
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_name() -> Option<String> {
    // Phones name only the machine ("iPhone16,1"), Macs the chip.
    [c"machdep.cpu.brand_string", c"hw.machine"].into_iter().find_map(|name| {
        let mut text = [0; 128];
        let bytes = read(name, &mut text)?;
        Some(String::from_utf8_lossy(text.get(..bytes)?).trim_end_matches('\0').to_owned())
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_vendor() -> crate::Vendor {
    crate::Vendor::Apple
}

pub(super) fn prefer_large_pages(_start: std::ptr::NonNull<u8>, _bytes: usize) {}
