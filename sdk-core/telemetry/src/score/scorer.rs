//! Scores, ranks, and the best device for a task.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{
    Candidate, Factor, Part, Reference,
    factor::{bandwidth, compute, heat, memory, network_position, thermal_headroom, trust},
    sentence::sentence,
};

/// How much the quick score trusts itself when nothing tells how hot the device is.
const BLIND_TO_HEAT: f64 = 0.8;

/// What a score is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Formula {
    /// `(0.6 memory + 0.4 compute) x heat`: for a device by itself.
    Quick,
    /// `0.40 compute + 0.30 memory + 0.15 network position + 0.10 thermal headroom + 0.05 bandwidth`: for a device
    /// among others.
    #[default]
    Composite,
}

/// What a device is worth now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Whose.
    pub id: String,
    /// 0 to 1; nothing if nothing is known.
    pub value: Option<f64>,
    /// 0 to 1: how much of what the formula asks was known.
    pub confidence: f64,
    /// What it is made of.
    pub factors: Vec<Factor>,
    /// The same for people.
    pub sentence: String,
}

impl Score {
    /// One of the factors.
    pub fn factor(&self, part: Part) -> Option<&Factor> {
        self.factors.iter().find(|factor| factor.part == part)
    }

    /// Best first; what has no value last; ties by id.
    fn order(&self, other: &Self) -> Ordering {
        let rank = |score: &Self| score.value.unwrap_or(-1.0);
        rank(other).total_cmp(&rank(self)).then_with(|| self.id.cmp(&other.id))
    }
}

/// What work asks of a device.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Bytes that must be free.
    pub memory: u64,
    /// How sure the score must be.
    pub confidence: f64,
}

impl Task {
    /// Work that needs so much memory, on a device of which at least half is known.
    pub const fn needing(memory: u64) -> Self {
        Self { memory, confidence: 0.5 }
    }
}

/// The best device for a task, the others in order, and who was refused.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// Who could do it, best first.
    pub fit: Vec<Score>,
    /// Who could not, by id.
    pub refused: Vec<Refusal>,
}

impl Choice {
    /// The best.
    pub fn best(&self) -> Option<&Score> {
        self.fit.first()
    }
}

/// Why a device does not get a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// Whose.
    pub id: String,
    /// "2.0 GiB are free, the task needs 4.0 GiB".
    pub why: String,
}

/// Scores devices by one formula against one reference.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DeviceScorer {
    formula: Formula,
    reference: Reference,
}

impl DeviceScorer {
    /// Scores by this formula against the stated reference: the same device gets the same score in every cluster.
    pub fn new(formula: Formula) -> Self {
        Self { formula, reference: Reference::default() }
    }

    /// `(0.6 memory + 0.4 compute) x heat`.
    pub fn quick() -> Self {
        Self::new(Formula::Quick)
    }

    /// The weighted composite.
    pub fn composite() -> Self {
        Self::new(Formula::Composite)
    }

    /// Against another reference, such as [`Reference::best_of`] the cluster.
    #[must_use]
    pub const fn against(mut self, reference: Reference) -> Self {
        self.reference = reference;
        self
    }

    /// The score of one device.
    pub fn score(&self, device: &Candidate) -> Score {
        let reference = &self.reference;
        let mut factors = match self.formula {
            Formula::Quick => vec![memory(device, reference, 0.6), compute(device, reference, 0.4)],
            Formula::Composite => vec![
                compute(device, reference, 0.40),
                memory(device, reference, 0.30),
                network_position(device, reference, 0.15),
                thermal_headroom(device, 0.10),
                bandwidth(device, reference, 0.05),
            ],
        };
        let mut value = weighted(&factors);
        let mut confidence: f64 = factors.iter().map(Factor::known_weight).sum();
        if self.formula == Formula::Quick {
            let heat = heat(device);
            value = value.map(|value| value * heat.value.unwrap_or(1.0));
            confidence *= BLIND_TO_HEAT + (1.0 - BLIND_TO_HEAT) * trust(heat.source);
            factors.push(heat);
        }
        let confidence = confidence.clamp(0.0, 1.0);
        let sentence = sentence(&device.id, value, confidence, &factors);
        Score { id: device.id.clone(), value, confidence, factors, sentence }
    }

    /// All of them, best first. Equal scores are in the order of their ids, whatever the order of the input.
    pub fn rank(&self, devices: &[Candidate]) -> Vec<Score> {
        let mut scores: Vec<_> = devices.iter().map(|device| self.score(device)).collect();
        scores.sort_by(Score::order);
        scores
    }

    /// Who could do this task, best first, and why the others could not.
    pub fn best_for(&self, task: &Task, devices: &[Candidate]) -> Choice {
        let mut choice = Choice { fit: Vec::new(), refused: Vec::new() };
        for device in devices {
            let score = self.score(device);
            match refusal(task, device, &score) {
                Some(why) => choice.refused.push(Refusal { id: score.id, why }),
                None => choice.fit.push(score),
            }
        }
        choice.fit.sort_by(Score::order);
        choice.refused.sort_by(|one, other| one.id.cmp(&other.id));
        choice
    }
}

/// The mean of what is known, by weight.
fn weighted(factors: &[Factor]) -> Option<f64> {
    let known = || factors.iter().filter_map(|factor| factor.value.map(|value| (factor.weight, value)));
    let weight: f64 = known().map(|(weight, _)| weight).sum();
    let sum: f64 = known().map(|(weight, value)| weight * value).sum();
    (weight > 0.0).then(|| (sum / weight).clamp(0.0, 1.0))
}

fn refusal(task: &Task, device: &Candidate, score: &Score) -> Option<String> {
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    match device.memory.get() {
        None => return Some("it is not known how much memory is free".into()),
        Some(free) if free < task.memory => {
            return Some(format!(
                "{:.1} GiB are free, the task needs {:.1} GiB",
                gib(free),
                gib(task.memory)
            ));
        }
        Some(_) => {}
    }
    let heat = heat(device);
    if heat.value == Some(0.0) {
        return Some(format!("it is too hot ({})", heat.note));
    }
    let (sure, asked) = (score.confidence, task.confidence);
    // Written so that a confidence which is no number refuses.
    let enough = score.value.is_some() && sure >= asked;
    (!enough)
        .then(|| format!("too little is known of it ({:.0}%, asked is {:.0}%)", sure * 100.0, asked * 100.0))
}
