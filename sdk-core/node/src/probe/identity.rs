//! Who the machine is.

use exo_telemetry::{probe::Identity, protocol::DeviceType};

use super::{
    gpu::{Card, cards},
    tree::Tree,
};

/// exo's dashboard shows names in one line.
const LONGEST_NAME: usize = 64;

/// Who the machine is; `name` is what its owner calls it, if that is not its host name.
pub(super) fn identity(tree: &Tree, name: Option<&str>) -> Identity {
    let (device_type, vendor) = what_computes(tree);
    let host = || tree.line("proc/sys/kernel/hostname");
    let name = name.map(short).filter(|name| !name.is_empty()).or_else(host);
    let unknown = || "unknown".to_owned();
    Identity {
        name: name.unwrap_or_else(|| "a computer".to_owned()),
        model: model(tree).unwrap_or_else(unknown),
        chip: chip(tree).unwrap_or_else(unknown),
        os_version: os_version(tree),
        os_build: tree.line("proc/sys/kernel/osrelease").unwrap_or_else(unknown),
        vendor: vendor.to_owned(),
        device_type,
    }
}

fn short(text: &str) -> String {
    let printable = text.trim().chars().filter(|c| !c.is_control());
    printable.take(LONGEST_NAME).collect::<String>().trim_end().to_owned()
}

fn model(tree: &Tree) -> Option<String> {
    tree.line("sys/devices/virtual/dmi/id/product_name").or_else(|| tree.line("proc/device-tree/model"))
}

fn chip(tree: &Tree) -> Option<String> {
    let text = tree.text("proc/cpuinfo")?;
    let value = |name: &str| text.lines().find_map(|line| value_of(line, name)).map(short);
    value("model name").or_else(|| value("Hardware")).filter(|chip| !chip.is_empty())
}

/// "Debian GNU/Linux 13": never a leading digit, which exo would take for macOS.
fn os_version(tree: &Tree) -> String {
    let release = tree.text("etc/os-release").unwrap_or_default();
    let pretty = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let pretty = short(pretty.unwrap_or("").trim().trim_matches('"'));
    if pretty.starts_with(char::is_alphabetic) { pretty } else { short(&format!("{} {pretty}", os_name())) }
}

fn os_name() -> &'static str {
    match std::env::consts::OS {
        "macos" => "macOS",
        "ios" => "iOS",
        "android" => "Android",
        "windows" => "Windows",
        _ => "Linux",
    }
}

/// What a line of `/proc/cpuinfo` says of this.
fn value_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.split_once(':')?;
    (key.trim() == name).then(|| value.trim())
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
    let value = |name: &str| text.lines().find_map(|line| value_of(line, name));
    match (value("vendor_id"), value("CPU implementer")) {
        (Some("GenuineIntel"), _) => "Intel",
        (Some("AuthenticAMD"), _) => "AMD",
        (_, Some("0x41")) => "Arm",
        (_, Some("0x51")) => "Qualcomm",
        (_, Some("0x61")) => "Apple",
        _ => "unknown",
    }
}
