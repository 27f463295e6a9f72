//! Happenings as lines: JSON for programs, text for logs.

use std::io::{self, Write};

use exo_node::member::MemberState;

use super::happening::{Happening, What};

/// One JSON object.
pub(crate) fn json(happening: &Happening) -> String {
    serde_json::to_string(happening).unwrap_or_else(|error| format!(r#"{{"kind":"error","why":"{error}"}}"#))
}

/// What a log shall hold of a happening. Figures and telemetry change too often for one.
pub(crate) fn text(happening: &Happening) -> Option<String> {
    let words = match &happening.what {
        What::Started { node_id, namespace, notes } => {
            let mut words = format!("node {node_id}, namespace {namespace:?}");
            for note in notes {
                words.push_str("\nnote: ");
                words.push_str(note);
            }
            words
        }
        What::State(state) => in_words(state),
        What::Advice(text) | What::Note(text) => text.clone(),
        What::Discovery(_) | What::View(_) | What::Stats(_) => return None,
    };
    let who = happening.phone.as_ref().map(|phone| format!("{phone}: ")).unwrap_or_default();
    Some(format!("{:6.1} s  {who}{words}", happening.at.as_secs_f64()))
}

/// A state in words.
pub(crate) fn in_words(state: &MemberState) -> String {
    match state {
        MemberState::Searching => "searching".to_owned(),
        MemberState::Connecting { to } => format!("connecting to {to}"),
        MemberState::Joining => "linked, waiting to be acknowledged".to_owned(),
        MemberState::Joined { nodes: 1 } => "joined, alone".to_owned(),
        MemberState::Joined { nodes } => format!("joined, {nodes} nodes"),
        MemberState::ListeningOnly { why } => format!("listening only: {why}"),
        MemberState::Degraded { why } => format!("degraded: {why}"),
        MemberState::Draining => "leaving".to_owned(),
        MemberState::Left => "left".to_owned(),
        MemberState::Failed { why } => format!("failed: {why}"),
    }
}

/// Prints a line at once. A reader that went away is no reason to stop: the goodbye still has to be said.
pub(crate) fn print(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn of(what: What) -> Happening {
        Happening { at: Duration::from_millis(1250), phone: Some("pixel".into()), what }
    }

    #[test]
    fn a_log_has_the_time_the_phone_and_the_words() {
        let line = text(&of(What::State(MemberState::Joined { nodes: 3 }))).unwrap();
        assert_eq!(line, "   1.2 s  pixel: joined, 3 nodes");
    }

    #[test]
    fn a_log_is_spared_the_figures() {
        assert_eq!(text(&of(What::Stats(exo_node::driver::NodeStats::default()))), None);
    }

    #[test]
    fn a_json_line_is_one_line() {
        let line = json(&of(What::Advice("one\ntwo".into())));
        assert_eq!(line.lines().count(), 1);
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok());
    }
}
