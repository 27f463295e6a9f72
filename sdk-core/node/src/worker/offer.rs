//! What may be offered to exo, and what we may do ourselves.

use crate::now::Moment;

/// What exo may count on. A backend attracts models and memory without one breaks the placement of others, so both are
/// announced only while a model could really run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Whether a model may be placed here.
    pub able: bool,
    /// The largest model that would be taken, in bytes of weights; `None` if only the device's memory limits it.
    pub memory: Option<u64>,
}

impl Offer {
    /// There is no engine that could say more: whoever announces a backend answers for it.
    pub const UNLIMITED: Self = Self { able: true, memory: None };
    /// Nothing.
    pub const NOTHING: Self = Self { able: false, memory: Some(0) };

    /// Whether somebody who places models should hear of the difference soon.
    pub(crate) fn differs_much_from(self, other: Self) -> bool {
        let (one, other_memory) = (self.memory.unwrap_or(u64::MAX), other.memory.unwrap_or(u64::MAX));
        self.able != other.able || one.abs_diff(other_memory) > one.max(other_memory) / 8
    }
}

/// What the owner's policy and the heat allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// Whether work may be taken.
    pub admit: bool,
    /// Until when work that was taken may be finished though no more is. `None`: not a token longer.
    pub finish_by: Option<Moment>,
    /// 0 to 1: how much of the device work may use.
    pub share: f64,
    /// The most bytes that work may use, if the owner set a cap.
    pub memory: Option<u64>,
    /// Why work may not be taken, for whoever waits for an answer.
    pub why: String,
    /// Why bytes of the network may cost the owner money, if they may: no model is fetched then.
    pub costly: Option<String>,
}

impl Default for Allowed {
    fn default() -> Self {
        Self { admit: true, finish_by: None, share: 1.0, memory: None, why: String::new(), costly: None }
    }
}
