//! What we would do on devices that we do not have: the records in `tests/devices` against ranking, memory
//! placement and workarounds. `tests/devices/README.md` says how a record is read and how to add one.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    BackendKind, DeviceDescription, DeviceKind, Vendor, Workarounds, known_bugs,
    memory_type::{ANY_TYPE, Placement},
    rank::{Wish, choose, rank},
};

/// A device somebody reported, or one that we made up.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// Where the values come from; `None` for a device that is made up as a whole.
    source: Option<String>,
    /// What a reader should know about the values.
    note: Option<String>,
    /// JSON pointers into `device` to what we made up; `""` is all of it.
    made_up: Vec<String>,
    device: DeviceDescription,
}

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "devices"].iter().collect()
}

fn read(name: &str) -> Record {
    let path = folder().join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn device(name: &str) -> DeviceDescription {
    read(name).device
}

fn all() -> BTreeMap<String, Record> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .map(|name| (name.clone(), read(&name)))
        .collect()
}

/// The names of `devices` that would be tried for `wish`, in that order.
fn tried<'a>(devices: &'a [DeviceDescription], wish: Wish<'_>) -> Vec<&'a str> {
    choose(devices, wish).usable.into_iter().map(|index| devices[index].name.as_str()).collect()
}

fn placement(device: &DeviceDescription) -> Placement {
    Placement::choose(device.kind, &device.heaps, &device.memory_types, ANY_TYPE).unwrap()
}

#[test]
fn every_record_survives_a_round_trip() {
    for (name, record) in all() {
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record, "{name}");
    }
}

#[test]
fn every_record_says_where_it_comes_from_and_what_of_it_is_made_up() {
    for (name, record) in all() {
        let is_all_made_up = record.made_up.iter().any(String::is_empty);
        assert_eq!(record.source.is_none(), is_all_made_up, "{name}: a source, or all of it is made up");
        assert_eq!(name.starts_with("made-up-"), is_all_made_up, "{name}: the name says so, too");
        assert!(
            record.made_up.is_empty() || record.note.is_some(),
            "{name}: say what stands in for the report"
        );
        let device = serde_json::to_value(&record.device).unwrap();
        for pointer in &record.made_up {
            assert!(device.pointer(pointer).is_some(), "{name}: {pointer} is not in the device");
        }
    }
}

#[test]
fn every_record_is_consistent() {
    for (name, Record { device, .. }) in all() {
        assert_eq!(device.backend == BackendKind::Cpu, device.vendor_id == 0, "{name}");
        assert!(device.vendor_id == 0 || Vendor::from_id(device.vendor_id) == device.vendor, "{name}");
        assert!(device.memory_types.iter().all(|t| (t.heap as usize) < device.heaps.len()), "{name}");
        assert_eq!(device.unified_memory, placement(&device).is_mapped, "{name}");
    }
}

#[test]
fn every_family_is_on_record() {
    let seen: Vec<Vendor> = all().into_values().map(|record| record.device.vendor).collect();
    for vendor in [
        Vendor::Qualcomm,
        Vendor::Arm,
        Vendor::Samsung,
        Vendor::Imagination,
        Vendor::Nvidia,
        Vendor::Amd,
        Vendor::Intel,
        Vendor::Apple,
        Vendor::Mesa,
    ] {
        assert!(seen.contains(&vendor), "{vendor:?}");
    }
}

#[test]
fn every_device_can_be_used_but_the_one_with_vulkan_1_0() {
    for (name, Record { device, .. }) in all() {
        let ranking = rank(&[device]);
        let is_old = name.ends_with("vulkan-1.0");
        assert_eq!(ranking.usable.is_empty(), is_old, "{name}: {:?}", ranking.refused);
    }
}

#[test]
fn this_machines_cpu_can_always_be_used() {
    assert_eq!(rank(&[crate::cpu::describe()]).usable, [0]);
}

