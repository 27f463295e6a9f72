//! What the operating system says about the machine. What it does not say is `None`, never a guess.

#[cfg_attr(any(target_os = "linux", target_os = "android"), path = "linux.rs")]
#[cfg_attr(target_vendor = "apple", path = "apple.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(
    not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)),
    path = "unknown.rs"
)]
mod system;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Memory that this process can ever have: the machine's, or the container's limit where that is lower.
pub(super) fn total_memory() -> Option<u64> {
    system::total_memory()
}

/// Memory that this process could still take now.
pub(super) fn available_memory() -> Option<u64> {
    system::available_memory()
}

/// Asks for large pages behind an allocation of that many bytes, aligned to [`LARGE_PAGE`]. Only a wish: matrices are read a fifth
/// faster where it is granted.
pub(super) fn prefer_large_pages(start: std::ptr::NonNull<u8>, bytes: usize) {
    system::prefer_large_pages(start, bytes);
}

/// Where large pages start, on every system that has them for us.
pub(super) const LARGE_PAGE: usize = 2 << 20;

/// The processor's name, as it or the system spells it.
pub(super) fn processor_name() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    let name = x86::brand();
    #[cfg(not(target_arch = "x86_64"))]
    let name = system::processor_name();
    name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|name| !name.is_empty())
}

/// Who designed the processor: by CPUID's string, or Arm's implementer code.
pub(super) fn processor_vendor() -> crate::Vendor {
    #[cfg(target_arch = "x86_64")]
    return x86::vendor();
    #[cfg(not(target_arch = "x86_64"))]
    system::processor_vendor()
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_linux_machine_says_what_it_has() {
        let (total, available) = (total_memory().unwrap(), available_memory().unwrap());
        assert!(available > 0 && available <= total, "{available} of {total}");
    }
}
