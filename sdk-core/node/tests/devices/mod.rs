//! Trees of files as devices have them. The layouts, names and units are those of the kernel; every figure in them is
//! made up.
#![allow(dead_code, reason = "each test uses its part")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use exo_node::{Now, now::Moment, probe::LinuxProbe};
use exo_telemetry::{Readings, Timestamp, probe::Probe, reading::Groups};

pub(crate) type Files = &'static [(&'static str, &'static str)];

/// A laptop with an AMD chip, on its battery, on Wi-Fi.
pub(crate) const LAPTOP: Files = &[
    ("proc/sys/kernel/hostname", "adas-laptop\n"),
    ("proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: Madeup 7 8840U\n"),
    (
        "proc/meminfo",
        "MemTotal:       31981404 kB\nMemFree:         2000000 kB\nMemAvailable:   18000000 kB\nBuffers:            1000 kB\n",
    ),
    (
        "proc/stat",
        "cpu  1000 100 500 8000 200 50 50 100 0 0\ncpu0 1000 100 500 8000 200 50 50 100 0 0\nintr 5\n",
    ),
    ("proc/loadavg", "1.52 1.10 0.90 2/1200 4711\n"),
    (
        "proc/pressure/memory",
        "some avg10=0.31 avg60=0.10 avg300=0.02 total=12345\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=678\n",
    ),
    ("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n"),
    ("sys/fs/cgroup/user.slice/memory.max", "max\n"),
    ("sys/fs/cgroup/user.slice/user-1000.slice/memory.max", "max\n"),
    (
        "proc/net/route",
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n\
         enp1s0\t00000000\t0101A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0\n\
         wlp2s0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n\
         wg0\t00000000\t00000000\t0003\t0\t0\t900\t00000000\t0\t0\t0\n",
    ),
    ("sys/class/net/wlp2s0/uevent", "DEVTYPE=wlan\nINTERFACE=wlp2s0\nIFINDEX=3\n"),
    ("sys/class/net/wlp2s0/type", "1\n"),
    ("sys/class/thermal/thermal_zone0/type", "acpitz\n"),
    ("sys/class/thermal/thermal_zone0/temp", "99000\n"),
    ("sys/class/hwmon/hwmon0/name", "nvme\n"),
    ("sys/class/hwmon/hwmon0/temp1_input", "70850\n"),
    ("sys/class/hwmon/hwmon1/name", "k10temp\n"),
    ("sys/class/hwmon/hwmon1/temp1_input", "52375\n"),
    ("sys/class/hwmon/hwmon1/temp1_label", "Tctl\n"),
    ("sys/class/hwmon/hwmon2/name", "amdgpu\n"),
    ("sys/class/hwmon/hwmon2/temp1_input", "48000\n"),
    ("sys/class/hwmon/hwmon2/temp1_label", "edge\n"),
    ("sys/class/hwmon/hwmon2/temp2_input", "91000\n"),
    ("sys/class/hwmon/hwmon2/temp2_label", "junction\n"),
    ("sys/class/drm/card1/device/vendor", "0x1002\n"),
    ("sys/class/drm/card1/device/uevent", "DRIVER=amdgpu\nPCI_CLASS=30000\n"),
    ("sys/class/drm/card1/device/gpu_busy_percent", "37\n"),
    ("sys/class/drm/card1/device/mem_info_vram_total", "4294967296\n"),
    ("sys/class/drm/card1/device/mem_info_vram_used", "1073741824\n"),
    ("sys/class/drm/card1-eDP-1/status", "connected\n"),
    ("sys/class/power_supply/AC/type", "Mains\n"),
    ("sys/class/power_supply/AC/online", "0\n"),
    ("sys/class/power_supply/BAT0/type", "Battery\n"),
    ("sys/class/power_supply/BAT0/capacity", "64\n"),
    ("sys/class/power_supply/BAT0/status", "Discharging\n"),
    ("sys/class/power_supply/BAT0/power_now", "11250000\n"),
    ("sys/class/power_supply/hidpp_battery_0/type", "Battery\n"),
    ("sys/class/power_supply/hidpp_battery_0/scope", "Device\n"),
    ("sys/class/power_supply/hidpp_battery_0/capacity", "5\n"),
    ("sys/class/power_supply/hidpp_battery_0/status", "Discharging\n"),
    ("sys/firmware/acpi/platform_profile", "low-power\n"),
];

