//! Simulated devices. Every name says so: nobody shall take one for a phone that is there.

use clap::ValueEnum;
use exo_telemetry::{
    Now, Reading, Readings,
    probe::{Identity, Probe},
    protocol::DeviceType,
    reading::{Figure, Groups, NetworkKind, Quantity},
};

const GIB: u64 = 1 << 30;

/// A device that can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    #[value(name = "pixel-9")]
    Pixel9,
    #[value(name = "galaxy-s25")]
    GalaxyS25,
    #[value(name = "fairphone-6")]
    Fairphone6,
    #[value(name = "iphone-16")]
    Iphone16,
    #[value(name = "ipad-pro-m4")]
    IpadProM4,
}

struct Device {
    model: &'static str,
    chip: &'static str,
    os_version: &'static str,
    os_build: &'static str,
    memory: u64,
    disk: u64,
}

impl Profile {
    const fn device(self) -> Device {
        match self {
            Self::Pixel9 => Device {
                model: "Pixel 9",
                chip: "Tensor G4",
                os_version: "Android 16",
                os_build: "simulated",
                memory: 12 * GIB,
                disk: 128 * GIB,
            },
            Self::GalaxyS25 => Device {
                model: "Galaxy S25",
                chip: "Snapdragon 8 Elite",
                os_version: "Android 16",
                os_build: "simulated",
                memory: 12 * GIB,
                disk: 256 * GIB,
            },
            Self::Fairphone6 => Device {
                model: "Fairphone 6",
                chip: "Snapdragon 7s Gen 3",
                os_version: "Android 15",
                os_build: "simulated",
                memory: 8 * GIB,
                disk: 256 * GIB,
            },
            Self::Iphone16 => Device {
                model: "iPhone 16",
                chip: "A18",
                os_version: "iOS 26",
                os_build: "simulated",
                memory: 8 * GIB,
                disk: 128 * GIB,
            },
            Self::IpadProM4 => Device {
                model: "iPad Pro",
                chip: "M4",
                os_version: "iPadOS 26",
                os_build: "simulated",
                memory: 8 * GIB,
                disk: 256 * GIB,
            },
        }
    }
}

/// A device that is not there. All that it tells is an estimate, and says of what.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedProbe {
    profile: Profile,
    name: Option<String>,
    started: Option<Now>,
}

impl SimulatedProbe {
    /// A device of this profile.
    pub(crate) const fn new(profile: Profile, name: Option<String>) -> Self {
        Self { profile, name, started: None }
    }

    fn running(&mut self, now: Now) -> f64 {
        let started = *self.started.get_or_insert(now);
        now.mono.since(started.mono).as_secs_f64()
    }

    /// A slow wave between 0 and 1, another for each profile.
    fn wave(&mut self, now: Now) -> f64 {
        (self.running(now) / 7.0 + self.profile as u8 as f64).sin().midpoint(1.0)
    }

    /// A phone that was just put to work: it warms by 10 °C, most of it in the first minutes.
    fn degrees(&mut self, now: Now) -> f64 {
        29.0 + self.profile as u8 as f64 - 10.0 * (-self.running(now) / 150.0).exp_m1()
    }
}

impl Probe for SimulatedProbe {
    fn identity(&mut self) -> Identity {
        let device = self.profile.device();
        let apple = device.os_version.starts_with("iOS") || device.os_version.starts_with("iPadOS");
        let model = format!("{} (simulated)", device.model);
        Identity {
            name: self.name.clone().unwrap_or_else(|| model.clone()),
            model,
            chip: device.chip.to_owned(),
            os_version: device.os_version.to_owned(),
            os_build: device.os_build.to_owned(),
            vendor: "simulated".to_owned(),
            device_type: if apple { DeviceType::MobileIos } else { DeviceType::MobileAndroid },
        }
    }

    fn read(&mut self, now: Now, wanted: Groups, into: &mut Readings) {
        let (device, at) = (self.profile.device(), now.wall.into());
        let (wave, degrees) = (self.wave(now), self.degrees(now));
        let simulated = |figure| Reading::estimated(figure, "a simulated device", at);
        let free = device.memory / 4 + (device.memory as f64 / 4.0 * wave) as u64;
        let figures = [
            (Quantity::MemoryTotal, Figure::Bytes(device.memory)),
            (Quantity::MemoryAvailable, Figure::Bytes(free)),
            (Quantity::DiskTotal, Figure::Bytes(device.disk)),
            (Quantity::DiskAvailable, Figure::Bytes(device.disk / 2)),
            (Quantity::ComputeUtilisation, Figure::Number(0.5 * wave)),
            (Quantity::Temperature, Figure::Number(degrees)),
            (Quantity::BatteryLevel, Figure::Number(0.8)),
            (Quantity::BatteryCharging, Figure::Flag(true)),
            (Quantity::PowerSave, Figure::Flag(false)),
            (Quantity::NetworkKind, Figure::Network(NetworkKind::Wifi)),
            (Quantity::NetworkMetered, Figure::Flag(false)),
        ];
        for quantity in Quantity::ALL.into_iter().filter(|quantity| wanted.contains(quantity.group())) {
            let figure = figures.iter().find(|(told, _)| *told == quantity).map(|(_, figure)| *figure);
            let missing = || Reading::unavailable("not simulated", at);
            into.set(quantity, figure.map_or_else(missing, simulated));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use exo_telemetry::{Source, now::Moment};

    use super::*;

    const NOW: Now = Now { mono: Moment::after_start(Duration::ZERO), wall: Duration::ZERO };

    #[test]
    fn every_profile_says_that_it_is_simulated_and_runs_no_macos() {
        for profile in Profile::value_variants() {
            let identity = SimulatedProbe::new(*profile, None).identity();
            assert!(identity.name.contains("simulated"), "{identity:?}");
            assert!(identity.model.contains("simulated"), "{identity:?}");
            assert!(!identity.os_version.starts_with(|first: char| first.is_ascii_digit()), "{identity:?}");
        }
    }

    #[test]
    fn nothing_of_a_simulated_device_was_measured() {
        let mut readings = Readings::unavailable("not looked at", NOW.wall.into());
        SimulatedProbe::new(Profile::Pixel9, None).read(NOW, Groups::ALL, &mut readings);
        for quantity in Quantity::ALL {
            assert_ne!(readings.get(quantity).source(), Source::Measured, "{quantity:?}");
        }
        assert!(readings.memory.available.get().unwrap() <= readings.memory.total.get().unwrap());
        assert!(readings.thermal.temperature.get().is_some());
    }
}
