//! Which device to use: a pure function over descriptions.
//!
//! Three questions, in this order: can our kernels run there at all ([`unfit`]), which of those that can is
//! best ([`rank`]), and which of them does the caller's wish allow ([`choose`]). No driver is called here, so
//! a description recorded from somebody's phone is enough to know what we would do on it.

use crate::{ApiVersion, BackendKind, DeviceDescription, DeviceKind};

/// The lowest Vulkan that we drive: what Android requires since version 10.
const VULKAN_FLOOR: ApiVersion = ApiVersion { major: 1, minor: 1, patch: 0 };
/// Storage buffers of our widest kernel: attention over bytes takes q, words and scales of keys and values, pages,
/// rows and y.
pub(crate) const BINDINGS: u32 = 8;
/// Bytes of parameters that a kernel may take; Vulkan promises as many push constants.
pub(crate) const PARAMS_BYTES: u32 = 128;
/// Threads of our smallest workgroups; Vulkan promises as many.
const WORKGROUP_THREADS: u32 = 128;
/// Memory that a workgroup of ours shares at most, unless the device offers more; Vulkan promises as much.
const SHARED_BYTES: u32 = 16 << 10;
/// Below this a tensor would be split into too many pieces. Early MoltenVK on an M1 said 0 here
/// (<https://github.com/KhronosGroup/MoltenVK/issues/1245>).
const BINDING_BYTES: u64 = 1 << 20;

/// Devices in the order of preference, and those that cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranking {
    /// Indices of devices that our kernels can run on, best first.
    pub(crate) usable: Vec<usize>,
    /// Indices of the others, each with the reason, for people.
    pub(crate) refused: Vec<(usize, String)>,
}

/// What the caller asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish<'a> {
    /// Whatever is best.
    Best,
    /// A backend, and then its best device: software counts, since it was asked for.
    Backend(BackendKind),
    /// A device whose name contains this, in any case.
    Named(&'a str),
}

/// Sorts `devices` into usable ones, best first, and refused ones.
///
/// Cards before integrated GPUs before virtual ones before the unknown; then our own CPU backend, and behind
/// it drivers that compute on the CPU, which are slower than it. Of equals the one with more memory, then by
/// name, then as given.
pub(crate) fn rank(devices: &[DeviceDescription]) -> Ranking {
    let mut ranking = Ranking::default();
    for (index, device) in devices.iter().enumerate() {
        match unfit(device) {
            None => ranking.usable.push(index),
            Some(reason) => ranking.refused.push((index, reason)),
        }
    }
    ranking.usable.sort_by_key(|&index| {
        devices.get(index).map(|d| (class(d.kind), std::cmp::Reverse(d.total_memory()), d.name.as_str()))
    });
    ranking
}

/// The devices to try for `wish`, best first, and why each of the others is passed over.
pub(crate) fn choose(devices: &[DeviceDescription], wish: Wish<'_>) -> Ranking {
    let Ranking { usable, mut refused } = rank(devices);
    let mut chosen = Vec::with_capacity(usable.len());
    for index in usable {
        let Some(device) = devices.get(index) else { continue };
        match passed_over(device, wish) {
            None => chosen.push(index),
            Some(reason) => refused.push((index, reason)),
        }
    }
    Ranking { usable: chosen, refused }
}

/// Why `device` is not tried for `wish` although it would work.
fn passed_over(device: &DeviceDescription, wish: Wish<'_>) -> Option<String> {
    match wish {
        Wish::Best if device.kind == DeviceKind::Software => Some(format!(
            "it computes on the CPU, where our own CPU backend is faster; ask for it with EXO_GPU={}",
            device.backend
        )),
        Wish::Backend(backend) if device.backend != backend => {
            Some(format!("the {backend} backend was asked for and this is a {} device", device.backend))
        }
        Wish::Named(part) if !device.name.to_lowercase().contains(&part.to_lowercase()) => {
            Some(format!("a device named like \"{part}\" was asked for"))
        }
        Wish::Best | Wish::Backend(_) | Wish::Named(_) => None,
    }
}

/// Why our kernels cannot run on `device`; `None` if they can.
fn unfit(device: &DeviceDescription) -> Option<String> {
    // There a kernel is a function call, without workgroups or bindings to be short of.
    if device.backend == BackendKind::Cpu {
        return None;
    }
    let limits = &device.limits;
    if device.backend == BackendKind::Vulkan && device.api < VULKAN_FLOOR {
        return Some(format!(
            "it offers Vulkan {}.{} and we need {}.{}; a newer driver may offer more",
            device.api.major, device.api.minor, VULKAN_FLOOR.major, VULKAN_FLOOR.minor
        ));
    }
    if !device.has_compute_queue {
        return Some("it has no compute queue: it can draw but not compute".into());
    }
    let small = |what: &str, has: u64, needs: u64| {
        (has < needs).then(|| format!("it has {has} {what} and our kernels need {needs}"))
    };
    small("storage buffers per kernel", limits.max_bindings.into(), BINDINGS.into())
        .or_else(|| small("bytes of kernel parameters", limits.max_params_bytes.into(), PARAMS_BYTES.into()))
        .or_else(|| {
            let [x, ..] = limits.max_workgroup_size;
            let threads = limits.max_workgroup_threads.min(x);
            small("threads in a workgroup", threads.into(), WORKGROUP_THREADS.into())
        })
        .or_else(|| {
            small("bytes of workgroup memory", limits.shared_memory_bytes.into(), SHARED_BYTES.into())
        })
        .or_else(|| small("bytes in the largest kernel argument", limits.max_binding_bytes, BINDING_BYTES))
        .or_else(|| {
            // Metal allocates what the host sees by itself; Vulkan leaves the choice to us, and promises one.
            let is_mappable = device.memory_types.iter().any(|t| t.host_visible && t.host_coherent);
            (device.backend == BackendKind::Vulkan && !is_mappable)
                .then(|| "it has no memory that the host can map coherently".into())
        })
}

/// Smaller is preferred.
fn class(kind: DeviceKind) -> u8 {
    match kind {
        DeviceKind::Discrete => 0,
        DeviceKind::Integrated => 1,
        DeviceKind::Virtual => 2,
        DeviceKind::Other => 3,
        DeviceKind::Host => 4,
        DeviceKind::Software => 5,
    }
}
