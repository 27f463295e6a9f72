//! How far a model is: one line for people that is drawn again and again, and nothing for logs.

use std::io::{self, IsTerminal, Write};

use exo_models::Progress;

use crate::amounts;

const CELLS: u64 = 24;
const CLEAR: &str = "\r\u{1b}[K";

pub(super) struct Bar {
    is_shown: bool,
}

impl Bar {
    pub(super) fn on_stderr() -> Self {
        Self { is_shown: io::stderr().is_terminal() }
    }

    /// A terminal that cannot be written to is no reason to stop.
    pub(super) fn show(&mut self, progress: &Progress) {
        if self.is_shown {
            let _ = write!(io::stderr(), "{CLEAR}{}", line(progress));
        }
    }

    pub(super) fn clear(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}

fn line(progress: &Progress) -> String {
    if progress.total == 0 {
        return "asking which files there are".into();
    }
    let filled = (progress.done.saturating_mul(CELLS) / progress.total).min(CELLS) as usize;
    let bar = "█".repeat(filled) + &"░".repeat(CELLS as usize - filled);
    let (done, total) = (amounts::bytes(progress.done), amounts::bytes(progress.total));
    let speed = amounts::rate(progress.speed, "B/s");
    format!(
        "{bar} {done} of {total}, {} of {} files, {speed}{}",
        progress.files_done,
        progress.files,
        left(progress)
    )
}

/// How long it will take, once there is a speed to tell it from.
fn left(progress: &Progress) -> String {
    let seconds = (progress.total - progress.done) as f64 / progress.speed;
    match seconds {
        _ if !seconds.is_finite() || seconds < 1.0 => String::new(),
        _ if seconds < 90.0 => format!(", {seconds:.0} s left"),
        _ => format!(", {:.0} min left", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_how_much_how_fast_and_how_long() {
        assert_eq!(line(&Progress::default()), "asking which files there are");
        let half =
            Progress { done: 512 << 20, total: 1 << 30, fresh: 1, files_done: 3, files: 8, speed: 8e6 };
        assert_eq!(
            line(&half),
            format!(
                "{}{} 512 MiB of 1 GiB, 3 of 8 files, 8.0 MB/s, 67 s left",
                "█".repeat(12),
                "░".repeat(12)
            )
        );
        let slow = Progress { speed: 1e6, ..half };
        assert!(line(&slow).ends_with("1.0 MB/s, 9 min left"));
        let stalled = Progress { speed: 0.0, ..half };
        assert!(line(&stalled).ends_with("0.0 B/s"));
        let all = Progress { done: 1 << 30, ..half };
        assert!(line(&all).starts_with(&"█".repeat(24)) && line(&all).ends_with("8.0 MB/s"));
    }
}
