//! A system that we have no words with: nothing is known.

pub(super) fn total_memory() -> Option<u64> {
    None
}

pub(super) fn available_memory() -> Option<u64> {
    None
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_name() -> Option<String> {
    None
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_vendor() -> crate::Vendor {
    crate::Vendor::Other
}

pub(super) fn prefer_large_pages(_start: std::ptr::NonNull<u8>, _bytes: usize) {}
