//! A part of the terminal that is drawn over itself.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal, Write as _},
};

use crate::terminal::Palette;

/// A terminal that does not say how high it is.
const USUAL_ROWS: usize = 24;

/// The lines below the cursor of a terminal. What was drawn last stays when it is dropped.
#[derive(Debug)]
pub(crate) struct Sheet {
    palette: Palette,
    lines_drawn: usize,
}

impl Sheet {
    /// Standard output, if it is a terminal.
    pub(crate) fn on_stdout() -> Option<Self> {
        let stdout = io::stdout();
        stdout.is_terminal().then(|| Self { palette: Palette::of(&stdout), lines_drawn: 0 })
    }

    /// Its colours.
    pub(crate) const fn palette(&self) -> Palette {
        self.palette
    }

    /// Draws this over what was drawn before. What does not fit below is left out.
    pub(crate) fn draw(&mut self, text: &str) {
        let fitting = text.lines().take(rows().saturating_sub(1));
        let text: String = fitting.flat_map(|line| [line, "\n"]).collect();
        let frame = frame(&text, self.lines_drawn);
        self.lines_drawn = text.lines().count();
        let mut out = io::stdout().lock();
        let _ = out.write_all(frame.as_bytes());
        let _ = out.flush();
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
