//! Instruction sets, and the loops that are written by hand for them.
//!
//! Plain kernels are compiled twice from one text by [`vectorised!`]: multiplications and additions stay apart and
//! sums are kept in a fixed number of lanes, so every level gives the same bits. Dot products are worth real
//! intrinsics ([`dense`], [`quantised`], [`attend`]); there levels differ in the order of summation only.

pub(super) mod activations;
pub(super) mod attend;
pub(super) mod dense;
pub(super) mod lanes;
pub(super) mod math;
#[cfg(target_arch = "x86_64")]
pub(super) mod panel;
pub(super) mod quantised;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use std::sync::OnceLock;

/// The instructions that kernels may use, each level with all below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// What every processor of the target has. On 64-bit Arm that is NEON, and only tests ask for less.
    #[cfg_attr(all(target_arch = "aarch64", not(test)), expect(dead_code, reason = "chosen by tests only"))]
    Portable,
    /// AVX2, FMA and F16C.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, BW, DQ, VL and VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// NEON, which every 64-bit Arm processor has.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// NEON with the 8-bit dot product.
    #[cfg(target_arch = "aarch64")]
    NeonDot,
}

impl Level {
    /// The best that this machine has; looked up once.
    pub(super) fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(Self::detect)
    }

    #[cfg(target_arch = "x86_64")]
    fn detect() -> Self {
        let has_avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        let has_avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        match (has_avx2, has_avx512) {
            (true, true) => Self::Avx512,
            (true, false) => Self::Avx2,
            _ => Self::Portable,
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn detect() -> Self {
        if std::arch::is_aarch64_feature_detected!("dotprod") { Self::NeonDot } else { Self::Neon }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn detect() -> Self {
        Self::Portable
    }

    /// Every level that this machine has.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let all = [Self::Portable, Self::Avx2, Self::Avx512];
        #[cfg(target_arch = "aarch64")]
        let all = [Self::Portable, Self::Neon, Self::NeonDot];
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let all = [Self::Portable];
        all.into_iter().filter(|&level| level <= Self::best()).collect()
    }

    /// Whether integer dot products are single instructions here.
    pub(super) fn has_dot_product(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => true,
            #[cfg(target_arch = "aarch64")]
            Self::NeonDot => true,
            _ => false,
        }
    }
}

/// The instruction sets that the kernels use here, for the description of the device.
pub(super) fn instruction_sets() -> String {
    let beyond = match Level::best() {
        Level::Portable => "",
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => " avx2 fma f16c",
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => " avx2 fma f16c avx512f avx512bw avx512vnni",
        #[cfg(target_arch = "aarch64")]
        Level::Neon => " neon",
        #[cfg(target_arch = "aarch64")]
        Level::NeonDot => " neon dotprod",
    };
    format!("{}{beyond}", std::env::consts::ARCH)
}

/// Asks for the memory at an address, which is read soon. Reads nothing itself: any address will do.
#[inline(always)]
pub(super) fn ask_for<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every 64-bit x86 processor has the instruction, and it never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Compiles a function of plain Rust for the baseline and for AVX2, and calls the one that `level` has.
///
/// Other targets have their vectors in the baseline.
macro_rules! vectorised {
    ($(#[$doc:meta])* $vis:vis unsafe fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        $vis unsafe fn $name(level: $crate::cpu::simd::Level, $($arg: $type),*) $(-> $result)? {
            #[inline(always)]
            unsafe fn portable($($arg: $type),*) $(-> $result)? {
                // SAFETY: the promise of the caller of the function that this is the body of.
                unsafe { $body }
            }
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,f16c")]
                unsafe fn avx2($($arg: $type),*) $(-> $result)? {
                    // SAFETY: as in `portable`.
                    unsafe { portable($($arg),*) }
                }
                if level >= $crate::cpu::simd::Level::Avx2 {
                    // SAFETY: the level says that the machine has these instructions; the rest is the caller's.
                    return unsafe { avx2($($arg),*) };
                }
            }
            let _ = level;
            // SAFETY: the caller's promise.
            unsafe { portable($($arg),*) }
        }
    };
}
pub(super) use vectorised;
