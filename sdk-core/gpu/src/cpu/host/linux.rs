//! Linux and Android: `/proc` and control groups.

use std::{
    ffi::{c_int, c_void},
    fs,
    path::{Path, PathBuf},
    ptr::NonNull,
};

unsafe extern "C" {
    fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
}

pub(super) fn total_memory() -> Option<u64> {
    let machine = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal");
    lowest(machine, group_directories().filter_map(|directory| limit(&directory)))
}

pub(super) fn available_memory() -> Option<u64> {
    let machine = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable");
    lowest(machine, group_directories().filter_map(|directory| headroom(&directory)))
}

fn lowest(machine: Option<u64>, groups: impl Iterator<Item = u64>) -> Option<u64> {
    machine.into_iter().chain(groups).min()
}

/// A field of meminfo, in bytes.
fn field(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The control groups of this process that may limit its memory, innermost first. Inside a container the path
/// of the group is that of the host and does not exist here; the root of the mount is then the group itself.
fn group_directories() -> impl Iterator<Item = PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut directories = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let mount = match controllers {
            "" => Path::new("/sys/fs/cgroup"),
            named if named.split(',').any(|name| name == "memory") => Path::new("/sys/fs/cgroup/memory"),
            _ => continue,
        };
        let inner = Path::new(path.trim_start_matches('/')).ancestors().map(|group| mount.join(group));
        directories.extend(inner);
    }
    directories.into_iter()
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// `memory.max` of version 2 says "max" and the limit of version 1 a number near 2^63 where there is none.
fn limit(group: &Path) -> Option<u64> {
    let limit = number(&group.join("memory.max")).or_else(|| number(&group.join("memory.limit_in_bytes")))?;
    (limit < 1 << 60).then_some(limit)
}

/// What the limit leaves. File pages that were not used lately are given up by the kernel before it refuses.
fn headroom(group: &Path) -> Option<u64> {
    let limit = limit(group)?;
    let current =
        number(&group.join("memory.current")).or_else(|| number(&group.join("memory.usage_in_bytes")))?;
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let idle = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse::<u64>().ok());
    Some(limit.saturating_sub(current.saturating_sub(idle.unwrap_or(0))))
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_name() -> Option<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = ["Hardware", "model name", "Model"].iter().find_map(|name| entry(&cpuinfo, name));
    let tree = || fs::read_to_string("/sys/firmware/devicetree/base/model").ok();
    named.map(str::to_owned).or_else(|| Some(tree()?.trim_end_matches('\0').to_owned()))
}

/// Arm's table of implementers, in the main identification register.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor_vendor() -> crate::Vendor {
    use crate::Vendor;
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    match entry(&cpuinfo, "CPU implementer") {
        Some("0x41") => Vendor::Arm,
        Some("0x4e") => Vendor::Nvidia,
        Some("0x51") => Vendor::Qualcomm,
        Some("0x53") => Vendor::Samsung,
        Some("0x61") => Vendor::Apple,
        _ => Vendor::Other,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn entry<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    lines.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

pub(super) fn prefer_large_pages(start: NonNull<u8>, bytes: usize) {
    /// From the kernel's `mman-common.h`; the same on every architecture that we build for.
    const MADV_HUGEPAGE: c_int = 14;
    if cfg!(miri) {
        return;
    }
    // SAFETY: advice changes no contents, and the range is the caller's own allocation, which starts at a page. A
    // kernel without large pages answers with an error, which is as good as an answer.
    unsafe { madvise(start.as_ptr().cast(), bytes, MADV_HUGEPAGE) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read_in_bytes_and_nonsense_is_not_a_number() {
        let meminfo = "MemTotal:       24576000 kB\nMemFree:   1 kB\nMemAvailable: x kB\n";
        assert_eq!(field(meminfo, "MemTotal"), Some(24_576_000 * 1024));
        assert_eq!(field(meminfo, "MemAvailable"), None);
        assert_eq!(field(meminfo, "Mem"), None);
    }
}
