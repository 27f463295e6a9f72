//! Opening: the chain of backends, and why each device that was passed over was.
//!
//! A driver is foreign code that may hang as well as fail, so a GPU backend is opened on a thread of its own and
//! given up after [`PATIENCE`]; the CPU is always there.

use std::{
    collections::HashMap,
    sync::{Arc, mpsc},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{
    BackendKind, Device, DeviceDescription, Error, OpenOptions, Result,
    backend::BackendDevice,
    cpu,
    lowering::kernels::KERNELS,
    rank::{self, Wish},
    registry::{DeviceKey, Registry},
    trust::Trust,
};

/// How long a GPU backend may take to open. Opening as a whole stays under three seconds.
const PATIENCE: Duration = Duration::from_millis(2500);

/// Why a backend, or one of its devices, was not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The backend.
    pub backend: BackendKind,
    /// The device, where it came to that.
    pub device: Option<String>,
    /// The reason, for people.
    pub reason: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.device {
            Some(device) => write!(f, "{} ({device}): {}", self.backend, self.reason),
            None => write!(f, "{}: {}", self.backend, self.reason),
        }
    }
}

/// An opened GPU, or the CPU in its place, with the story of how it was chosen.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
    devices: Vec<DeviceDescription>,
    refusals: Vec<Refusal>,
    registry: Arc<Registry>,
}

impl Gpu {
    /// Opens the best device: a GPU through Vulkan (Metal on Apple), else the CPU.
    ///
    /// The environment's `EXO_GPU` (`vulkan`, `metal`, `cpu` or a part of a device's name) chooses where the
    /// options do not. A device that was asked for and cannot be opened is an error; nothing else takes its place.
    pub fn open(options: OpenOptions) -> Result<Self> {
        let options = options.with_environment();
        let mut found = if matches!(options.wish(), Wish::Backend(BackendKind::Cpu)) {
            Found::default()
        } else {
            with_patience(&options)
        };
        let backend = found.opened.take().map_or_else(|| found.open_cpu(&options), Ok)?;
        let registry = Arc::new(Registry::open(options.data_dir.as_deref()));
        let key = DeviceKey::of(backend.description());
        registry.met(&key, backend.description());
        let kernels = match backend.description().backend {
            BackendKind::Cpu => HashMap::new(),
            BackendKind::Vulkan | BackendKind::Metal => KERNELS.iter().map(|k| (k.name, k.version)).collect(),
        };
        let trust = Trust::new(registry.clone(), key, kernels);
        let device = Device::new(backend, options.memory_cap, trust);
        Ok(Self { device, devices: found.devices, refusals: found.refusals, registry })
    }

    /// The opened device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Every device that was seen, opened or not.
    pub fn devices(&self) -> &[DeviceDescription] {
        &self.devices
    }

    /// Why each device or backend that was not opened was not.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// What the registry could not use or write; empty when all is well.
    pub fn registry_notes(&self) -> Vec<String> {
        self.registry.notes()
    }
}

/// What the chain has found so far.
#[derive(Default)]
struct Found {
    opened: Option<Arc<dyn BackendDevice>>,
    devices: Vec<DeviceDescription>,
    refusals: Vec<Refusal>,
}

impl Found {
    fn refuse(&mut self, backend: BackendKind, device: Option<&DeviceDescription>, reason: String) {
        self.refusals.push(Refusal { backend, device: device.map(|d| d.name.clone()), reason });
    }

    fn open_cpu(&mut self, options: &OpenOptions) -> Result<Arc<dyn BackendDevice>> {
        let cpu = cpu::open();
        self.devices.push(cpu.description().clone());
        let mut ranking = rank::choose(std::slice::from_ref(cpu.description()), options.wish());
        if let Some((_, reason)) = ranking.refused.pop() {
            self.refuse(BackendKind::Cpu, Some(cpu.description()), reason);
            return Err(Error::NoDevice { refusals: std::mem::take(&mut self.refusals) });
        }
        Ok(cpu)
    }
}

/// Opens this platform's GPU backend on a thread that may be left behind in a driver that hangs.
fn with_patience(options: &OpenOptions) -> Found {
    let (send, receive) = mpsc::channel();
    let patience = options.patience.unwrap_or(PATIENCE);
    let for_thread = options.clone();
    let spawned = std::thread::Builder::new().name("exo-gpu-open".into()).spawn(move || {
        // Nobody listens any more when we were given up; what was opened is then closed by being dropped.
        let _ = send.send(open_gpu(&for_thread));
    });
    let reason = match spawned {
        Err(error) => format!("no thread could be started to open it: {error}"),
        Ok(_) => match receive.recv_timeout(patience) {
            Ok(found) => return found,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                format!("the driver did not answer within {:.1} s", patience.as_secs_f32())
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => "the driver ended the thread that opened it".into(),
        },
    };
    let mut found = Found::default();
    found.refuse(GPU, None, reason);
    found
}

#[cfg(not(target_vendor = "apple"))]
use crate::vulkan as gpu_backend;
#[cfg(not(target_vendor = "apple"))]
const GPU: BackendKind = BackendKind::Vulkan;
#[cfg(target_vendor = "apple")]
use crate::metal as gpu_backend;
#[cfg(target_vendor = "apple")]
const GPU: BackendKind = BackendKind::Metal;

fn open_gpu(options: &OpenOptions) -> Found {
    let mut found = Found::default();
    let seen = gpu_backend::open_instance(options).and_then(|instance| Ok((instance.devices()?, instance)));
    let (devices, instance) = match seen {
        Ok((devices, instance)) => (devices, instance),
        Err(reason) => {
            found.refuse(GPU, None, reason);
            return found;
        }
    };
    if devices.is_empty() {
        found.refuse(GPU, None, "no driver offers a device".into());
    }
    found.devices = devices.iter().map(|(description, _)| description.clone()).collect();
    let ranking = rank::choose(&found.devices, options.wish());
    for (at, reason) in ranking.refused {
        found.refuse(GPU, devices.get(at).map(|(d, _)| d), reason);
    }
    for at in ranking.usable {
        let Some((description, handle)) = devices.get(at) else { continue };
        if found.opened.is_some() {
            found.refuse(GPU, Some(description), "a better device was opened".into());
            continue;
        }
        match gpu_backend::open_device(&instance, handle, options) {
            Ok(device) => found.opened = Some(device),
            Err(reason) => found.refuse(GPU, Some(description), reason),
        }
    }
    found
}
