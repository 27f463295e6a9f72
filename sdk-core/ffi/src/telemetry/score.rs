//! How good each device is for work now.

use exo_telemetry::{
    Source,
    aggregator::ClusterState,
    score::{self, Candidate, DeviceScorer, Formula, Part},
};

/// What a score is made of.
#[uniffi::remote(Enum)]
pub enum Formula {
    /// `(0.6 memory + 0.4 compute) x heat`: for a device by itself.
    Quick,
    /// `0.40 compute + 0.30 memory + 0.15 network + 0.10 thermal headroom + 0.05 bandwidth`: for a device among others.
    Composite,
}

/// What a factor is about.
#[uniffi::remote(Enum)]
pub enum Part {
    /// Memory that is free for us.
    Memory,
    /// Compute that nobody uses.
    Compute,
    /// How near the other members are.
    NetworkPosition,
    /// How far from throttling.
    ThermalHeadroom,
    /// How fast bytes reach the other members.
    Bandwidth,
    /// The penalty for heat.
    Heat,
}

/// One part of a score.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct ScoreFactor {
    /// What it is about.
    pub part: Part,
    /// Its weight before the unknown parts are left out.
    pub weight: f64,
    /// 0 to 1, or nothing if it is not known.
    pub value: Option<f64>,
    /// Where the value comes from.
    pub source: Source,
    /// What was read, or why nothing could be.
    pub note: String,
}

/// What a device is worth now.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Score {
    /// Whose.
    pub device_id: String,
    /// 0 to 1; nothing if nothing is known.
    pub value: Option<f64>,
    /// 0 to 1: how much of what the formula asks was known.
    pub confidence: f64,
    /// What it is made of.
    pub factors: Vec<ScoreFactor>,
    /// The same for people.
    pub sentence: String,
}

/// All devices that are there, best first.
pub(crate) fn rank(state: &ClusterState, formula: Formula) -> Vec<Score> {
    let devices = Candidate::all_of(state);
    DeviceScorer::new(formula).rank(&devices).into_iter().map(Score::from).collect()
}

impl From<score::Score> for Score {
    fn from(score: score::Score) -> Self {
        let told = |factor: score::Factor| ScoreFactor {
            part: factor.part,
            weight: factor.weight,
            value: factor.value,
            source: factor.source,
            note: factor.note,
        };
        let score::Score { id, value, confidence, factors, sentence } = score;
        Self { device_id: id, value, confidence, factors: factors.into_iter().map(told).collect(), sentence }
    }
}
