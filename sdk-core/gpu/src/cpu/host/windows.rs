//! Windows: `GlobalMemoryStatusEx`.

#[repr(C)]
#[derive(Default)]
struct MemoryStatus {
    length: u32,
    load: u32,
    total_physical: u64,
    available_physical: u64,
    total_page_file: u64,
    available_page_file: u64,
    total_virtual: u64,
    available_virtual: u64,
    available_extended_virtual: u64,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GlobalMemoryStatusEx(status: *mut MemoryStatus) -> i32;
}

fn status() -> Option<MemoryStatus> {
    let mut status = MemoryStatus { length: size_of::<MemoryStatus>() as u32, ..MemoryStatus::default() };
    // SAFETY: the structure is laid out as the call wants it and says its own size.
    let answered = unsafe { GlobalMemoryStatusEx(&raw mut status) };
    (answered != 0).then_some(status)
}

pub(super) fn total_memory() -> Option<u64> {
    status().map(|status| status.total_physical)
}

pub(super) fn available_memory() -> Option<u64> {
    status().map(|status| status.available_physical.min(status.available_page_file))
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_name() -> Option<String> {
    std::env::var("PROCESSOR_IDENTIFIER").ok()
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_vendor() -> crate::Vendor {
    crate::Vendor::Other
}

pub(super) fn prefer_large_pages(_start: std::ptr::NonNull<u8>, _bytes: usize) {}
