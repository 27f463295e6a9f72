//! What the probe finds on devices that we do not have.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use exo_telemetry::{
    Source,
    probe::Probe,
    protocol::DeviceType,
    reading::{Group, Groups, NetworkKind, Pressure, Quantity},
};

mod devices;
use devices::{ANDROID, CONTAINER, Device, INTEL, LAPTOP, OLD_CONTAINER, RASPBERRY_PI, SERVER, at};

const GIB: u64 = 1 << 30;

#[test]
fn a_laptop_on_its_battery() {
    let mut laptop = Device::new(LAPTOP);
    let readings = laptop.look(0);
    assert_eq!(readings.memory.total.get(), Some(31_981_404 << 10));
    assert_eq!(readings.memory.available.get(), Some(18_000_000 << 10));
    assert_eq!(readings.memory.app_limit.why(), Some("no control group sets a limit"));
    assert_eq!(readings.memory.pressure.get(), Some(Pressure::None));
    assert_eq!(
        readings.thermal.temperature.get(),
        Some(52.375),
        "the processor, not the disk, not a hot spot"
    );
    assert_eq!(readings.gpu.utilisation.get(), Some(0.37));
    assert_eq!((readings.gpu.memory_total.get(), readings.gpu.memory_used.get()), (Some(4 * GIB), Some(GIB)));
    assert_eq!((readings.battery.level.get(), readings.battery.charging.get()), (Some(0.64), Some(false)));
    assert_eq!(readings.battery.power_save.get(), Some(true));
    assert_eq!((readings.power.get(), readings.power.source()), (Some(11.25), Source::Measured));
    assert_eq!(readings.network.kind.get(), Some(NetworkKind::Wifi), "the best route that is up");
    assert_eq!(readings.cpu.load.get(), Some(1.52));
    let identity = laptop.probe.identity();
    assert_eq!((&*identity.name, &*identity.vendor), ("adas-laptop", "AMD"));
    assert_eq!(identity.device_type, DeviceType::Amd);
}

#[test]
fn a_laptop_at_the_mains_does_not_know_what_it_draws() {
    let changes =
        [("sys/class/power_supply/AC/online", "1\n"), ("sys/class/power_supply/BAT0/status", "Charging\n")];
    let mut laptop = Device::with(LAPTOP, &changes);
    let readings = laptop.look(0);
    assert_eq!(readings.battery.charging.get(), Some(true));
    assert_eq!(readings.power.why(), Some("the mains give what no battery counts"));
}

#[test]
fn a_raspberry_pi() {
    let mut pi = Device::new(RASPBERRY_PI);
    let readings = pi.look(0);
    assert_eq!(readings.thermal.temperature.get(), Some(49.35));
    assert!(readings.memory.pressure.why().unwrap().starts_with("there is no "));
    assert_eq!(readings.battery.level.why(), Some("the device has no battery"));
    assert_eq!(
        (readings.battery.charging.get(), readings.battery.charging.source()),
        (Some(true), Source::Estimated)
    );
    assert_eq!(readings.gpu.utilisation.why(), Some("the driver does not tell in /sys how busy the GPU is"));
    assert_eq!(readings.network.kind.get(), Some(NetworkKind::Ethernet));
    let identity = pi.probe.identity();
    assert_eq!((identity.device_type, &*identity.vendor), (DeviceType::OtherGpu, "Broadcom"));
}

#[test]
fn an_android_phone_tells_what_apps_may_know() {
    let mut phone = Device::new(ANDROID);
    let readings = phone.look(0);
    assert_eq!(readings.thermal.temperature.get(), Some(43.8), "neither the battery nor the broken sensor");
    assert_eq!((readings.power.get(), readings.power.source()), (Some(3.0), Source::Estimated));
    assert_eq!(readings.gpu.utilisation.get(), Some(0.12));
    assert_eq!(readings.battery.level.get(), Some(0.81));
    assert!(readings.cpu.utilisation.why().unwrap().contains("proc/stat"));
    assert_eq!(readings.network.kind.get(), Some(NetworkKind::Cellular));
    assert_eq!(
        (readings.network.metered.get(), readings.network.metered.source()),
        (Some(true), Source::Estimated)
    );
    let identity = phone.probe.identity();
    assert_eq!((identity.device_type, &*identity.vendor), (DeviceType::MobileAndroid, "Qualcomm"));
}

