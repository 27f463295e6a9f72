//! Whether we know the build of exo that the cluster runs.
//!
//! exo's messages carry no version. What a member can see without a word of its own is what the cluster says: the
//! first events are read as the known build's own parser would read them, and so is every later one that our views
//! cannot place; the keys of `GET /state` are compared with the build's. Until one event was right nothing is said,
//! and one thing that the build would not say ends our speaking for the session.

use exo_wire::{Topic, builds, gate};

/// So many events of a session are read strictly, whatever they are.
const CHECKED: u32 = 32;

/// What we think of the cluster's build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Build {
    /// Nothing was heard yet.
    Undecided,
    /// All that was heard is of a build that we know.
    Known,
    /// This is not.
    Unknown(String),
}

/// Watches what a session says.
#[derive(Debug)]
pub(super) struct Recognition {
    build: Build,
    checked: u32,
}

impl Recognition {
    pub(super) const fn new() -> Self {
        Self { build: Build::Undecided, checked: 0 }
    }

    pub(super) const fn build(&self) -> &Build {
        &self.build
    }

    /// A global event of the session; `strange` says that our views could not place it.
    pub(super) fn event(&mut self, payload: &[u8], strange: bool) {
        if matches!(self.build, Build::Unknown(_)) || (self.checked >= CHECKED && !strange) {
            return;
        }
        self.checked = self.checked.saturating_add(1);
        let verdict = gate::verdict(Topic::GlobalEvents, payload);
        if verdict.accept {
            self.build = Build::Known;
        } else {
            self.build = Build::Unknown(format!("an event that no known build sends: {}", verdict.why));
        }
    }

    /// The keys of a state that belongs to the session.
    pub(super) fn state<'a>(&mut self, keys: impl Iterator<Item = &'a str>) {
        let known =
            |key: &str| builds::known().iter().any(|build| build.facts().state_keys.iter().any(|k| k == key));
        let mut strange = keys.filter(|key| !known(key));
        if let Some(key) = strange.next() {
            let key: String = key.chars().take(64).collect();
            self.build = Build::Unknown(format!("a state with a key that no known build has: {key}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str = r#"{"origin_idx":3,"origin":"a","session":{"master_node_id":"a","election_clock":0},"event":{"TestEvent":{"event_id":"e"}}}"#;

    #[test]
    fn the_first_event_of_a_known_build_decides() {
        let mut recognition = Recognition::new();
        assert_eq!(*recognition.build(), Build::Undecided);
        recognition.event(KNOWN.as_bytes(), false);
        assert_eq!(*recognition.build(), Build::Known);
    }

    #[test]
    fn one_event_that_no_known_build_sends_ends_it() {
        let mut recognition = Recognition::new();
        recognition.event(KNOWN.as_bytes(), false);
        recognition.event(KNOWN.replace("TestEvent", "BrandNew").as_bytes(), true);
        assert!(matches!(recognition.build(), Build::Unknown(why) if why.contains("no known build")));
        recognition.event(KNOWN.as_bytes(), false);
        assert!(matches!(recognition.build(), Build::Unknown(_)), "it stays so");
    }

    #[test]
    fn a_key_that_no_known_build_has_ends_it() {
        let mut recognition = Recognition::new();
        recognition.state(["instances", "lastEventAppliedIdx"].into_iter());
        assert_eq!(*recognition.build(), Build::Undecided, "a state alone says too little");
        recognition.state(["instances", "quantumLinks"].into_iter());
        assert!(matches!(recognition.build(), Build::Unknown(why) if why.contains("quantumLinks")));
    }

    #[test]
    fn after_the_first_events_only_strange_ones_are_read_strictly() {
        let mut recognition = Recognition::new();
        for _ in 0..CHECKED {
            recognition.event(KNOWN.as_bytes(), false);
        }
        recognition.event(b"not read at all", false);
        assert_eq!(*recognition.build(), Build::Known);
    }
}
