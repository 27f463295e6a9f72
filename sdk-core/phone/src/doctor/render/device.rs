//! What a device is, one fact a line.

use std::fmt::Write;

use exo_gpu::{ComputeUnits, DeviceDescription, DeviceKind, Features, Limits, Speed};

use crate::{
    amounts,
    doctor::report::Opened,
    terminal::{Palette, Role},
};

/// Facts about the opened device.
pub(super) fn describe(text: &mut String, opened: &Opened, palette: Palette) {
    let device = &opened.device;
    let mut fact = |name: &str, value: String| {
        let mut name = name;
        for line in wrapped(&value) {
            let _ = writeln!(text, "  {} {line}", palette.paint(Role::Quiet, &format!("{name:<14}")));
            name = "";
        }
    };
    fact("name", device.name.clone());
    fact(
        "kind",
        format!(
            "{}, by {:?} ({:#x}:{:#x})",
            kind(device.kind),
            device.vendor,
            device.vendor_id,
            device.device_id
        ),
    );
    fact("driver", format!("{} {}", device.driver.name, device.driver.version));
    fact("API", format!("{} {}", device.backend, device.api));
    if let Some(uuid) = &device.uuid {
        fact("UUID", uuid.clone());
    }
    fact("opened in", amounts::time(opened.open_time));
    fact("memory", memory(device));
    fact("tests used", amounts::bytes(opened.memory.peak));
    fact("compute units", compute_units(&device.compute_units));
    let measured = &opened.calibration;
    fact("computes", speed(&measured.compute, "FLOP/s"));
    fact("reads memory", speed(&measured.memory, "B/s"));
    fact("reads 4-bit", speed(&measured.decode, "B/s"));
    fact("measured in", amounts::time(measured.elapsed));
    if device.kind == DeviceKind::Host {
        return; // The rest is about GPUs: a processor has no workgroups, and no bounds worth reading.
    }
    fact("subgroup", device.subgroup_size.map_or("unknown".into(), |size| format!("{size} threads")));
    let (has, lacks) = features(device.features);
    fact("features", has);
    fact("without", lacks);
    for (name, value) in limits(&device.limits) {
        fact(name, value);
    }
}

/// Long facts, in lines that fit beside their name on a narrow terminal.
fn wrapped(value: &str) -> Vec<String> {
    const WIDTH: usize = 80;
    let mut lines = vec![String::new()];
    for word in value.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A device's kind in words.
pub(super) fn kind(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Integrated => "integrated GPU",
        DeviceKind::Discrete => "discrete GPU",
        DeviceKind::Virtual => "virtual GPU",
        DeviceKind::Software => "software",
        DeviceKind::Host => "this machine's processor",
        DeviceKind::Other => "unknown kind",
    }
}

fn memory(device: &DeviceDescription) -> String {
    let budget = match device.memory_budget() {
        Some(budget) => format!("{} for this process now", amounts::bytes(budget)),
        None => "budget unavailable".into(),
    };
    let shared = if device.unified_memory { "shared with the host" } else { "of its own" };
    format!("{} {shared}, {budget}", amounts::bytes(device.total_memory()))
}

fn compute_units(units: &ComputeUnits) -> String {
    match units {
        ComputeUnits::Known { count, source } => format!("{count} (from {source})"),
        ComputeUnits::Unavailable { why } => format!("unavailable: {why}"),
    }
}

fn speed(speed: &Speed, unit: &str) -> String {
    match speed {
        Speed::Measured { what, per_second, slowest_per_second, samples, sample_time } => format!(
            "{} ({what}; best of {samples} × {}, slowest {})",
            amounts::rate(*per_second, unit),
            amounts::time(*sample_time),
            amounts::part(slowest_per_second / per_second)
        ),
        Speed::Unavailable { why } => format!("unavailable: {why}"),
    }
}