#[test]
fn a_server_with_monitors_only() {
    let mut server = Device::new(SERVER);
    let readings = server.look(0);
    assert_eq!(readings.thermal.temperature.get(), Some(64.0), "of its packages, not of one core");
    assert_eq!(readings.power.get(), Some(412.0));
    assert_eq!(readings.memory.pressure.get(), Some(Pressure::Critical));
    assert_eq!(readings.gpu.utilisation.why(), Some("no GPU that renders is in /sys/class/drm"));
    assert!(readings.network.kind.why().is_some());
    assert_eq!(server.probe.identity().device_type, DeviceType::Cpu);
}

#[test]
fn a_container_has_what_its_group_leaves_it() {
    let mut container = Device::new(CONTAINER);
    let memory = &container.look(0).memory;
    assert_eq!(memory.app_limit.get(), Some(4 * GIB));
    assert_eq!(
        memory.available.get(),
        Some(4 * GIB - (3 * GIB - 3 * GIB / 2)),
        "files that can be dropped count"
    );
    assert_eq!(memory.total.get(), Some(527_988_744 << 10), "the device is as large as it is");
    let mut old = Device::new(OLD_CONTAINER);
    let memory = &old.look(0).memory;
    assert_eq!((memory.app_limit.get(), memory.available.get()), (Some(2 * GIB), Some(2 * GIB - GIB / 2)));
}

