//! Who the machine is.

use exo_telemetry::{probe::Identity, protocol::DeviceType};

use super::{
    gpu::{Card, cards},
    tree::Tree,
};

pub(super) fn identity(tree: &Tree) -> Identity {
    let (device_type, vendor) = what_computes(tree);
    Identity {
        name: tree.line("proc/sys/kernel/hostname").unwrap_or_else(|| "a computer".to_owned()),
        vendor: vendor.to_owned(),
        device_type,
    }
}

fn what_computes(tree: &Tree) -> (DeviceType, &'static str) {
    if tree.has("system/build.prop") {
        let vendor = if tree.has("sys/class/kgsl") { "Qualcomm" } else { processor(tree) };
        return (DeviceType::MobileAndroid, vendor);
    }
    // NVIDIA's own driver has no card of its own in some containers, but always this file.
    if tree.has("proc/driver/nvidia/version") {
        return (DeviceType::Nvidia, "NVIDIA");
    }
    let known: Vec<_> = cards(tree).iter().map(maker).collect();
    // A card of its own computes before what is built into the processor.
    let rank = |device_type: &DeviceType| match device_type {
        DeviceType::Nvidia => 0,
        DeviceType::Amd => 1,
        DeviceType::Intel => 2,
        _ => 3,
    };
    known.into_iter().min_by_key(|(kind, _)| rank(kind)).unwrap_or_else(|| (DeviceType::Cpu, processor(tree)))
}

fn maker(card: &Card) -> (DeviceType, &'static str) {
    match (card.vendor, card.driver.as_str()) {
        (Some(0x10de), _) | (_, "nouveau") => (DeviceType::Nvidia, "NVIDIA"),
        (Some(0x1002), _) | (_, "amdgpu" | "radeon") => (DeviceType::Amd, "AMD"),
        (Some(0x8086), _) | (_, "i915" | "xe") => (DeviceType::Intel, "Intel"),
        (_, "asahi") => (DeviceType::AppleSilicon, "Apple"),
        (_, "msm" | "msm_dpu" | "msm_mdss") => (DeviceType::OtherGpu, "Qualcomm"),
        (_, "panfrost" | "panthor" | "lima") => (DeviceType::OtherGpu, "Arm"),
        (_, "v3d" | "vc4" | "vc4-drm") => (DeviceType::OtherGpu, "Broadcom"),
        _ => (DeviceType::OtherGpu, "unknown"),
    }
}

fn processor(tree: &Tree) -> &'static str {
    let text = tree.text("proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim())
        })
    };
    match (value("vendor_id"), value("CPU implementer")) {
        (Some("GenuineIntel"), _) => "Intel",
        (Some("AuthenticAMD"), _) => "AMD",
        (_, Some("0x41")) => "Arm",
        (_, Some("0x51")) => "Qualcomm",
        (_, Some("0x61")) => "Apple",
        _ => "unknown",
    }
}