/// A Raspberry Pi on a cable. Its kernel was built without pressure stall information.
pub(crate) const RASPBERRY_PI: Files = &[
    ("proc/sys/kernel/hostname", "pi\n"),
    ("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n"),
    (
        "proc/meminfo",
        "MemTotal:        8245220 kB\nMemFree:         6000000 kB\nMemAvailable:    7000000 kB\n",
    ),
    ("proc/stat", "cpu  10 0 10 980 0 0 0 0 0 0\n"),
    ("proc/loadavg", "0.00 0.01 0.05 1/150 900\n"),
    ("proc/self/cgroup", "0::/\n"),
    (
        "proc/net/route",
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n\
         eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n",
    ),
    ("sys/class/net/eth0/type", "1\n"),
    ("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n"),
    ("sys/class/thermal/thermal_zone0/temp", "49350\n"),
    ("sys/class/drm/card0/device/uevent", "DRIVER=v3d\nOF_NAME=v3d\n"),
    ("sys/class/drm/card1/device/uevent", "DRIVER=vc4-drm\n"),
];

/// A phone with Android. The system keeps `/proc/stat` and `/proc/loadavg` from apps.
pub(crate) const ANDROID: Files = &[
    ("system/build.prop", "ro.product.model=Madeup Phone 9\n"),
    ("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x51\n"),
    (
        "proc/meminfo",
        "MemTotal:       11534336 kB\nMemFree:          300000 kB\nMemAvailable:    4194304 kB\n",
    ),
    (
        "proc/net/route",
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n",
    ),
    (
        "proc/net/ipv6_route",
        "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 \
         00000400 00000001 00000000 00000003 rmnet_data0\n\
         00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 \
         ffffffff 00000001 00000000 00200200 lo\n",
    ),
    ("sys/class/net/rmnet_data0/type", "519\n"),
    ("sys/class/kgsl/kgsl-3d0/gpu_busy_percentage", "12 %\n"),
    ("sys/class/thermal/thermal_zone0/type", "cpu-0-0-usr\n"),
    ("sys/class/thermal/thermal_zone0/temp", "41200\n"),
    ("sys/class/thermal/thermal_zone1/type", "gpuss-0-usr\n"),
    ("sys/class/thermal/thermal_zone1/temp", "43800\n"),
    ("sys/class/thermal/thermal_zone2/type", "battery\n"),
    ("sys/class/thermal/thermal_zone2/temp", "55000\n"),
    ("sys/class/thermal/thermal_zone3/type", "cpu-1-0-usr\n"),
    ("sys/class/thermal/thermal_zone3/temp", "-273000\n"),
    ("sys/class/power_supply/battery/type", "Battery\n"),
    ("sys/class/power_supply/battery/capacity", "81\n"),
    ("sys/class/power_supply/battery/status", "Discharging\n"),
    ("sys/class/power_supply/battery/current_now", "-750000\n"),
    ("sys/class/power_supply/battery/voltage_now", "4000000\n"),
    ("sys/class/power_supply/usb/type", "USB\n"),
    ("sys/class/power_supply/usb/online", "0\n"),
];

