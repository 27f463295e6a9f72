//! Refuses problems that make no sense, before anything is computed from them.

use std::collections::HashSet;

use super::{
    error::ProblemError,
    names::Names,
    problem::{LinkSpeed, Problem},
};

/// The most devices of a problem.
pub const MAX_DEVICES: usize = 1024;
/// The most layers of a problem.
pub const MAX_LAYERS: usize = 4096;
/// The longest name of a device.
pub const MAX_ID_BYTES: usize = 256;
/// The most bytes that are counted, alone or together: below this a sum of whole bytes is exact.
pub const MAX_BYTES: f64 = 9e15;
/// The most of any rate, and of the work of a layer.
const MAX_RATE: f64 = 1e21;
/// The longest latency of a link and the longest search, in seconds and milliseconds.
const MAX_LATENCY_S: f64 = 3600.0;
const MAX_TIME_LIMIT_MS: f64 = 3_600_000.0;
const MAX_CONTEXT: f64 = 1e9;
/// A device may turn out faster than its calibrated run, but not by any factor.
const MAX_THERMAL_FACTOR: f64 = 2.0;

impl Problem {
    /// Whether every number, name and count makes sense.
    pub fn check(&self) -> Result<(), ProblemError> {
        self.checked().map(drop)
    }

    /// Seconds of the hops between all devices, a row for each sender, if all makes sense. There may be a million links:
    /// they are read once.
    pub(super) fn checked(&self) -> Result<Vec<f64>, ProblemError> {
        count("layers", self.model.layers.len(), 1, MAX_LAYERS)?;
        count("devices", self.devices.len(), 0, MAX_DEVICES)?;
        if let Some(most) = self.max_devices {
            count("max_devices", most, 1, usize::MAX)?;
        }
        self.check_model()?;
        self.check_devices()?;
        let hops = self.check_links()?;
        number(|| "time_limit_ms".to_owned(), self.time_limit_ms, MAX_TIME_LIMIT_MS)?;
        if let Some(tensor) = self.tensor {
            number_from(|| "tensor: kv_heads".to_owned(), tensor.kv_heads as f64, 1.0, MAX_CONTEXT)?;
            number_from(|| "tensor: hidden_size".to_owned(), tensor.hidden_size as f64, 1.0, MAX_CONTEXT)?;
        }
        Ok(hops)
    }

    fn check_model(&self) -> Result<(), ProblemError> {
        let model = &self.model;
        number(|| "workload: context_tokens".to_owned(), self.workload.context_tokens, MAX_CONTEXT)?;
        number(|| "model: embedding_bytes".to_owned(), model.embedding_bytes, MAX_BYTES)?;
        number(|| "model: head_bytes".to_owned(), model.head_bytes, MAX_BYTES)?;
        number(|| "model: activation_bytes".to_owned(), model.activation_bytes, MAX_BYTES)?;
        let mut total = model.embedding_bytes + model.head_bytes;
        for (index, layer) in model.layers.iter().enumerate() {
            let at = |field: &'static str| move || format!("model: layers[{index}].{field}");
            number(at("bytes"), layer.bytes, MAX_BYTES)?;
            number(at("flops"), layer.flops, MAX_RATE)?;
            number(at("kv_bytes_per_token"), layer.kv_bytes_per_token, MAX_BYTES)?;
            total += layer.bytes + layer.kv_bytes_per_token * self.workload.context_tokens;
        }
        if total > MAX_BYTES { Err(ProblemError::TooLarge { bytes: total }) } else { Ok(()) }
    }

    fn check_devices(&self) -> Result<(), ProblemError> {
        let mut names = HashSet::new();
        for (index, device) in self.devices.iter().enumerate() {
            if device.id.is_empty() || device.id.len() > MAX_ID_BYTES {
                return Err(ProblemError::Name { index, bytes: device.id.len() });
            }
            if !names.insert(device.id.as_str()) {
                return Err(ProblemError::DuplicateDevice { id: device.id.clone() });
            }
            let at = |field: &'static str| move || format!("devices[{index}] {:?}: {field}", device.id);
            number(at("memory_bytes"), device.memory_bytes, MAX_BYTES)?;
            number(at("flops_per_s"), device.flops_per_s, MAX_RATE)?;
            number(at("memory_bytes_per_s"), device.memory_bytes_per_s, MAX_RATE)?;
            number(at("thermal_factor"), device.thermal_factor, MAX_THERMAL_FACTOR)?;
        }
        Ok(())
    }

    fn check_links(&self) -> Result<Vec<f64>, ProblemError> {
        if let Some(speed) = self.default_link {
            check_speed(|| "default_link".to_owned(), speed)?;
        }
        let mut names = Names::new(&self.devices);
        let pairs = self.devices.len() * self.devices.len();
        let mut seen = vec![false; pairs];
        let mut hops = vec![self.hop(self.default_link); pairs];
        for (index, link) in self.links.iter().enumerate() {
            let (from, to) =
                names.ends(link).map_err(|id| ProblemError::UnknownDevice { index, id: id.to_owned() })?;
            let pair = from * self.devices.len() + to;
            if std::mem::replace(&mut seen[pair], true) {
                let (from, to) = (link.from.clone(), link.to.clone());
                return Err(ProblemError::DuplicateLink { index, from, to });
            }
            check_speed(|| format!("links[{index}]"), link.speed())?;
            hops[pair] = self.hop(Some(link.speed()));
        }
        Ok(hops)
    }
}

fn check_speed(at: impl Fn() -> String, speed: LinkSpeed) -> Result<(), ProblemError> {
    number(|| at() + ": latency_s", speed.latency_s, MAX_LATENCY_S)?;
    number(|| at() + ": bytes_per_s", speed.bytes_per_s, MAX_RATE)
}

fn number(what: impl FnOnce() -> String, value: f64, most: f64) -> Result<(), ProblemError> {
    number_from(what, value, 0.0, most)
}

/// Names are made only for numbers that are refused: there may be a million of them.
fn number_from(what: impl FnOnce() -> String, value: f64, least: f64, most: f64) -> Result<(), ProblemError> {
    // NaN is in no range.
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(ProblemError::Number { what: what(), value, least, most })
    }
}

fn count(what: &'static str, found: usize, least: usize, most: usize) -> Result<(), ProblemError> {
    if (least..=most).contains(&found) {
        Ok(())
    } else {
        Err(ProblemError::Count { what, found, least, most })
    }
}
