//! A page that is drawn over itself on a terminal.

use std::time::{Duration, Instant};

use super::{happening::Happening, page::Page};
use crate::sheet::Sheet;

/// Fast enough for people, slow enough for a serial line.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

/// A terminal with a page on it. Dropping it leaves the last page and an ordinary terminal.
pub(crate) struct Screen {
    page: Page,
    sheet: Sheet,
    drawn: Option<Instant>,
}

impl Screen {
    /// Standard output, if it is a terminal.
    pub(crate) fn on_stdout(title: &str) -> Option<Self> {
        Sheet::on_stdout().map(|sheet| Self { page: Page::titled(title), sheet, drawn: None })
    }

    /// Takes what happened and draws it, if the last drawing was not just now.
    pub(crate) fn show(&mut self, happening: &Happening) {
        self.page.take(happening);
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW_EVERY) {
            self.draw();
        }
    }

    fn draw(&mut self) {
        self.sheet.draw(&self.page.render(self.sheet.palette()));
        self.drawn = Some(Instant::now());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.draw();
    }
}
