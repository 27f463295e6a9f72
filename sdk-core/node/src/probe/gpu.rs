//! The GPU, as far as its driver tells in `/sys`: amdgpu much, Intel's drivers how long it slept, Adreno's how busy it
//! is, others nothing.

use std::path::PathBuf;

use exo_telemetry::{
    now::Moment,
    reading::{GpuReadings, Reading, Unit},
};

use super::{
    Look,
    file::File,
    parse::{number, trimmed, words},
    tree::Tree,
};

/// A graphics card that renders. Some only show pictures.
#[derive(Debug, Clone)]
pub(super) struct Card {
    pub(super) path: PathBuf,
    /// The vendor's number on the PCI bus.
    pub(super) vendor: Option<u32>,
    pub(super) driver: String,
}

/// Drivers of what shows pictures and renders none.
const DISPLAYS: [&str; 9] = [
    "bochs-drm",
    "virtio_gpu",
    "virtio-pci",
    "simple-framebuffer",
    "vkms",
    "ast",
    "mgag200",
    "cirrus",
    "vmwgfx",
];

/// The cards of a device, in order.
pub(super) fn cards(tree: &Tree) -> Vec<Card> {
    let is_card = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix("card").is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let cards = tree.entries("sys/class/drm").into_iter().filter(is_card).map(|path| {
        let vendor = tree.line(path.join("device/vendor"));
        let vendor = vendor.and_then(|hex| u32::from_str_radix(hex.strip_prefix("0x")?, 16).ok());
        let event = tree.text(path.join("device/uevent")).unwrap_or_default();
        let driver =
            event.lines().find_map(|line| line.strip_prefix("DRIVER=")).unwrap_or_default().to_owned();
        Card { path, vendor, driver }
    });
    cards.filter(|card| !DISPLAYS.contains(&card.driver.as_str())).collect()
}

#[derive(Debug)]
pub(super) struct Gpu {
    total: Option<File>,
    used: Option<File>,
    busy: Busy,
}

/// How it tells how busy it is.
#[derive(Debug)]
enum Busy {
    /// Per cent.
    Percent(File),
    /// Milliseconds that it slept since it started, and what they were before.
    Asleep(File, Option<(Moment, f64)>),
    /// Not.
    Untold(&'static str),
}

impl Gpu {
    pub(super) fn find(tree: &Tree) -> Self {
        if let Some(busy) = tree.readable("sys/class/kgsl/kgsl-3d0/gpu_busy_percentage") {
            return Self { total: None, used: None, busy: Busy::Percent(busy) };
        }
        // The one with most memory of its own is the one that computes.
        let memory = |card: &Card| {
            let total = tree.line(card.path.join("device/mem_info_vram_total"));
            total.and_then(|bytes| bytes.parse::<u64>().ok()).unwrap_or(0)
        };
        let Some(card) = cards(tree).into_iter().rev().max_by_key(memory) else {
            return Self {
                total: None,
                used: None,
                busy: Busy::Untold("no GPU that renders is in /sys/class/drm"),
            };
        };
        let file = |name: &str| tree.readable(card.path.join(name));
        let asleep = || {
            ["device/tile0/gt0/gtidle/idle_residency_ms", "gt/gt0/rc6_residency_ms", "power/rc6_residency_ms"]
                .iter()
                .find_map(|name| file(name))
        };
        let busy = match file("device/gpu_busy_percent") {
            Some(percent) => Busy::Percent(percent),
            None => asleep()
                .map_or(Busy::Untold("the driver does not tell in /sys how busy the GPU is"), |file| {
                    Busy::Asleep(file, None)
                }),
        };
        Self { total: file("device/mem_info_vram_total"), used: file("device/mem_info_vram_used"), busy }
    }

    pub(super) fn read(&mut self, look: &mut Look<'_>, into: &mut GpuReadings) {
        for (file, reading) in [(&self.total, &mut into.memory_total), (&self.used, &mut into.memory_used)] {
            match file.as_ref().map(|file| (file, file.whole(look.buffer))) {
                Some((_, Some(bytes))) => reading.measure(bytes, &Unit::BYTES, " bytes", look.at),
                Some((file, None)) => {
                    reading.refuse(format_args!("{} holds no number", file.path()), look.at);
                }
                None => reading.refuse(format_args!("no driver tells in /sys of memory of the GPU"), look.at),
            }
        }
        into.memory_budget.refuse(format_args!("not in /sys: Vulkan tells it"), look.at);
        self.busy.read(look, &mut into.utilisation);
    }
}

impl Busy {
    fn read(&mut self, look: &mut Look<'_>, into: &mut Reading<f64>) {
        match self {
            Self::Untold(why) => *into = Reading::unavailable(*why, look.at),
            Self::Percent(file) => match file.read(look.buffer) {
                Ok(text) => match words(trimmed(text)).next().and_then(number) {
                    Some(percent) if (0.0..=100.0).contains(&percent) => {
                        *into = Reading::measured(percent / 100.0, look.at);
                    }
                    Some(percent) => into.refuse(format_args!("{} says {percent} %", file.path()), look.at),
                    None => into.refuse(format_args!("{} holds no number", file.path()), look.at),
                },
                Err(trouble) => into.refuse(format_args!("{trouble}"), look.at),
            },
            Self::Asleep(file, before) => {
                let Some(asleep) = file.number(look.buffer) else {
                    *before = None;
                    return into.refuse(format_args!("{} holds no number", file.path()), look.at);
                };
                let Some((then, slept)) = before.replace((look.now.mono, asleep)) else {
                    return into.refuse(format_args!("it takes two looks to know"), look.at);
                };
                let passed = look.now.mono.since(then).as_secs_f64() * 1000.0;
                let slept = asleep - slept;
                if passed < 1.0 || slept < 0.0 {
                    return into.refuse(format_args!("the last look was a moment ago"), look.at);
                }
                let busy = (1.0 - slept / passed).clamp(0.0, 1.0);
                *into = Reading::estimated(busy, "the time in which the GPU was not asleep", look.at);
            }
        }
    }
}
