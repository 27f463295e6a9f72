//! The last minute, for charts and for the log of why something was done.

use crate::now::Moment;

use super::Level;

/// One tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    /// When.
    pub at: Moment,
    /// What the governor said.
    pub level: Level,
    /// How close to the limit the device was, 1 at the limit; `None` if no sensor told.
    pub closeness: Option<f64>,
}

/// A minute of ticks at two a second.
const TICKS: usize = 120;

/// A ring of the last [`Tick`]s. Its size never changes.
#[derive(Debug, Clone)]
pub struct History {
    ticks: [Option<Tick>; TICKS],
    next: usize,
}

impl Default for History {
    fn default() -> Self {
        Self { ticks: [None; TICKS], next: 0 }
    }
}

impl History {
    pub(super) fn push(&mut self, tick: Tick) {
        if let Some(slot) = self.ticks.get_mut(self.next) {
            *slot = Some(tick);
        }
        self.next = (self.next + 1) % TICKS;
    }

    /// The ticks of the last minute, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Tick> {
        let (newer, older) = self.ticks.split_at(self.next);
        older.iter().chain(newer).flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_minute_is_kept_in_order_and_no_more() {
        let mut history = History::default();
        for half_second in 0..500u64 {
            let at = Moment::after_start(Duration::from_millis(500 * half_second));
            history.push(Tick { at, level: Level::Full, closeness: None });
        }
        let kept: Vec<Moment> = history.iter().map(|tick| tick.at).collect();
        assert_eq!(kept.len(), TICKS);
        assert!(kept.is_sorted());
        assert_eq!(kept[TICKS - 1].since(kept[0]), Duration::from_millis(59_500));
    }
}