#[test]
fn a_refusal_says_what_is_missing() {
    let phone = device("mali-g57-valhall");
    let reason_without = |change: fn(&mut DeviceDescription)| {
        let mut phone = phone.clone();
        change(&mut phone);
        rank(&[phone]).refused.pop().map(|(_, reason)| reason).unwrap_or_default()
    };
    let old = rank(&[device("nvidia-quadro-k620-vulkan-1.0")]).refused;
    assert_eq!(old[0].1, "it offers Vulkan 1.0 and we need 1.1; a newer driver may offer more");
    assert_eq!(
        reason_without(|d| d.has_compute_queue = false),
        "it has no compute queue: it can draw but not compute"
    );
    assert_eq!(
        reason_without(|d| d.limits.max_bindings = 4),
        "it has 4 storage buffers per kernel and our kernels need 8"
    );
    assert_eq!(
        reason_without(|d| d.limits.max_params_bytes = 64),
        "it has 64 bytes of kernel parameters and our kernels need 128"
    );
    assert_eq!(
        reason_without(|d| d.limits.max_workgroup_threads = 64),
        "it has 64 threads in a workgroup and our kernels need 128"
    );
    assert_eq!(
        reason_without(|d| d.limits.max_workgroup_size = [64, 64, 64]),
        "it has 64 threads in a workgroup and our kernels need 128"
    );
    assert_eq!(
        reason_without(|d| d.limits.shared_memory_bytes = 8192),
        "it has 8192 bytes of workgroup memory and our kernels need 16384"
    );
    assert_eq!(
        reason_without(|d| d.limits.max_binding_bytes = 0),
        "it has 0 bytes in the largest kernel argument and our kernels need 1048576"
    );
    assert_eq!(
        reason_without(|d| d.memory_types.retain(|t| !t.host_visible)),
        "it has no memory that the host can map coherently"
    );
    assert_eq!(reason_without(|_| {}), "");
}

#[test]
fn a_laptop_uses_its_card_then_its_integrated_gpu_then_the_cpu() {
    let laptop = ["llvmpipe-25.0.7", "intel-tgl-gt2", "made-up-host", "nvidia-rtx-2080-ti"].map(device);
    let best = ["GeForce RTX 2080 Ti", "Intel(R) Xe Graphics (TGL GT2)", "CPU (AVX2)"];
    assert_eq!(tried(&laptop, Wish::Best), best);
    let passed_over = choose(&laptop, Wish::Best).refused;
    assert_eq!(passed_over.len(), 1);
    assert_eq!(passed_over[0].0, 0);
    assert!(passed_over[0].1.contains("EXO_GPU=vulkan"), "{}", passed_over[0].1);
}

#[test]
fn a_software_device_is_used_when_it_is_asked_for() {
    let server = ["llvmpipe-25.0.7", "made-up-host"].map(device);
    let llvmpipe = server[0].name.as_str();
    assert_eq!(tried(&server, Wish::Best), ["CPU (AVX2)"]);
    assert_eq!(tried(&server, Wish::Backend(BackendKind::Vulkan)), [llvmpipe]);
    assert_eq!(tried(&server, Wish::Named("LLVMpipe")), [llvmpipe]);
    assert_eq!(tried(&server, Wish::Backend(BackendKind::Cpu)), ["CPU (AVX2)"]);
}

#[test]
fn a_real_gpu_comes_before_a_software_device_even_where_vulkan_was_asked_for() {
    let laptop = ["llvmpipe-25.0.7", "amd-renoir-apu"].map(device);
    let first = tried(&laptop, Wish::Backend(BackendKind::Vulkan))[0];
    assert_eq!(first, "AMD Radeon Graphics (RADV RENOIR)");
}

#[test]
fn a_device_that_cannot_be_used_is_not_tried_even_by_name() {
    let workstation = ["nvidia-quadro-k620-vulkan-1.0", "made-up-host"].map(device);
    let choice = choose(&workstation, Wish::Named("quadro"));
    assert!(choice.usable.is_empty());
    let reasons: Vec<_> = choice.refused.iter().map(|(index, reason)| (*index, reason.as_str())).collect();
    assert_eq!(
        reasons,
        [
            (0, "it offers Vulkan 1.0 and we need 1.1; a newer driver may offer more"),
            (1, "a device named like \"quadro\" was asked for"),
        ]
    );
}

