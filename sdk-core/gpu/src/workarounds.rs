//! Driver bugs as data: what to avoid on which device, and where we learnt it.
//!
//! Every kernel is tested on the device before it is trusted, so a bug that gives wrong numbers costs speed,
//! not truth. What is listed here saves that speed, or avoids drivers that crash while they *compile*, which
//! no test of ours survives. Each entry names the reports it rests on and reaches no further than they do,
//! except where a report gives no driver version: then it covers the model, and says so.
//!
//! Not listed: bugs in what we never use (images, push descriptors, square workgroups, cooperative matrices),
//! and those of Vulkan over Metal (`MoltenVK`, `KosmicKrisp`), since on Apple's systems we drive Metal itself.

use crate::{DeviceDescription, Vendor};

/// What to avoid on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workarounds {
    /// Sums and broadcasts across a subgroup give wrong results or do not compile.
    pub no_subgroup_arithmetic: bool,
    /// Shuffles across a subgroup give wrong results.
    pub no_subgroup_shuffle: bool,
    /// Arithmetic on 16-bit floats gives wrong results.
    pub no_f16_arithmetic: bool,
}

const NO_SUBGROUPS: Workarounds =
    Workarounds { no_subgroup_arithmetic: true, no_subgroup_shuffle: true, no_f16_arithmetic: false };
const NO_F16: Workarounds =
    Workarounds { no_subgroup_arithmetic: false, no_subgroup_shuffle: false, no_f16_arithmetic: true };

/// A driver bug that somebody met and reported.
#[derive(Debug)]
pub struct KnownBug {
    /// What goes wrong.
    pub what: &'static str,
    /// Where it was reported.
    pub sources: &'static [&'static str],
    /// What we do without because of it.
    pub avoid: Workarounds,
    vendor: Vendor,
    /// Part of the driver's name.
    driver: AnyOr<&'static str>,
    /// By the number in the device's name.
    models: AnyOr<std::ops::RangeInclusive<u32>>,
    /// The last driver version that has it; a driver whose version we cannot read counts as old.
    up_to: AnyOr<[u32; 3]>,
    /// What else must hold.
    and: fn(&DeviceDescription) -> bool,
}

/// The bugs that we know `device` to have, for people who wonder why it is not used to the full.
pub fn known_bugs(device: &DeviceDescription) -> impl Iterator<Item = &'static KnownBug> {
    KNOWN_BUGS.iter().filter(|bug| bug.touches(device))
}

/// A condition, or none.
#[derive(Clone, Debug)]
enum AnyOr<T> {
    Any,
    Only(T),
}
use AnyOr::{Any, Only};

impl<T> AnyOr<T> {
    fn admits(&self, test: impl FnOnce(&T) -> bool) -> bool {
        match self {
            Any => true,
            Only(condition) => test(condition),
        }
    }
}

/// Part of what Qualcomm's own driver calls itself (Mesa's is "turnip Mesa driver").
const QUALCOMM_DRIVER: &str = "Qualcomm";

