//! One device: its physics, its collector, and what it does to protect itself.

use std::time::Duration;

use exo_telemetry::{
    Now, Random, Reading, Readings,
    collector::{Collector, Input, Output},
    policy::{Policy, PolicyKeeper, Surroundings},
    probe::Identity,
    protocol::{DeviceCapabilities, DeviceRegistration, DeviceType},
    reading::ThermalStatus,
    thermal::{GovernorConfig, ThermalGovernor},
};

use crate::{
    common::{at, id, stamp},
    network::Network,
    scene::STEP,
};

/// What phones must never reach, in degrees.
pub(crate) const LIMIT: f64 = 45.0;

/// How a device tells its heat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    Degrees,
    Headroom,
    Status,
}

/// What a device is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Make {
    pub(crate) name: &'static str,
    pub(crate) kind: DeviceType,
    pub(crate) memory_gb: f64,
    pub(crate) read_gb_per_s: f64,
    pub(crate) tflops: f64,
    pub(crate) tells: Tells,
    /// On the mains it speaks every 5 s, on its battery every 15 s.
    pub(crate) charging: bool,
    /// By how many degrees full work warms it.
    pub(crate) rise: f64,
}

impl Make {
    pub(crate) const fn is_phone(&self) -> bool {
        matches!(self.kind, DeviceType::MobileAndroid | DeviceType::MobileIos)
    }

    /// When it speaks again at the latest, as it promises.
    pub(crate) const fn promise(&self) -> Duration {
        Duration::from_secs(if self.charging { 5 } else { 15 })
    }
}

/// A device that works, warms and speaks.
pub(crate) struct Host {
    pub(crate) make: Make,
    pub(crate) room: f64,
    pub(crate) heat: f64,
    pub(crate) alive: bool,
    collector: Collector,
    governor: ThermalGovernor,
    keeper: PolicyKeeper,
    /// The share of full work that it does now.
    pub(crate) duty: f64,
    random: Random,
}

/// What the owners of all phones allow.
pub(crate) fn policy() -> Policy {
    Policy { max_temperature: Some(LIMIT), drain: Duration::from_secs(10), ..Policy::default() }
}

impl Host {
    pub(crate) fn new(make: Make, seed: u64) -> Self {
        let mut random = Random::seeded(seed);
        let made = || "made".to_owned();
        let identity = Identity {
            name: make.name.into(),
            model: made(),
            chip: made(),
            os_version: made(),
            os_build: made(),
            vendor: made(),
            device_type: make.kind,
        };
        let mut capabilities = DeviceCapabilities::unknown("not measured", stamp(at(0)));
        let measured = |value: f64| Reading::measured(value, stamp(at(0))).into();
        capabilities.memory_bytes = Reading::measured((make.memory_gb * 1e9) as u64, stamp(at(0))).into();
        capabilities.peak_flops_per_s = measured(make.tflops * 1e12);
        capabilities.memory_bytes_per_s = measured(make.read_gb_per_s * 1e9);
        let registration = DeviceRegistration::new(id(make.name), stamp(at(0)), &identity, capabilities);
        let room = if make.is_phone() { 24.0 } else { 45.0 };
        Self {
            make,
            room,
            heat: room,
            alive: true,
            collector: Collector::new(at(0), registration, Random::seeded(random.bits())),
            governor: ThermalGovernor::new(GovernorConfig::default()),
            keeper: PolicyKeeper::new(policy()),
            duty: 0.0,
            random,
        }
    }

    pub(crate) fn is_listened_to(&mut self, now: Now, network: &mut Network) {
        self.does(now, Input::Listeners(1), network);
    }

    pub(crate) fn says_goodbye(&mut self, now: Now, network: &mut Network) {
        self.does(now, Input::Leave("the app was closed"), network);
        self.alive = false;
    }

    /// One step: the physics, the guards, the collector.
    pub(crate) fn step(&mut self, now: Now, is_wanted: bool, network: &mut Network) {
        if !self.alive {
            return;
        }
        let settles = self.room + self.make.rise * self.duty;
        self.heat = settles + (self.heat - settles) * (-STEP.as_secs_f64() / 360.0).exp();
        self.duty = if is_wanted { self.allowed(now) } else { 0.0 };
        if self.collector.deadline().is_some_and(|deadline| deadline <= now.mono) {
            self.does(now, Input::Tick, network);
        }
    }

    /// What heat and the owner leave. Hosts with fans look after themselves.
    fn allowed(&mut self, now: Now) -> f64 {
        if !self.make.is_phone() {
            return 1.0;
        }
        let readings = self.readings(now);
        let level = self.governor.tick(now, &readings.thermal);
        if self.make.tells != Tells::Degrees {
            return level.duty();
        }
        let around =
            Surroundings { readings: &readings, memory_used: None, minute_of_day: None, foreground: None };
        level.duty().min(self.keeper.observe(now.mono, &around).share)
    }

    fn does(&mut self, now: Now, input: Input<'_>, network: &mut Network) {
        self.collector.handle(now, input);
        while let Some(output) = self.collector.poll() {
            match output {
                Output::Look(groups) => {
                    let readings = self.readings(now);
                    self.collector.handle(now, Input::Looked(groups, &readings));
                }
                Output::Tell(message) => {
                    let millis = now.mono.since_start().as_millis() as u64;
                    network.send(millis, message.to_json().unwrap().as_bytes());
                }
            }
        }
    }

    /// The device as its sensors show it: with noise, and in its own terms.
    fn readings(&mut self, now: Now) -> Readings {
        let at = stamp(now);
        let mut noise = |size: f64| (self.random.fraction() - 0.5) * 2.0 * size;
        let mut readings = Readings::unavailable("it does not tell", at);
        let memory = self.make.memory_gb * 1e9;
        readings.memory.total = Reading::measured((memory * 1.5) as u64, at);
        readings.memory.available = Reading::measured((memory * (1.0 + noise(0.03))) as u64, at);
        readings.battery.charging = Reading::measured(self.make.charging, at);
        let busy = (self.duty + noise(0.03)).clamp(0.0, 1.0);
        match self.make.kind {
            DeviceType::Cpu => readings.cpu.utilisation = Reading::measured(busy, at),
            _ => readings.gpu.utilisation = Reading::measured(busy, at),
        }
        let shown = ((self.heat + noise(0.3)) * 10.0).round() / 10.0;
        match self.make.tells {
            Tells::Degrees => readings.thermal.temperature = Reading::measured(shown, at),
            Tells::Headroom => {
                readings.thermal.headroom = Reading::measured(1.0 + (shown - LIMIT) / 30.0, at);
            }
            Tells::Status => {
                let status = if shown < 38.0 { ThermalStatus::None } else { ThermalStatus::Light };
                readings.thermal.status = Reading::measured(status, at);
            }
        }
        if self.make.is_phone() {
            readings.battery.level = Reading::measured(0.8, at);
        }
        readings
    }
}
