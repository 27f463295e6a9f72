//! A page that is drawn over itself on a terminal.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal, Write as _},
    time::{Duration, Instant},
};

use super::{happening::Happening, page::Page};
use crate::terminal::Palette;

/// Fast enough for people, slow enough for a serial line.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

/// A terminal that does not say how high it is.
const USUAL_ROWS: usize = 24;

/// A terminal with a page on it. Dropping it leaves the last page and an ordinary terminal.
pub(crate) struct Screen {
    page: Page,
    palette: Palette,
    lines_drawn: usize,
    drawn: Option<Instant>,
}

impl Screen {
    /// Standard output, if it is a terminal.
    pub(crate) fn on_stdout(title: &str) -> Option<Self> {
        let stdout = io::stdout();
        stdout.is_terminal().then(|| Self {
            page: Page::titled(title),
            palette: Palette::of(&stdout),
            lines_drawn: 0,
            drawn: None,
        })
    }

    /// Takes what happened and draws it, if the last drawing was not just now.
    pub(crate) fn show(&mut self, happening: &Happening) {
        self.page.take(happening);
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW_EVERY) {
            self.draw();
        }
    }

    fn draw(&mut self) {
        let text = self.page.render(self.palette);
        let fitting = text.lines().take(rows().saturating_sub(1));
        let text: String = fitting.flat_map(|line| [line, "\n"]).collect();
        let frame = frame(&text, self.lines_drawn);
        self.lines_drawn = text.lines().count();
        self.drawn = Some(Instant::now());
        let mut out = io::stdout().lock();
        let _ = out.write_all(frame.as_bytes());
        let _ = out.flush();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.draw();
    }
}

/// How many lines fit. What scrolled away could not be drawn over.
fn rows() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_row > 0
    {
        return size.ws_row.into();
    }
    USUAL_ROWS
}

/// The text over what was drawn before: back to its first line, every line cleared to its end, nothing left below.
/// Long lines are cut by the terminal and not wrapped: a wrapped line would be counted as one and drawn as two.
fn frame(text: &str, lines_drawn: usize) -> String {
    let mut frame = String::from("\u{1b}[?7l");
    if lines_drawn > 0 {
        let _ = write!(frame, "\u{1b}[{lines_drawn}A\r");
    }
    for line in text.lines() {
        frame.push_str(line);
        frame.push_str("\u{1b}[K\n");
    }
    frame.push_str("\u{1b}[J\u{1b}[?7h");
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_goes_back_to_where_the_last_one_began() {
        assert!(!frame("a\nb\n", 0).contains('A'));
        assert!(frame("a\nb\n", 7).contains("\u{1b}[7A"));
    }

    #[test]
    fn a_frame_clears_the_rest_of_each_line_and_of_the_screen() {
        assert_eq!(frame("a\n", 0), "\u{1b}[?7la\u{1b}[K\n\u{1b}[J\u{1b}[?7h");
    }
}
