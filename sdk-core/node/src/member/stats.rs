//! Counters for the status page.

/// What a member did so far. Counters never go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Events published for the first time.
    pub sent: u64,
    /// Of those, how many came back with their place in the log.
    pub acked: u64,
    /// Events published again because they did not.
    pub resent: u64,
    /// Requests for a missing part of the log.
    pub nacks: u64,
    /// Payloads that the gate refused: none of them was published.
    pub refused: u64,
    /// Global events applied to the view.
    pub applied: u64,
    /// Payloads that were heard and could not be read.
    pub unreadable: u64,
    /// Sessions followed.
    pub sessions: u64,
    /// Snapshots of the state that were taken.
    pub snapshots: u64,
    /// Routers dialled.
    pub dials: u64,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Self) {
        let Self { sent, acked, resent, nacks, refused, applied, unreadable, sessions, snapshots, dials } =
            other;
        self.sent += sent;
        self.acked += acked;
        self.resent += resent;
        self.nacks += nacks;
        self.refused += refused;
        self.applied += applied;
        self.unreadable += unreadable;
        self.sessions += sessions;
        self.snapshots += snapshots;
        self.dials += dials;
    }
}
