//! What is simulated.

use std::{fmt, str::FromStr};

/// One run of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Everything that follows depends on it alone.
    pub seed: u64,
    /// How many phones.
    pub phones: u16,
    /// How many virtual minutes.
    pub minutes: u32,
    /// How many exo nodes; drawn from the seed (1 to 3) if `None`.
    pub exos: Option<u16>,
    /// No faults but those that a story makes.
    pub calm: bool,
    /// Print every step.
    pub trace: bool,
    /// A bug to inject, to prove that the invariants catch it.
    pub bug: Option<Bug>,
}

impl Config {
    /// That many phones for ten minutes.
    pub const fn of(seed: u64, phones: u16) -> Self {
        Self { seed, phones, minutes: 10, exos: None, calm: false, trace: false, bug: None }
    }

    /// What to type to see this run again.
    pub fn replay(&self) -> String {
        let Self { seed, phones, minutes, .. } = self;
        let exos = self.exos.map(|exos| format!(" --exos {exos}")).unwrap_or_default();
        let bug = self.bug.map(|bug| format!(" --break {bug}")).unwrap_or_default();
        format!(
            "./scripts/test sim --seed {seed} --seeds 1 --phones {phones} --minutes {minutes}{exos}{bug} --trace"
        )
    }
}

/// A bug that the simulation can inject between a member and the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// What is sent again gets a new index.
    NewIndex,
    /// What is sent again has other content.
    OtherContent,
    /// Acknowledgements are not heard.
    NoAcks,
    /// The log is asked for from 0.
    NackFromZero,
    /// A vote is cast with every event.
    Votes,
    /// An event is swallowed once in a while, and never sent again.
    Swallows,
    /// Everything is sent three times.
    Floods,
    /// One phone of four speaks every second: all of them together three times as much as they should.
    Hurries,
    /// An app that was killed and started again swallows an event of each session and closes the gap behind it, so
    /// that the acknowledgement of the next one speaks for what nobody heard.
    Forgets,
    /// An app that was killed and started again goes on under its old origin, from index 0.
    ReusedIndex,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::NewIndex,
        Self::OtherContent,
        Self::NoAcks,
        Self::NackFromZero,
        Self::Votes,
        Self::Swallows,
        Self::Floods,
        Self::Hurries,
        Self::Forgets,
        Self::ReusedIndex,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::NewIndex => "new-index",
            Self::OtherContent => "other-content",
            Self::NoAcks => "no-acks",
            Self::NackFromZero => "nack-from-zero",
            Self::Votes => "votes",
            Self::Swallows => "swallows",
            Self::Floods => "floods",
            Self::Hurries => "hurries",
            Self::Forgets => "forgets",
            Self::ReusedIndex => "reused-index",
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Bug {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|bug| bug.name() == text);
        found.ok_or_else(|| format!("no bug is called {text:?}; write one of: {}", names()))
    }
}
