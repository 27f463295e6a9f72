//! How far a download is, in the figures that exo's dashboard shows.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// How far a download is. All zero until the list of files is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Bytes that are there.
    pub done: u64,
    /// Bytes that there will be.
    pub total: u64,
    /// Of those that are there, how many came in this run.
    pub fresh: u64,
    /// Files that are there.
    pub files_done: u32,
    /// All files.
    pub files: u32,
    /// Bytes a second, over the last seconds.
    pub speed: f64,
}

const WINDOW: Duration = Duration::from_secs(5);
const STEP: Duration = Duration::from_millis(250);

/// Bytes over the last seconds: what people see when they walk out of the Wi-Fi.
#[derive(Debug, Default)]
pub(super) struct Speed {
    arrived: u64,
    marks: VecDeque<(Instant, u64)>,
}

impl Speed {
    pub(super) fn begin(&mut self, now: Instant) {
        self.marks.push_back((now, self.arrived));
    }

    pub(super) fn add(&mut self, now: Instant, bytes: usize) {
        self.arrived += bytes as u64;
        if self.marks.back().is_none_or(|(at, _)| now.saturating_duration_since(*at) >= STEP) {
            self.marks.push_back((now, self.arrived));
        }
        while self.marks.len() > 2
            && self.marks.get(1).is_some_and(|(at, _)| now.saturating_duration_since(*at) >= WINDOW)
        {
            self.marks.pop_front();
        }
    }

    pub(super) fn at(&self, now: Instant) -> f64 {
        let Some((since, had)) = self.marks.front() else { return 0.0 };
        let seconds = now.saturating_duration_since(*since).as_secs_f64();
        // Less than a moment tells nothing.
        if seconds < 0.05 { 0.0 } else { (self.arrived - had) as f64 / seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_that_of_the_last_seconds() {
        let start = Instant::now();
        let mut speed = Speed::default();
        speed.begin(start);
        assert_eq!(speed.at(start), 0.0);
        for tenth in 1..=100 {
            speed.add(start + Duration::from_millis(100 * tenth), 1_000_000);
        }
        let end = start + Duration::from_secs(10);
        assert!((speed.at(end) - 1e7).abs() < 1e6, "{}", speed.at(end));
        assert!(speed.at(end + Duration::from_mins(1)) < 1e6, "nothing came for a minute");
    }
}
