//! x86: the processor says its own name.

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
