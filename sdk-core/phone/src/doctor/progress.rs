//! Progress of the self-tests: a bar for people, lines for logs.

use std::io::{self, IsTerminal, Write};

use exo_gpu::SelfTestProgress as Step;

const BAR_CELLS: usize = 24;

/// Shows steps on a stream.
pub(super) struct Progress<W> {
    stream: W,
    /// A bar that is drawn over itself, rather than lines.
    bar: bool,
    /// Quarters that were announced; only for lines.
    announced: usize,
}

impl Progress<io::Stderr> {
    /// Standard error, so that standard output holds the report and nothing else.
    pub(super) fn on_stderr() -> Self {
        let stream = io::stderr();
        let bar = stream.is_terminal();
        Self::new(stream, bar)
    }
}

impl<W: Write> Progress<W> {
    fn new(stream: W, bar: bool) -> Self {
        Self { stream, bar, announced: 0 }
    }

    /// Shows one step. A stream that cannot be written to is no reason to stop testing.
    pub(super) fn show(&mut self, step: &Step) {
        if self.bar {
            let filled = (step.done * BAR_CELLS).checked_div(step.total).unwrap_or(0).min(BAR_CELLS);
            let bar = "█".repeat(filled) + &"░".repeat(BAR_CELLS - filled);
            let _ = write!(self.stream, "\r\u{1b}[K{bar} {}/{} {}", step.done, step.total, step.kernel);
            let _ = self.stream.flush();
        } else {
            self.announce_quarters(step);
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&mut self) {
        if self.bar {
            let _ = write!(self.stream, "\r\u{1b}[K");
            let _ = self.stream.flush();
        }
    }

    /// A log wants to see that work goes on, not every kernel twice: it gets four lines at most.
    fn announce_quarters(&mut self, step: &Step) {
        let quarter = (step.done * 4).checked_div(step.total).unwrap_or(0);
        if quarter > self.announced {
            self.announced = quarter;
            let _ = writeln!(self.stream, "self-tests: {} of {} done", step.done, step.total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bar: bool, total: usize) -> String {
        let mut progress = Progress::new(Vec::new(), bar);
        for done in 0..=total {
            progress.show(&Step { done, total, kernel: "softmax".into() });
        }
        progress.end();
        String::from_utf8(progress.stream).unwrap()
    }

    #[test]
    fn a_log_gets_four_lines_whatever_the_number_of_tests() {
        assert_eq!(shown(false, 100).lines().count(), 4);
        assert!(shown(false, 100).ends_with("self-tests: 100 of 100 done\n"));
    }

    #[test]
    fn a_terminal_gets_a_bar_that_fills_and_goes_away() {
        let text = shown(true, 2);
        assert!(text.contains("░░ 0/2 softmax"), "{text}");
        assert!(text.contains("██ 2/2 softmax"), "{text}");
        assert!(text.ends_with("\r\u{1b}[K"));
    }

    #[test]
    fn no_tests_at_all_is_no_division_by_zero() {
        assert_eq!(shown(false, 0), "");
    }
}
