//! What the system refused last, as long as it is true.

use super::Obstacle;
use super::seeker::Refused;

const LONGEST: usize = 120;

/// The latest refusal of one thing that is tried again and again. Nobody reports a success, so a refusal that was
/// not repeated between two tries is over.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    latest: Option<(Obstacle, String)>,
    repeated: bool,
}

impl Obstacles {
    /// It was refused.
    pub(super) fn refused(&mut self, refused: &Refused<'_>) {
        self.latest = Some((refused.obstacle, refused.why.chars().take(LONGEST).collect()));
        self.repeated = true;
    }

    /// It is about to be tried again.
    pub(super) fn trying(&mut self) {
        if !std::mem::take(&mut self.repeated) {
            self.latest = None;
        }
    }

    /// What stands in the way.
    pub(super) fn latest(&self) -> Option<(Obstacle, &str)> {
        self.latest.as_ref().map(|(obstacle, why)| (*obstacle, why.as_str()))
    }
}