#[test]
fn of_two_cards_the_one_with_more_memory_is_first_and_equals_keep_their_order() {
    let small = device("amd-rx-470-256-mib-window");
    let large = device("nvidia-rtx-2080-ti");
    assert_eq!(rank(&[small.clone(), large.clone()]).usable, [1, 0]);
    assert_eq!(rank(&[large.clone(), small, large]).usable, [0, 2, 1]);
}

#[test]
fn phones_and_integrated_gpus_compute_in_memory_that_the_host_maps() {
    for (name, buffers, is_cached) in [
        ("adreno-620", 2, true),
        ("mali-g57-valhall", 0, false),
        ("xclipse-940", 4, true),
        ("amd-renoir-apu", 3, false),
        ("intel-adl-gt2", 2, true),
        ("apple-m3-max-moltenvk", 1, true),
        ("llvmpipe-25.0.7", 0, true),
    ] {
        let chosen = placement(&device(name));
        assert_eq!(
            (chosen.buffers, chosen.is_mapped, chosen.is_cached),
            (buffers, true, is_cached),
            "{name}"
        );
    }
}

#[test]
fn cards_compute_in_their_own_memory_and_stage_in_the_hosts() {
    for (name, buffers, upload, download) in [
        ("nvidia-rtx-2080-ti", 7, 9, 10),
        ("amd-rx-470-256-mib-window", 0, 2, 5),
        ("amd-rx-6600-256-mib-window", 0, 1, 3),
        ("amd-rx-6600-resizable-bar", 0, 1, 3),
    ] {
        let chosen = placement(&device(name));
        assert!(!chosen.is_mapped, "{name}");
        assert_eq!((chosen.buffers, chosen.upload, chosen.download), (buffers, upload, download), "{name}");
    }
}

#[test]
fn cards_and_nobody_else_can_send_buffers_to_the_hosts_memory() {
    for (name, Record { device, .. }) in all() {
        let chosen = placement(&device);
        let is_card = device.kind == DeviceKind::Discrete;
        assert_eq!(chosen.offload, is_card.then_some(chosen.upload), "{name}");
        let is_own = chosen.offload.map(|index| device.memory_types[index as usize].device_local);
        assert_ne!(is_own, Some(true), "{name}");
    }
}

#[test]
fn known_driver_bugs_touch_the_devices_that_were_reported_and_no_others() {
    let subgroups =
        Workarounds { no_subgroup_arithmetic: true, no_subgroup_shuffle: true, ..Workarounds::default() };
    let f16 = Workarounds { no_f16_arithmetic: true, ..Workarounds::default() };
    for (name, Record { device, .. }) in all() {
        let expected = match name.as_str() {
            "adreno-840" | "powervr-cxtp-48-1536" => subgroups,
            "adreno-620" => f16,
            _ => Workarounds::default(),
        };
        assert_eq!(Workarounds::of(&device), expected, "{name}");
        assert_eq!(known_bugs(&device).count() > 0, expected != Workarounds::default(), "{name}");
    }
}

#[test]
fn a_newer_driver_is_trusted_again_and_an_unreadable_version_is_not() {
    let mut phone = device("adreno-840");
    phone.driver.version = "512.843.0".into();
    assert_eq!(Workarounds::of(&phone), Workarounds::default());
    phone.driver.version = "unknown".into();
    assert!(Workarounds::of(&phone).no_subgroup_arithmetic);
}

#[test]
fn mesas_driver_does_not_inherit_the_bugs_of_qualcomms() {
    let mut phone = device("adreno-840");
    phone.driver.name = "turnip Mesa driver".into();
    phone.driver.version = "Mesa 26.1.2".into();
    assert_eq!(Workarounds::of(&phone), Workarounds::default());
    phone.name = "Turnip Adreno (TM) 640".into();
    assert!(Workarounds::of(&phone).no_subgroup_shuffle, "the report names both drivers for this one");
}
