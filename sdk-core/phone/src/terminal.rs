//! What the terminal can show: colours where they are seen and wanted, and none elsewhere.

use std::{env, io::IsTerminal};

/// A role that text plays; the palette decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The title of a section.
    Heading,
    /// Names of rows, and what matters less.
    Quiet,
    /// All is well.
    Good,
    /// Something to know.
    Notice,
    /// Something is wrong.
    Bad,
}

/// How roles look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Palette {
    /// Plain text, for files, pipes and people who set `NO_COLOR`.
    Plain,
    /// ANSI colours.
    Coloured,
}

impl Palette {
    /// The palette for a stream: colours only for a terminal, and only if `NO_COLOR` is unset or empty.
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
        if stream.is_terminal() && !refused && !dumb { Self::Coloured } else { Self::Plain }
    }

    /// `text` as `role` looks. Pad before painting: escape codes have no width.
    pub(crate) fn paint(self, role: Role, text: &str) -> String {
        if self == Self::Plain || text.is_empty() {
            return text.to_owned();
        }
        let code = match role {
            Role::Heading => "1",
            Role::Quiet => "2",
            Role::Good => "32",
            Role::Notice => "33",
            Role::Bad => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_escape_codes() {
        assert_eq!(Palette::Plain.paint(Role::Bad, "wrong"), "wrong");
    }

    #[test]
    fn colours_are_switched_off_after_the_text() {
        assert_eq!(Palette::Coloured.paint(Role::Good, "fine"), "\u{1b}[32mfine\u{1b}[0m");
    }
}