#[test]
fn no_limit_is_no_limit_in_both_versions() {
    for (files, path, text) in [
        (CONTAINER, "sys/fs/cgroup/memory.max", "max\n"),
        (OLD_CONTAINER, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
    ] {
        let mut container = Device::with(files, &[(path, text)]);
        assert_eq!(container.look(0).memory.app_limit.why(), Some("no control group sets a limit"));
    }
}

#[test]
fn the_processor_is_as_busy_as_its_ticks_between_two_looks() {
    let mut pi = Device::new(RASPBERRY_PI);
    assert_eq!(pi.look(0).cpu.utilisation.why(), Some("it takes two looks to know"));
    pi.says("proc/stat", "cpu  35 0 10 1055 0 0 0 0 0 0\n");
    assert_eq!(pi.look(1_000).cpu.utilisation.get(), Some(0.25));
    assert_eq!(pi.look(1_001).cpu.utilisation.get(), Some(0.25), "no tick has passed");
    pi.says("proc/stat", "cpu  1 0 1 1 0 0 0 0 0 0\n");
    assert_eq!(pi.look(2_000).cpu.utilisation.why(), Some("the processor's counters went back"));
}

#[test]
fn graphics_of_intel_are_busy_while_they_do_not_sleep() {
    let mut desktop = Device::new(INTEL);
    assert_eq!(desktop.look(0).gpu.utilisation.get(), None);
    desktop.says("sys/class/drm/card0/gt/gt0/rc6_residency_ms", "100750\n");
    let busy = &desktop.look(1_000).gpu.utilisation;
    assert_eq!((busy.get(), busy.source()), (Some(0.25), Source::Estimated));
}

#[test]
fn absurd_values_are_refused_and_reported() {
    let zone = "sys/class/thermal/thermal_zone0/temp";
    for absurd in [
        "-273000\n",
        "-273\n",
        "65535\n",
        "65535000\n",
        "nan\n",
        "inf\n",
        "-274000\n",
        "1e40\n",
        "\n",
        "hot\n",
        "",
    ] {
        let mut pi = Device::with(RASPBERRY_PI, &[(zone, absurd)]);
        let temperature = &pi.look(0).thermal.temperature;
        assert!(
            temperature.get().is_none() && temperature.why().unwrap().contains(zone),
            "{absurd:?}: {temperature:?}"
        );
    }
    for (path, absurd, quantity) in [
        ("sys/class/power_supply/BAT0/capacity", "65535\n", Quantity::BatteryLevel),
        ("sys/class/power_supply/BAT0/capacity", "-1\n", Quantity::BatteryLevel),
        ("sys/class/power_supply/BAT0/status", "Unknown\n", Quantity::BatteryCharging),
        ("sys/class/power_supply/BAT0/power_now", "99999999999999\n", Quantity::Power),
        ("sys/class/drm/card1/device/gpu_busy_percent", "255\n", Quantity::ComputeUtilisation),
        (
            "sys/class/drm/card1/device/mem_info_vram_total",
            "18446744073709551615\n",
            Quantity::GpuMemoryTotal,
        ),
        ("proc/meminfo", "MemTotal: lots kB\nMemAvailable: 1 kB\n", Quantity::MemoryTotal),
        ("proc/meminfo", "MemTotal: 99999999999999999999 kB\nMemAvailable: 1 kB\n", Quantity::MemoryTotal),
        ("proc/meminfo", "MemTotal: 10 kB\nMemAvailable: 11 kB\n", Quantity::MemoryAvailable),
        ("proc/meminfo", "MemTotal:       8000000 kB\nMemAvailable:   30000", Quantity::MemoryAvailable),
        ("proc/loadavg", "much\n", Quantity::CpuLoad),
        ("proc/stat", "cpu 1 2\n", Quantity::CpuUtilisation),
        ("proc/pressure/memory", "some avg10=400\n", Quantity::MemoryPressure),
    ] {
        let mut laptop = Device::with(LAPTOP, &[(path, absurd)]);
        laptop.look(0);
        let reading = laptop.look(1_000).get(quantity);
        assert!(
            reading.get().is_none() && !reading.why().unwrap().is_empty(),
            "{path} {absurd:?}: {reading:?}"
        );
    }
}

#[test]
fn a_directory_where_a_file_should_be_is_reported() {
    let mut odd = Device::new(&[("proc/meminfo/nonsense", ""), ("proc/stat/nonsense", "")]);
    let readings = odd.look(0);
    assert!(readings.memory.total.why().unwrap().contains("cannot be read"), "{:?}", readings.memory.total);
    assert!(readings.cpu.utilisation.why().is_some());
}

#[test]
fn where_nothing_is_everything_is_unavailable_and_says_why() {
    let mut nothing = Device::new(&[]);
    let readings = nothing.look(0);
    for quantity in Quantity::ALL {
        let reading = readings.get(quantity);
        let expected = match quantity.group() {
            Group::Disk => Source::Measured,
            _ if quantity == Quantity::BatteryCharging => Source::Estimated,
            _ => Source::Unavailable,
        };
        assert_eq!(reading.source(), expected, "{quantity:?}: {reading:?}");
        assert_eq!(reading.at(), at(0).wall.into());
    }
    assert_eq!(nothing.probe.identity().name, "a computer");
}

#[test]
fn only_the_groups_that_are_wanted_are_looked_at() {
    let mut laptop = Device::new(LAPTOP);
    laptop.probe.read(at(0), Group::Battery.into(), &mut laptop.readings);
    for quantity in Quantity::ALL {
        let touched = laptop.readings.get(quantity).why() != Some("not looked at");
        assert_eq!(touched, quantity.group() == Group::Battery, "{quantity:?}");
    }
    laptop.probe.read(at(0), Groups::NONE, &mut laptop.readings);
}

#[test]
fn a_battery_that_comes_later_is_found_by_another_scan() {
    let mut pi = Device::new(RASPBERRY_PI);
    for (path, text) in LAPTOP.iter().filter(|(path, _)| path.contains("BAT0")) {
        pi.says(path, text);
    }
    assert_eq!(pi.look(0).battery.level.get(), None);
    pi.probe.rescan();
    assert_eq!(pi.look(1).battery.level.get(), Some(0.64));
}

#[test]
fn noise_in_any_file_ends_in_a_reading() {
    let mut random = exo_telemetry::Random::seeded(4);
    let mut laptop = Device::new(LAPTOP);
    for round in 0..40 {
        for (path, text) in LAPTOP.iter().chain(ANDROID) {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..random.below(4) {
                let place = random.below(bytes.len() as u64 + 1) as usize;
                bytes.insert(place, b"0129-.\n \t%kBax\xff"[random.below(15) as usize]);
            }
            bytes.truncate(random.below(bytes.len() as u64 * 2) as usize);
            laptop.says(path, &String::from_utf8_lossy(&bytes));
        }
        if round % 10 == 0 {
            laptop.probe.rescan();
        }
        laptop.look(round * 700);
        let mut checked = laptop.readings.clone();
        checked.refuse_absurd();
        assert_eq!(checked, laptop.readings, "the probe itself lets nothing absurd through");
    }
}
