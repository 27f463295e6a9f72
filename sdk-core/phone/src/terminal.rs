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
    /// The palette for a stream: colours only for a terminal, unless the environment refuses or forces them.
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        Self::choose(stream.is_terminal(), |name| env::var(name).ok())
    }

    /// `NO_COLOR` (no-color.org) goes before `CLICOLOR_FORCE` (bixense.com/clicolors).
    fn choose(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        if set("NO_COLOR") {
            Self::Plain
        } else if set("CLICOLOR_FORCE") || is_terminal && !dumb {
            Self::Coloured
        } else {
            Self::Plain
        }
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

    fn with(is_terminal: bool, set: &[(&str, &str)]) -> Palette {
        let find =
            |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Palette::choose(is_terminal, find)
    }

    #[test]
    fn colours_are_for_terminals_that_do_not_refuse_them() {
        assert_eq!(with(true, &[("TERM", "xterm")]), Palette::Coloured);
        assert_eq!(with(false, &[("TERM", "xterm")]), Palette::Plain);
        assert_eq!(with(true, &[("TERM", "dumb")]), Palette::Plain);
        assert_eq!(with(true, &[("NO_COLOR", "1")]), Palette::Plain);
        assert_eq!(with(true, &[("NO_COLOR", "")]), Palette::Coloured);
    }

    #[test]
    fn colours_can_be_forced_but_a_refusal_is_stronger() {
        assert_eq!(with(false, &[("CLICOLOR_FORCE", "1")]), Palette::Coloured);
        assert_eq!(with(false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), Palette::Plain);
    }

    #[test]
    fn plain_text_has_no_escape_codes() {
        assert_eq!(Palette::Plain.paint(Role::Bad, "wrong"), "wrong");
    }

    #[test]
    fn colours_are_switched_off_after_the_text() {
        assert_eq!(Palette::Coloured.paint(Role::Good, "fine"), "\u{1b}[32mfine\u{1b}[0m");
    }
}
