//! Devices, the network between them and the planner, in one time.

use std::time::Duration;

use exo_telemetry::{
    Now, Random,
    aggregator::{Device, Notice, Presence},
    placement::Decision,
    protocol::DeviceType,
};

use crate::{
    common::at,
    host::{Host, LIMIT, Make, Tells},
    network::{Network, Weather},
    planner::Planner,
};

pub(crate) const STEP: Duration = Duration::from_millis(500);
/// How often the planner looks whether the plan shall change.
pub(crate) const LOOKS_EVERY: u64 = 10_000;

/// Two Macs that cannot hold the model together, three phones, two hosts without a GPU.
pub(crate) const DEVICES: [Make; 7] = [
    mains("mac-studio", DeviceType::AppleSilicon, 9.0, 200.0, 10.0),
    mains("mac-mini", DeviceType::AppleSilicon, 4.0, 100.0, 4.0),
    Make { tells: Tells::Degrees, ..phone("pixel", DeviceType::MobileAndroid, 4.0, 60.0) },
    Make { tells: Tells::Headroom, charging: true, ..phone("galaxy", DeviceType::MobileAndroid, 4.0, 55.0) },
    Make { tells: Tells::Status, ..phone("iphone", DeviceType::MobileIos, 3.0, 50.0) },
    mains("nuc", DeviceType::Cpu, 16.0, 20.0, 0.5),
    mains("server", DeviceType::Cpu, 32.0, 25.0, 1.0),
];

const fn mains(
    name: &'static str,
    kind: DeviceType,
    memory_gb: f64,
    read_gb_per_s: f64,
    tflops: f64,
) -> Make {
    Make { name, kind, memory_gb, read_gb_per_s, tflops, tells: Tells::Degrees, charging: true, rise: 20.0 }
}

const fn phone(name: &'static str, kind: DeviceType, memory_gb: f64, read_gb_per_s: f64) -> Make {
    Make { charging: false, rise: 12.0, ..mains(name, kind, memory_gb, read_gb_per_s, 2.0) }
}

pub(crate) struct Scene {
    pub(crate) seed: u64,
    pub(crate) millis: u64,
    pub(crate) hosts: Vec<Host>,
    pub(crate) network: Network,
    pub(crate) planner: Planner,
    /// When each goodbye and each loss was noticed.
    pub(crate) noticed: Vec<(u64, String, Presence)>,
}

impl Scene {
    /// All devices are there and heard, but nothing is planned yet.
    pub(crate) fn new(weather: Weather, seed: u64) -> Self {
        let mut random = Random::seeded(seed);
        let mut network = Network::new(weather, Random::seeded(random.bits()));
        let mut hosts: Vec<_> = DEVICES.iter().map(|make| Host::new(*make, random.bits())).collect();
        for host in &mut hosts {
            host.is_listened_to(at(0), &mut network);
        }
        Self { seed, millis: 0, hosts, network, planner: Planner::default(), noticed: Vec::new() }
    }

    /// The same, after a plan was made. Who was unlucky tells again who it is five minutes later.
    pub(crate) fn planned(weather: Weather, seed: u64) -> Self {
        let mut scene = Self::new(weather, seed);
        scene.run(Duration::from_mins(11));
        scene.planner.plan(scene.now());
        scene.assert_whole();
        scene
    }

    pub(crate) fn now(&self) -> Now {
        at(self.millis)
    }

    pub(crate) fn host(&mut self, name: &str) -> &mut Host {
        self.hosts.iter_mut().find(|host| host.make.name == name).expect("a device of this name")
    }

    pub(crate) fn goodbye(&mut self, name: &str) {
        let now = self.now();
        let host = self.hosts.iter_mut().find(|host| host.make.name == name).expect("a device of this name");
        host.says_goodbye(now, &mut self.network);
    }

    pub(crate) fn run(&mut self, span: Duration) {
        self.run_until(span, |_| false);
    }

    /// Runs until it is so, at most for a while; says how long that took.
    pub(crate) fn run_until(&mut self, most: Duration, so: impl Fn(&Self) -> bool) -> Option<Duration> {
        let begin = self.millis;
        while self.millis - begin < most.as_millis() as u64 {
            self.step();
            if so(self) {
                return Some(Duration::from_millis(self.millis - begin));
            }
        }
        None
    }

    fn step(&mut self) {
        self.millis += STEP.as_millis() as u64;
        let now = self.now();
        for host in &mut self.hosts {
            let is_wanted = self.planner.layers_on(host.make.name) > 0;
            host.step(now, is_wanted, &mut self.network);
            assert!(!host.make.is_phone() || host.heat < LIMIT, "seed {}: {}", self.seed, host.heat);
        }
        for message in self.network.arrived(self.millis) {
            self.planner.listener.hear(now, &message).expect("what a collector says can be read");
        }
        self.planner.listener.tick(now);
        self.planner.learn(now);
        let mut somebody_went = false;
        while let Some(notice) = self.planner.listener.poll() {
            if let Notice::Became(id, presence @ (Presence::Left | Presence::Lost)) = notice {
                self.noticed.push((self.millis, id.to_string(), presence));
                somebody_went = true;
            }
        }
        let planned = !self.planner.stages.is_empty();
        if planned && (somebody_went || self.millis.is_multiple_of(LOOKS_EVERY)) {
            self.planner.plan(now);
            self.assert_whole();
        }
    }

    /// Every layer is somewhere, once, on a device that is counted on and has the memory.
    pub(crate) fn assert_whole(&self) {
        let (seed, stages) = (self.seed, &self.planner.stages);
        let mut next = 0;
        for stage in stages {
            assert_eq!(stage.start_layer, next, "seed {seed}: {stages:?}");
            next = stage.end_layer;
            let make = DEVICES.iter().find(|make| make.name == stage.device).expect("a device of ours");
            let held = (stage.end_layer - stage.start_layer) as f64 * 0.5;
            assert!(held <= make.memory_gb, "seed {seed}: {stage:?}");
            let presence = self.planner.listener.device(&stage.device).map(Device::presence);
            assert!(matches!(presence, Some(Presence::Present | Presence::Stale)), "seed {seed}: {stage:?}");
        }
        assert_eq!(next, 32, "seed {seed}: {stages:?}");
    }

    pub(crate) fn decisions(&self) -> Vec<Decision> {
        self.planner.changes.iter().map(|(_, decision, _)| *decision).collect()
    }
}