/// The bugs that change what we do.
const KNOWN_BUGS: &[KnownBug] = &[
    KnownBug {
        vendor: Vendor::Imagination,
        driver: Any,
        models: Any,
        up_to: Any,
        and: always,
        avoid: NO_SUBGROUPS,
        what: "kernels that sum across a subgroup without shared memory do not compile (VK_ERROR_UNKNOWN), \
               seen on Pixel 10 Pro XL and Pixel 11 Pro; sums in shared memory are right",
        sources: &[
            "https://github.com/ggml-org/llama.cpp/pull/20565",
            "https://github.com/ggml-org/llama.cpp/issues/28214",
        ],
    },
    KnownBug {
        vendor: Vendor::Qualcomm,
        driver: Any,
        models: Only(640..=640),
        up_to: Any,
        and: always,
        avoid: NO_SUBGROUPS,
        what: "subgroup shuffles in a matmul give garbage, with driver 512.502.0 and with turnip 26.1.2",
        sources: &["https://github.com/Tencent/ncnn/issues/6778"],
    },
    KnownBug {
        vendor: Vendor::Qualcomm,
        driver: Only(QUALCOMM_DRIVER),
        models: Only(840..=840),
        up_to: Only([512, 842, 19]),
        and: always,
        avoid: NO_SUBGROUPS,
        what: "subgroup shuffles in a matmul give garbage with driver 512.842.19",
        sources: &["https://github.com/Tencent/ncnn/issues/6778"],
    },
    KnownBug {
        vendor: Vendor::Qualcomm,
        driver: Only(QUALCOMM_DRIVER),
        models: Only(750..=750),
        up_to: Any,
        and: always,
        avoid: NO_SUBGROUPS,
        what: "the driver crashes while it compiles an f32 matvec that sums across a subgroup without shared \
               memory; the report names no version, so this covers the model",
        sources: &["https://github.com/ggml-org/llama.cpp/pull/29165"],
    },
    KnownBug {
        vendor: Vendor::Qualcomm,
        driver: Only(QUALCOMM_DRIVER),
        models: Only(660..=660),
        up_to: Any,
        and: always,
        avoid: NO_SUBGROUPS,
        what: "the compiler before E031.38.11.0 crashes on subgroup sums; seen in OpenCL, which shares the \
               compiler, and the Vulkan driver version does not tell the compiler's",
        sources: &["https://github.com/ggml-org/llama.cpp/pull/22006"],
    },
    KnownBug {
        vendor: Vendor::Qualcomm,
        driver: Any,
        models: Any,
        up_to: Any,
        and: without_16_bit_storage,
        avoid: NO_F16,
        what: "old drivers that offer 16-bit arithmetic without 16-bit storage compute it wrongly",
        sources: &[
            "https://github.com/Tencent/ncnn/blob/a4d2ea1d4422c9e849f166fd7a4aefb52f942f6a/src/gpu.cpp#L1197",
        ],
    },
];

fn always(_: &DeviceDescription) -> bool {
    true
}

fn without_16_bit_storage(device: &DeviceDescription) -> bool {
    !device.features.storage_16bit
}

impl Workarounds {
    /// What to avoid on `device`.
    pub fn of(device: &DeviceDescription) -> Self {
        known_bugs(device).map(|bug| bug.avoid).fold(Self::default(), Self::and)
    }

    fn and(self, other: Self) -> Self {
        Self {
            no_subgroup_arithmetic: self.no_subgroup_arithmetic || other.no_subgroup_arithmetic,
            no_subgroup_shuffle: self.no_subgroup_shuffle || other.no_subgroup_shuffle,
            no_f16_arithmetic: self.no_f16_arithmetic || other.no_f16_arithmetic,
        }
    }
}

impl KnownBug {
    /// Whether `device` is one that has this bug.
    fn touches(&self, device: &DeviceDescription) -> bool {
        self.vendor == device.vendor
            && self.driver.admits(|name| device.driver.name.contains(name))
            && self.models.admits(|models| model(&device.name).is_some_and(|m| models.contains(&m)))
            && self.up_to.admits(|last| version(&device.driver.version).is_none_or(|v| v <= *last))
            && (self.and)(device)
    }
}

/// The model's number in a name: 740 in "Adreno (TM) 740".
fn model(name: &str) -> Option<u32> {
    name.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse().ok())
}

/// The first three numbers of a version: 512.842.19 in "512.842.19". A missing number counts as 0.
fn version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    Some([numbers.next()?, numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_number_is_read_from_the_name() {
        assert_eq!(model("Adreno (TM) 740"), Some(740));
        assert_eq!(model("Turnip Adreno (TM) 702"), Some(702));
        assert_eq!(model("NVIDIA GeForce RTX 4090"), Some(4090));
        assert_eq!(model("Apple GPU"), None);
    }

    #[test]
    fn versions_compare_by_number_and_not_by_text() {
        assert_eq!(version("512.842.19"), Some([512, 842, 19]));
        assert_eq!(version("Mesa 25.0.7-2 (LLVM 19.1.7)"), Some([25, 0, 7]));
        assert_eq!(version("53"), Some([53, 0, 0]));
        assert_eq!(version("unknown"), None);
        assert!(version("512.9.0") < version("512.842.19"));
    }

    #[test]
    fn every_bug_says_what_goes_wrong_and_where_it_was_reported() {
        for bug in KNOWN_BUGS {
            assert!(!bug.what.is_empty(), "{bug:?}");
            assert!(!bug.sources.is_empty(), "{bug:?}");
            assert!(bug.sources.iter().all(|source| source.starts_with("https://")), "{bug:?}");
            assert_ne!(bug.avoid, Workarounds::default(), "a bug that changes nothing: {bug:?}");
        }
    }
}
