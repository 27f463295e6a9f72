//! Whether we know the build of exo that the cluster runs; until then, and when no longer, nothing is said.
//!
//! The judgement is [`Recogniser`]'s. Here is how much it is shown: every event of a session's first minute or so,
//! then one in sixteen and every one that our views could not place. A master writes all events itself, so a sample
//! of them shows its build as well as all would, at a fraction of the work.

use exo_wire::{
    builds::{Recogniser, Recognition as Judgement},
    heard::{Event, Info},
};

const ALL_OF_THE_FIRST: u32 = 64;
const THEN_ONE_IN: u32 = 16;

/// What we think of the cluster's build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Build {
    /// Too little was heard.
    Undecided,
    /// All that was heard is of a build that we know.
    Known,
    /// This is not.
    Unknown(String),
}

/// Watches what a session says.
#[derive(Debug)]
pub(super) struct Recognition {
    recogniser: Recogniser,
    heard: u32,
    build: Build,
}

impl Recognition {
    pub(super) fn new() -> Self {
        Self { recogniser: Recogniser::new(), heard: 0, build: Build::Undecided }
    }

    pub(super) const fn build(&self) -> &Build {
        &self.build
    }

    /// A global event of the session, and how our views read it.
    pub(super) fn event(&mut self, payload: &[u8], event: &Event<'_>) {
        self.heard = self.heard.wrapping_add(1);
        let sampled = self.heard <= ALL_OF_THE_FIRST || self.heard.is_multiple_of(THEN_ONE_IN);
        if sampled || is_strange(event) {
            self.recogniser.hear(payload);
            self.decide();
        }
    }

    /// The keys of a state that belongs to the session.
    pub(super) fn state<'a>(&mut self, keys: impl Iterator<Item = &'a str>) {
        self.recogniser.see_state(keys);
        self.decide();
    }

    fn decide(&mut self) {
        match self.recogniser.recognition() {
            Judgement::Known(_) => self.build = Build::Known,
            Judgement::Undecided => self.build = Build::Undecided,
            Judgement::Unknown(why) => {
                if !matches!(self.build, Build::Unknown(_)) {
                    self.build = Build::Unknown(format!("the cluster's build of exo is unknown: {why}"));
                }
            }
        }
    }
}

fn is_strange(event: &Event<'_>) -> bool {
    match event {
        Event::Unknown(_) => true,
        Event::NodeGatheredInfo(news) => matches!(news.info, Info::Other(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use exo_wire::heard;

    use super::*;

    const KNOWN: &str = r#"{"origin_idx":3,"origin":"a","session":{"master_node_id":"a","election_clock":0},"event":{"TestEvent":{"event_id":"e"}}}"#;

    fn hear(recognition: &mut Recognition, payload: &str, times: u32) {
        for _ in 0..times {
            let global = heard::global(payload.as_bytes()).unwrap();
            recognition.event(payload.as_bytes(), &global.event());
        }
    }

    #[test]
    fn a_few_events_of_a_known_build_decide() {
        let mut recognition = Recognition::new();
        hear(&mut recognition, KNOWN, 1);
        assert_eq!(*recognition.build(), Build::Undecided);
        hear(&mut recognition, KNOWN, 10);
        assert_eq!(*recognition.build(), Build::Known);
    }

    #[test]
    fn an_event_that_no_known_build_sends_ends_it_however_late() {
        let mut recognition = Recognition::new();
        hear(&mut recognition, KNOWN, 1000);
        hear(&mut recognition, &KNOWN.replace("TestEvent", "BrandNew"), 1);
        assert!(matches!(recognition.build(), Build::Unknown(_)));
        hear(&mut recognition, KNOWN, 100);
        assert!(matches!(recognition.build(), Build::Unknown(_)), "it stays so");
    }

    #[test]
    fn a_key_that_no_known_build_has_ends_it() {
        let mut recognition = Recognition::new();
        hear(&mut recognition, KNOWN, 10);
        recognition.state(["instances", "quantumLinks"].into_iter());
        assert!(matches!(recognition.build(), Build::Unknown(why) if why.contains("quantumLinks")));
    }
}
