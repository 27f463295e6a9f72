//! What the operating system says about the machine. What it does not say is `None`, never a guess.

/// Memory that this process can ever have: the machine's, or the container's limit where that is lower.
pub(super) fn total_memory() -> Option<u64> {
    system::total_memory()
}

/// Memory that this process could still take now.
pub(super) fn available_memory() -> Option<u64> {
    system::available_memory()
}

/// The processor's name, as it or the system spells it.
pub(super) fn processor_name() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    let name = x86::brand();
    #[cfg(not(target_arch = "x86_64"))]
    let name = system::processor_name();
    name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|name| !name.is_empty())
}

/// Who designed the processor, as `(vendor's own id)`: CPUID's string, or Arm's implementer code.
pub(super) fn processor_vendor() -> crate::Vendor {
    #[cfg(target_arch = "x86_64")]
    return x86::vendor();
    #[cfg(not(target_arch = "x86_64"))]
    system::processor_vendor()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::Vendor;
    use std::arch::x86_64::__cpuid;

    pub(super) fn brand() -> Option<String> {
        if __cpuid(0x8000_0000).eax < 0x8000_0004 {
            return None;
        }
        let registers = (0x8000_0002..=0x8000_0004).map(__cpuid).flat_map(|r| [r.eax, r.ebx, r.ecx, r.edx]);
        let bytes: Vec<u8> = registers.flat_map(u32::to_le_bytes).take_while(|&byte| byte != 0).collect();
        String::from_utf8(bytes).ok()
    }

    pub(super) fn vendor() -> Vendor {
        let leaf = __cpuid(0);
        let bytes: Vec<u8> = [leaf.ebx, leaf.edx, leaf.ecx].into_iter().flat_map(u32::to_le_bytes).collect();
        match bytes.as_slice() {
            b"GenuineIntel" => Vendor::Intel,
            b"AuthenticAMD" => Vendor::Amd,
            _ => Vendor::Other,
        }
    }
}

/// Linux and Android: `/proc` and control groups.
#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

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
    pub(super) fn field(meminfo: &str, name: &str) -> Option<u64> {
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
        let limit =
            number(&group.join("memory.max")).or_else(|| number(&group.join("memory.limit_in_bytes")))?;
        (limit < 1 << 60).then_some(limit)
    }

    /// What the limit leaves. File pages that were not used lately are given up by the kernel before it refuses.
    fn headroom(group: &Path) -> Option<u64> {
        let limit = limit(group)?;
        let current =
            number(&group.join("memory.current")).or_else(|| number(&group.join("memory.usage_in_bytes")))?;
        let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let idle =
            stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse::<u64>().ok());
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
}

/// Apple: sysctl, and on phones the number that decides when the system ends an app.
#[cfg(target_vendor = "apple")]
mod system {
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
        let status = unsafe {
            sysctlbyname(name.as_ptr(), into.as_mut_ptr().cast(), &raw mut bytes, ptr::null_mut(), 0)
        };
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
}

/// Windows: `GlobalMemoryStatusEx`.
#[cfg(windows)]
mod system {
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
}

/// A system that we have no words with.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)))]
mod system {
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
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read_in_bytes_and_nonsense_is_not_a_number() {
        let meminfo = "MemTotal:       24576000 kB\nMemFree:   1 kB\nMemAvailable: x kB\n";
        assert_eq!(system::field(meminfo, "MemTotal"), Some(24_576_000 * 1024));
        assert_eq!(system::field(meminfo, "MemAvailable"), None);
        assert_eq!(system::field(meminfo, "Mem"), None);
    }

    #[test]
    fn a_linux_machine_says_what_it_has() {
        let (total, available) = (total_memory().unwrap(), available_memory().unwrap());
        assert!(available > 0 && available <= total, "{available} of {total}");
    }
}
