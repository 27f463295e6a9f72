//! A Linux machine, as far as its files tell without rights.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use super::Probe;
use crate::member::{Disk, Gauges, Identity, Memory, Readings};

/// No file of `/proc` or `/sys` that we read is larger; what is, is not what we think.
const LONGEST_FILE: u64 = 256 << 10;
/// exo's dashboard shows names in one line.
const LONGEST_NAME: usize = 64;

/// Reads `/proc`, `/sys` and `/etc`. Where they are missing (macOS, Windows), what they would tell stays unknown.
///
/// No engine runs yet, so the host is never `able`: neither memory nor a backend is announced to exo.
#[derive(Debug, Clone)]
pub struct HostProbe {
    root: PathBuf,
    models: PathBuf,
    name: Option<String>,
    memory_cap: Option<u64>,
}

impl Default for HostProbe {
    fn default() -> Self {
        Self::rooted("/")
    }
}

impl HostProbe {
    /// A probe that looks for `/proc`, `/sys` and `/etc` below this directory.
    pub fn rooted(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self { models: root.clone(), root, name: None, memory_cap: None }
    }

    /// Calls the device this instead of its host name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Measures the disk that holds this directory.
    #[must_use]
    pub fn models_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.models = directory.into();
        self
    }

    /// Never tells of more memory than this.
    #[must_use]
    pub fn memory_cap(mut self, bytes: u64) -> Self {
        self.memory_cap = Some(bytes);
        self
    }

    fn text(&self, path: &str) -> Option<String> {
        let mut text = String::new();
        fs::File::open(self.root.join(path)).ok()?.take(LONGEST_FILE).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn line(&self, path: &str) -> Option<String> {
        let line = short(self.text(path)?.trim_matches(['\0', '\n', ' ']));
        Some(line).filter(|line| !line.is_empty())
    }

    fn number(&self, path: &Path) -> Option<f64> {
        self.line(path.to_str()?)?.parse().ok()
    }

    /// The entries of a directory below the root, in order.
    fn entries(&self, path: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.root.join(path)).into_iter().flatten().flatten();
        let mut paths: Vec<_> =
            entries.map(|entry| Path::new(path).join(entry.file_name())).take(256).collect();
        paths.sort();
        paths
    }

    fn memory(&self) -> Option<Memory> {
        let text = self.text("proc/meminfo")?;
        let field = |name: &str| {
            let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
        };
        let cap = self.memory_cap.unwrap_or(u64::MAX);
        let total = field("MemTotal")?;
        Some(Memory {
            total: total.min(cap),
            available: field("MemAvailable")?.min(total).min(cap),
            swap_total: field("SwapTotal")?,
            swap_available: field("SwapFree")?,
        })
    }

    fn identity(&self) -> Identity {
        let host = || self.line("proc/sys/kernel/hostname");
        let name = self.name.as_deref().map(short).filter(|name| !name.is_empty());
        Identity {
            name: name.or_else(host).unwrap_or_else(|| "a computer".to_owned()),
            model: self.model().unwrap_or_else(|| "unknown".to_owned()),
            chip: self.chip().unwrap_or_else(|| "unknown".to_owned()),
            os_version: self.os_version(),
            os_build: self.line("proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".to_owned()),
        }
    }

    fn model(&self) -> Option<String> {
        self.line("sys/devices/virtual/dmi/id/product_name").or_else(|| self.line("proc/device-tree/model"))
    }

    fn chip(&self) -> Option<String> {
        let text = self.text("proc/cpuinfo")?;
        let value = |name: &str| {
            let line =
                text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
            line.split_once(':').map(|(_, value)| short(value.trim()))
        };
        value("model name").or_else(|| value("Hardware")).filter(|chip| !chip.is_empty())
    }

    /// "Debian GNU/Linux 13": never a leading digit, which exo would take for macOS.
    fn os_version(&self) -> String {
        let release = self.text("etc/os-release").unwrap_or_default();
        let pretty = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        let pretty = short(pretty.unwrap_or("").trim().trim_matches('"'));
        if pretty.starts_with(|first: char| first.is_alphabetic()) {
            pretty
        } else {
            short(format!("{} {pretty}", os_name()).trim_end())
        }
    }

    fn gauges(&self) -> Gauges {
        Gauges { temperature: self.temperature(), gpu_use: self.gpu_use(), ..Gauges::default() }
    }

    /// The hottest zone of the processor. Batteries, disks and radios are not what exo means.
    fn temperature(&self) -> Option<f64> {
        let is_processor =
            |kind: &str| ["x86_pkg_temp", "cpu", "soc"].iter().any(|name| kind.starts_with(name));
        let zones = self.entries("sys/class/thermal");
        let degrees = zones.iter().filter_map(|zone| {
            let kind = self.line(zone.join("type").to_str()?)?.to_lowercase();
            let degrees = self.number(&zone.join("temp"))? / 1000.0;
            (is_processor(&kind) && (-40.0..150.0).contains(&degrees)).then_some(degrees)
        });
        degrees.reduce(f64::max)
    }

    /// Where the kernel's driver counts it (amdgpu does).
    fn gpu_use(&self) -> Option<f64> {
        let cards = self.entries("sys/class/drm");
        let uses = cards.iter().filter_map(|card| {
            let percent = self.number(&card.join("device/gpu_busy_percent"))?;
            (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
        });
        uses.reduce(f64::max)
    }
}

