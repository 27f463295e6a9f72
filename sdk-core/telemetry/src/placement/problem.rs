//! What a placement is asked: the model, the devices, the links between them, and what to minimise.

use serde::{Deserialize, Serialize};

use super::error::ProblemError;

/// The longest text that is read as a problem: the largest allowed cluster with every link listed fits.
pub const MAX_TEXT_BYTES: usize = 192 << 20;

/// A placement problem, as it is in JSON. Fields that are not known here are passed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// What shall run.
    pub model: Model,
    /// Where it may run.
    pub devices: Vec<Device>,
    /// Links that were measured, each in one direction.
    #[serde(default)]
    pub links: Vec<Link>,
    /// Serves every pair that is not listed. Without it those pairs cannot talk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_link: Option<LinkSpeed>,
    /// What the model will be used for.
    #[serde(default)]
    pub workload: Workload,
    /// What to minimise.
    #[serde(default)]
    pub objective: Objective,
    /// The most devices that a plan may use; any number if absent.
    #[serde(default)]
    pub max_devices: Option<usize>,
    /// How long a search may last. Exact answers to small problems do not look at it.
    #[serde(default = "five_seconds")]
    pub time_limit_ms: f64,
    /// Present if the layers may also be split across devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor: Option<Tensor>,
}

/// A model as the planner sees it: a row of layers between an embedding and a head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// In the order in which a token passes them.
    pub layers: Vec<Layer>,
    /// Held by the first stage.
    #[serde(default)]
    pub embedding_bytes: f64,
    /// Held and read by the last stage.
    #[serde(default)]
    pub head_bytes: f64,
    /// What travels from one stage to the next for each token.
    #[serde(default)]
    pub activation_bytes: f64,
}

/// One layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// Weights: held in memory, and read once for each token.
    pub bytes: f64,
    /// Work for each token.
    #[serde(default)]
    pub flops: f64,
    /// Memory that each token of context takes.
    #[serde(default)]
    pub kv_bytes_per_token: f64,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Its name in links and in the answer.
    pub id: String,
    /// What it gives to the model.
    pub memory_bytes: f64,
    /// Its compute when cool.
    pub flops_per_s: f64,
    /// Its memory bandwidth when cool.
    pub memory_bytes_per_s: f64,
    /// The share of its speed that heat leaves: 1 is all of it, 0 means that it may not work.
    #[serde(default = "full_speed")]
    pub thermal_factor: f64,
    /// Whether its owner lets it work.
    #[serde(default = "yes")]
    pub allowed: bool,
}

/// One direction between two devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The device that sends.
    pub from: String,
    /// The device that receives.
    pub to: String,
    /// For the first byte.
    pub latency_s: f64,
    /// For the rest.
    pub bytes_per_s: f64,
}

/// How long a message takes: `latency_s + bytes / bytes_per_s`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkSpeed {
    /// For the first byte.
    pub latency_s: f64,
    /// For the rest.
    pub bytes_per_s: f64,
}

/// What the model will be used for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Workload {
    /// Tokens of context whose keys and values must fit.
    #[serde(default)]
    pub context_tokens: f64,
}

/// What a plan minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The time of one token: all layers and all hops.
    #[default]
    Latency,
    /// The time between tokens of a full pipeline: the largest of stage time and outgoing hop.
    Throughput,
}

/// What an equal split of every layer must divide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tensor {
    /// Heads of keys and values.
    pub kv_heads: u64,
    /// Width of the activations.
    pub hidden_size: u64,
}

impl Problem {
    /// Reads a problem and checks it, so that whatever is wrong is said before anything is solved.
    pub fn from_json(text: &str) -> Result<Self, ProblemError> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(ProblemError::TooLong { bytes: text.len() });
        }
        let problem: Self =
            serde_json::from_str(text).map_err(|why| ProblemError::NotAProblem { why: why.to_string() })?;
        problem.check()?;
        Ok(problem)
    }

    /// Seconds of the activations over a link; without one they never arrive.
    pub(super) fn hop(&self, link: Option<LinkSpeed>) -> f64 {
        link.map_or(f64::INFINITY, |link| link.seconds(self.model.activation_bytes))
    }
}

impl Link {
    /// How fast it is.
    pub fn speed(&self) -> LinkSpeed {
        LinkSpeed { latency_s: self.latency_s, bytes_per_s: self.bytes_per_s }
    }
}

impl LinkSpeed {
    /// Seconds for a message. Nothing passes a link of 0 bytes a second but an empty message.
    pub fn seconds(&self, bytes: f64) -> f64 {
        self.latency_s + ratio(bytes, self.bytes_per_s)
    }
}

/// `work / rate`, where no work takes no time and no rate never ends.
pub(super) fn ratio(work: f64, rate: f64) -> f64 {
    if work == 0.0 { 0.0 } else { work / rate }
}

const fn five_seconds() -> f64 {
    5000.0
}

const fn full_speed() -> f64 {
    1.0
}

const fn yes() -> bool {
    true
}
