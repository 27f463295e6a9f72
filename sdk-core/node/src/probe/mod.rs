//! A Linux machine, as far as its files tell without rights.
//!
//! Every file is opened once and read again from its start into one buffer; numbers are parsed where they lie. So a look
//! at everything takes well under 200 µs and no allocation. What is missing, broken or absurd is unavailable, and why.
//!
//! All paths begin at one root, so that tests feed trees of other devices.

mod battery;
mod cpu;
mod disk;
mod file;
mod gpu;
mod identity;
mod limits;
mod memory;
mod network;
mod parse;
mod power;
mod thermal;
mod tree;

use std::path::{Path, PathBuf};

use exo_telemetry::{
    Now, Readings, Timestamp,
    probe::{Identity, Probe},
    reading::{Group, Groups},
};
use file::Buffer;
use tree::Tree;

/// Reads `/proc` and `/sys`. Where they are missing (macOS, Windows), all that they would tell is unavailable.
#[derive(Debug)]
pub struct LinuxProbe {
    tree: Tree,
    models: PathBuf,
    name: Option<String>,
    sources: Sources,
    buffer: Buffer,
}

/// Where each group of readings comes from.
#[derive(Debug)]
struct Sources {
    memory: memory::Memory,
    gpu: gpu::Gpu,
    cpu: cpu::Cpu,
    power: power::Power,
    thermal: thermal::Thermal,
    battery: battery::Battery,
    network: network::Network,
    disk: disk::Disk,
}

/// One look: when it is, and what it reads into.
struct Look<'a> {
    now: Now,
    at: Timestamp,
    buffer: &'a mut Buffer,
}

impl Default for LinuxProbe {
    fn default() -> Self {
        Self::rooted("/")
    }
}

impl LinuxProbe {
    /// A probe that looks for `/proc` and `/sys` below this directory.
    pub fn rooted(root: impl Into<PathBuf>) -> Self {
        let tree = Tree::new(root.into());
        let models = tree.path("");
        let sources = Sources::find(&tree, &models);
        Self { tree, models, name: None, sources, buffer: Buffer::default() }
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
        self.sources.disk = disk::Disk::find(&self.models);
        self
    }

    /// Looks again for what there is to read: a battery or a GPU may have come. This allocates; a look does not.
    pub fn rescan(&mut self) {
        self.sources = Sources::find(&self.tree, &self.models);
    }
}

impl Sources {
    fn find(tree: &Tree, models: &Path) -> Self {
        Self {
            memory: memory::Memory::find(tree),
            gpu: gpu::Gpu::find(tree),
            cpu: cpu::Cpu::find(tree),
            power: power::Power::find(tree),
            thermal: thermal::Thermal::find(tree),
            battery: battery::Battery::find(tree),
            network: network::Network::find(tree),
            disk: disk::Disk::find(models),
        }
    }
}

impl Probe for LinuxProbe {
    fn identity(&mut self) -> Identity {
        identity::identity(&self.tree, self.name.as_deref())
    }

    fn read(&mut self, now: Now, wanted: Groups, into: &mut Readings) {
        let look = &mut Look { now, at: now.wall.into(), buffer: &mut self.buffer };
        let sources = &mut self.sources;
        for group in wanted.iter() {
            match group {
                Group::Memory => sources.memory.read(look, &mut into.memory),
                Group::Gpu => sources.gpu.read(look, &mut into.gpu),
                Group::Cpu => sources.cpu.read(look, &mut into.cpu),
                Group::Power => sources.power.read(look, &mut into.power),
                Group::Thermal => sources.thermal.read(look, &mut into.thermal),
                Group::Battery => sources.battery.read(look, &mut into.battery),
                Group::Network => sources.network.read(look, &mut into.network),
                Group::Disk => sources.disk.read(look, &mut into.disk),
            }
        }
    }
}