impl Probe for HostProbe {
    fn measure(&self) -> Readings {
        Readings {
            memory: self.memory(),
            disk: disk(&self.models),
            identity: Some(self.identity()),
            interfaces: None,
            gauges: self.gauges(),
            backends: Vec::new(),
            able: false,
        }
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
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

#[cfg(unix)]
fn disk(directory: &Path) -> Option<Disk> {
    // A directory that is made later lies on the disk of its nearest parent.
    let there = directory.ancestors().find(|path| path.exists())?;
    let disk = rustix::fs::statvfs(there).ok()?;
    let bytes = |blocks: u64| blocks.checked_mul(disk.f_frsize);
    Some(Disk { total: bytes(disk.f_blocks)?, available: bytes(disk.f_bavail)? })
}

#[cfg(not(unix))]
fn disk(_: &Path) -> Option<Disk> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Device(PathBuf);

    impl Device {
        fn with(name: &str, files: &[(&str, &str)]) -> Self {
            let root = std::env::temp_dir().join(format!("exo-probe-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self(root)
        }

        fn probe(&self) -> HostProbe {
            HostProbe::rooted(&self.0)
        }
    }

    impl Drop for Device {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const MEMINFO: &str = "MemTotal:       8000000 kB\nMemFree: 1 kB\nMemAvailable:   3000000 kB\n\
                           SwapTotal: 1000 kB\nSwapFree: 500 kB\n";

    #[test]
    fn memory_comes_from_meminfo_and_is_capped_by_policy() {
        let device = Device::with("memory", &[("proc/meminfo", MEMINFO)]);
        let memory = device.probe().measure().memory.unwrap();
        assert_eq!((memory.total, memory.available), (8_000_000 << 10, 3_000_000 << 10));
        assert_eq!((memory.swap_total, memory.swap_available), (1000 << 10, 500 << 10));
        let capped = device.probe().memory_cap(1 << 30).measure().memory.unwrap();
        assert_eq!((capped.total, capped.available), (1 << 30, 1 << 30));
    }

    #[test]
    fn what_cannot_be_had_stays_unknown() {
        for nonsense in ["", "MemTotal: lots\n", "MemTotal: 99999999999999999999 kB\nMemAvailable: 1 kB\n"] {
            let device = Device::with("nonsense", &[("proc/meminfo", nonsense)]);
            assert_eq!(device.probe().measure().memory, None, "{nonsense:?}");
        }
        let readings = HostProbe::rooted("/nonexistent").measure();
        assert_eq!((readings.gauges, readings.able), (Gauges::default(), false));
    }

    #[test]
    fn the_hottest_processor_zone_counts_and_batteries_do_not() {
        let device = Device::with(
            "thermal",
            &[
                ("sys/class/thermal/thermal_zone0/type", "cpu0-thermal\n"),
                ("sys/class/thermal/thermal_zone0/temp", "41500\n"),
                ("sys/class/thermal/thermal_zone1/type", "cpu1-thermal\n"),
                ("sys/class/thermal/thermal_zone1/temp", "43250\n"),
                ("sys/class/thermal/thermal_zone2/type", "battery\n"),
                ("sys/class/thermal/thermal_zone2/temp", "60000\n"),
                ("sys/class/thermal/thermal_zone3/type", "cpu2-thermal\n"),
                ("sys/class/thermal/thermal_zone3/temp", "-273000\n"),
            ],
        );
        assert_eq!(device.probe().measure().gauges.temperature, Some(43.25));
    }

    #[test]
    fn gpu_use_is_a_fraction_where_the_kernel_counts_it() {
        let device = Device::with("gpu", &[("sys/class/drm/card0/device/gpu_busy_percent", "37\n")]);
        assert_eq!(device.probe().measure().gauges.gpu_use, Some(0.37));
    }

    #[test]
    fn an_os_version_never_starts_with_a_digit() {
        for (release, expected) in [
            ("PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n", "Debian GNU/Linux 13 (trixie)"),
            ("PRETTY_NAME=\"13 of something\"\n", "Linux 13 of something"),
            ("", "Linux"),
        ] {
            let device = Device::with("release", &[("etc/os-release", release)]);
            assert_eq!(device.probe().measure().identity.unwrap().os_version, expected);
        }
    }

    #[test]
    fn names_are_short_and_printable() {
        let device = Device::with(
            "names",
            &[
                ("proc/sys/kernel/hostname", "desk\n"),
                ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Madeup 9000\n"),
                ("proc/device-tree/model", "Board 5\0"),
            ],
        );
        let identity = device.probe().measure().identity.unwrap();
        assert_eq!((&*identity.name, &*identity.model, &*identity.chip), ("desk", "Board 5", "Madeup 9000"));
        let long = device.probe().named("x\u{7}".repeat(500)).measure().identity.unwrap();
        assert_eq!(long.name, "x".repeat(LONGEST_NAME));
    }
}
