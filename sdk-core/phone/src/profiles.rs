//! Simulated devices. Every name says so: nobody shall take one for a phone that is there.

use std::time::Instant;

use clap::ValueEnum;
use exo_node::{
    driver::Probe,
    member::{Disk, Gauges, Identity, Memory, Readings},
};
use exo_wire::gathered::Backend;

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

/// A device that is not there.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedProbe {
    profile: Profile,
    name: Option<String>,
    serves: bool,
    started: Instant,
}

impl SimulatedProbe {
    /// A device of this profile. It does not serve, so exo sees neither memory nor a backend of it.
    pub(crate) fn new(profile: Profile, name: Option<String>) -> Self {
        Self { profile, name, serves: false, started: Instant::now() }
    }

    /// The same with an engine, simulated too: its memory and temperature are announced. Only for a cluster of
    /// simulated phones: an exo would place models here.
    pub(crate) fn serving(mut self) -> Self {
        self.serves = true;
        self
    }

    /// A slow wave between 0 and 1, another for each profile.
    fn wave(&self) -> f64 {
        let phase = self.profile as u8 as f64;
        (self.started.elapsed().as_secs_f64() / 7.0 + phase).sin().midpoint(1.0)
    }
}

impl Probe for SimulatedProbe {
    fn measure(&self) -> Readings {
        let device = self.profile.device();
        let wave = self.wave();
        let available = device.memory / 4 + (device.memory as f64 / 4.0 * wave) as u64;
        let gauges =
            Gauges { temperature: Some(30.0 + 8.0 * wave), gpu_use: Some(0.5 * wave), ..Gauges::default() };
        Readings {
            memory: Some(Memory { total: device.memory, available, swap_total: 0, swap_available: 0 }),
            disk: Some(Disk { total: device.disk, available: device.disk / 2 }),
            identity: Some(Identity {
                name: self.name.clone().unwrap_or_else(|| format!("{} (simulated)", device.model)),
                model: format!("{} (simulated)", device.model),
                chip: device.chip.to_owned(),
                os_version: device.os_version.to_owned(),
                os_build: device.os_build.to_owned(),
            }),
            interfaces: None,
            gauges: if self.serves { gauges } else { Gauges::default() },
            able: self.serves,
            backends: if self.serves { vec![Backend::MlxCpu] } else { Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_says_that_it_is_simulated_and_runs_no_macos() {
        for profile in Profile::value_variants() {
            let readings = SimulatedProbe::new(*profile, None).measure();
            let identity = readings.identity.unwrap();
            assert!(identity.name.contains("simulated"), "{identity:?}");
            assert!(identity.model.contains("simulated"), "{identity:?}");
            assert!(!identity.os_version.starts_with(|first: char| first.is_ascii_digit()), "{identity:?}");
        }
    }

    #[test]
    fn a_simulated_device_does_not_serve_unless_it_is_told_to() {
        let probe = SimulatedProbe::new(Profile::Pixel9, None);
        assert!(!probe.measure().able);
        assert_eq!(probe.measure().gauges, Gauges::default());
        let readings = probe.serving().measure();
        assert!(readings.able);
        let memory = readings.memory.unwrap();
        assert!(memory.available <= memory.total);
    }
}