/// What the device has and what it lacks, by name.
fn features(features: Features) -> (String, String) {
    let named = [
        ("f16", features.f16),
        ("int8", features.int8),
        ("8-bit storage", features.storage_8bit),
        ("16-bit storage", features.storage_16bit),
        ("dot product", features.dot_product),
        ("timeline semaphores", features.timeline_semaphores),
        ("subgroup arithmetic", features.subgroup_arithmetic),
        ("subgroup shuffle", features.subgroup_shuffle),
        ("memory budget", features.memory_budget),
    ];
    let list = |wanted: bool| {
        let names: Vec<&str> =
            named.iter().filter(|(_, has)| *has == wanted).map(|(name, _)| *name).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    (list(true), list(false))
}

fn limits(limits: &Limits) -> [(&'static str, String); 4] {
    let axes = |sizes: [u32; 3]| format!("{}×{}×{}", sizes[0], sizes[1], sizes[2]);
    [
        ("largest buffer", amounts::bytes(limits.max_buffer_bytes)),
        (
            "kernel takes",
            format!(
                "{} buffers of {} each, starting at multiples of {}",
                limits.max_bindings,
                amounts::bytes(limits.max_binding_bytes),
                amounts::bytes(limits.binding_alignment)
            ),
        ),
        (
            "workgroup",
            format!(
                "{} threads (at most {}), {} shared, {} in a dispatch",
                limits.max_workgroup_threads,
                axes(limits.max_workgroup_size),
                amounts::bytes(limits.shared_memory_bytes.into()),
                axes(limits.max_workgroups)
            ),
        ),
        (
            "timestamps",
            limits.timestamp_period_ns.map_or("none".into(), |period| format!("every {period} ns")),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;

    fn described(opened: &Opened) -> String {
        let mut text = String::new();
        describe(&mut text, opened, Palette::Plain);
        text
    }

    #[test]
    fn a_device_shows_driver_api_memory_features_and_limits() {
        let text = described(&sample::opened());
        for expected in [
            "driver         Madeup driver 512.676",
            "API            vulkan 1.3.128",
            "memory         7 GiB shared with the host, 3 GiB for this process now",
            "computes       1.1 TFLOP/s (f32 matrix products; best of 5 × 12 ms, slowest 90 %)",
            "reads memory   42.0 GB/s (f32 weights times a vector; best of 5 × 12 ms, slowest 90 %)",
            "measured in    240 ms",
            "features       int8, timeline semaphores, subgroup arithmetic",
            "largest buffer 2 GiB",
            "kernel takes   24 buffers of 128 MiB each, starting at multiples of 64 B",
        ] {
            assert!(text.contains(expected), "{expected:?} is not in:\n{text}");
        }
    }

    #[test]
    fn a_processor_is_not_described_as_if_it_were_a_gpu() {
        let mut opened = sample::opened();
        opened.device.kind = DeviceKind::Host;
        let text = described(&opened);
        assert!(
            text.contains("memory") && !text.contains("workgroup") && !text.contains("kernel takes"),
            "{text}"
        );
    }

    #[test]
    fn long_facts_are_wrapped_between_words_and_lose_none() {
        let value = "timeline semaphores, ".repeat(9);
        let lines = wrapped(value.trim_end());
        assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= 80), "{lines:?}");
        assert_eq!(lines.join(" "), value.trim_end());
        assert_eq!(wrapped(""), [""]);
    }

    #[test]
    fn what_cannot_be_had_is_called_unavailable_and_never_zero() {
        let mut opened = sample::opened();
        opened.device.heaps[0].budget = None;
        opened.device.subgroup_size = None;
        let text = described(&opened);
        assert!(text.contains("budget unavailable"));
        assert!(text.contains("compute units  unavailable: the driver does not say"));
        assert!(text.contains("subgroup       unknown"));
        assert!(text.contains("reads 4-bit    unavailable: its kernel failed the self-test"));
    }
}
