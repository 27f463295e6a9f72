//! How far loading is: a bar for people, nothing for logs.

use std::io::{self, IsTerminal, Write};

const CELLS: u64 = 24;

pub(super) struct Bar {
    is_shown: bool,
}

impl Bar {
    pub(super) fn on_stderr() -> Self {
        Self { is_shown: io::stderr().is_terminal() }
    }

    /// The last call takes the bar away. A terminal that cannot be written to is no reason to stop.
    pub(super) fn show(&mut self, bytes: u64, total: u64) {
        if self.is_shown {
            let _ = write!(io::stderr(), "{}", line(bytes, total));
        }
    }
}

fn line(bytes: u64, total: u64) -> String {
    if bytes >= total {
        return "\r\u{1b}[K".into();
    }
    let filled = (bytes.saturating_mul(CELLS) / total.max(1)) as usize;
    let bar = "█".repeat(filled) + &"░".repeat(CELLS as usize - filled);
    format!("\r\u{1b}[K{bar} {} of {} MB", bytes / 1_000_000, total / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_bar_fills_and_then_goes() {
        assert!(line(0, 48_000_000).ends_with("░ 0 of 48 MB"));
        assert_eq!(line(24_000_000, 48_000_000).matches('█').count(), 12);
        assert_eq!(line(48_000_000, 48_000_000), "\r\u{1b}[K");
        assert_eq!(line(0, 0), "\r\u{1b}[K", "a model without weights is loaded at once");
    }
}