/// A server with two Intel processors, a power meter and no GPU but the one that shows its console.
pub(crate) const SERVER: Files = &[
    ("proc/sys/kernel/hostname", "rack3\n"),
    ("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n"),
    (
        "proc/meminfo",
        "MemTotal:       527988744 kB\nMemFree:        9000000 kB\nMemAvailable:   400000000 kB\n",
    ),
    ("proc/stat", "cpu  1000 0 1000 8000 0 0 0 0 0 0\n"),
    ("proc/loadavg", "63.80 60.00 58.10 70/3000 9\n"),
    (
        "proc/pressure/memory",
        "some avg10=38.00 avg60=1.00 avg300=0.00 total=1\nfull avg10=12.50 avg60=0.00 avg300=0.00 total=1\n",
    ),
    ("sys/class/hwmon/hwmon0/name", "coretemp\n"),
    ("sys/class/hwmon/hwmon0/temp1_input", "61000\n"),
    ("sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n"),
    ("sys/class/hwmon/hwmon0/temp2_input", "66000\n"),
    ("sys/class/hwmon/hwmon0/temp2_label", "Core 0\n"),
    ("sys/class/hwmon/hwmon1/name", "coretemp\n"),
    ("sys/class/hwmon/hwmon1/temp1_input", "64000\n"),
    ("sys/class/hwmon/hwmon1/temp1_label", "Package id 1\n"),
    ("sys/class/hwmon/hwmon2/name", "power_meter\n"),
    ("sys/class/hwmon/hwmon2/power1_average", "412000000\n"),
    ("sys/class/drm/card0/device/vendor", "0x1a03\n"),
    ("sys/class/drm/card0/device/uevent", "DRIVER=ast\n"),
];

/// A container with 4 GiB of that server, under the second version of control groups.
pub(crate) const CONTAINER: Files = &[
    (
        "proc/meminfo",
        "MemTotal:       527988744 kB\nMemFree:        9000000 kB\nMemAvailable:   400000000 kB\n",
    ),
    ("proc/self/cgroup", "0::/\n"),
    ("sys/fs/cgroup/memory.max", "4294967296\n"),
    ("sys/fs/cgroup/memory.current", "3221225472\n"),
    (
        "sys/fs/cgroup/memory.stat",
        "anon 1073741824\nfile 2147483648\ninactive_anon 0\ninactive_file 1610612736\n",
    ),
];

/// The same under the first version: the path is the host's, and only the top of it is there.
pub(crate) const OLD_CONTAINER: Files = &[
    (
        "proc/meminfo",
        "MemTotal:       527988744 kB\nMemFree:        9000000 kB\nMemAvailable:   400000000 kB\n",
    ),
    ("proc/self/cgroup", "9:name=systemd:/\n4:memory,hugetlb:/docker/0123456789abcdef\n0::/\n"),
    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"),
    ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
    ("sys/fs/cgroup/memory/memory.stat", "cache 0\ntotal_inactive_file 536870912\n"),
];

/// A desktop with graphics of Intel that count how long they sleep.
pub(crate) const INTEL: Files = &[
    ("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n"),
    ("sys/class/drm/card0/device/vendor", "0x8086\n"),
    ("sys/class/drm/card0/device/uevent", "DRIVER=i915\n"),
    ("sys/class/drm/card0/gt/gt0/rc6_residency_ms", "100000\n"),
];

/// One device on disk, gone with its test.
pub(crate) struct Device {
    root: PathBuf,
    pub(crate) probe: LinuxProbe,
    pub(crate) readings: Readings,
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Device {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("exo-device-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        for (path, text) in files {
            write(&root.join(path), text.as_bytes());
        }
        let readings = Readings::unavailable("not looked at", Timestamp(0));
        Self { probe: LinuxProbe::rooted(&root), root, readings }
    }

    /// A device with some of its files changed.
    pub(crate) fn with(files: Files, changes: &[(&str, &str)]) -> Self {
        let mut all = files.to_vec();
        all.retain(|(path, _)| changes.iter().all(|(changed, _)| changed != path));
        all.extend_from_slice(changes);
        Self::new(&all)
    }

    /// The file says something else from now on.
    pub(crate) fn says(&mut self, path: &str, text: &str) {
        write(&self.root.join(path), text.as_bytes());
    }

    /// One look at everything, so many milliseconds after the start.
    pub(crate) fn look(&mut self, millis: u64) -> &Readings {
        self.probe.read(at(millis), Groups::ALL, &mut self.readings);
        &self.readings
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

pub(crate) fn at(millis: u64) -> Now {
    let since = Duration::from_millis(millis);
    Now { mono: Moment::after_start(since), wall: Duration::from_hours(490_896) + since }
}

/// In place: files of `/sys` are never replaced while one holds them open.
fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
