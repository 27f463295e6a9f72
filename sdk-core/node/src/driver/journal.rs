//! What happens, line by line, for a log.
//!
//! An app shows states; a developer reads what led to them. The core writes nowhere itself: whoever embeds it gives it a
//! [`Journal`].

use std::sync::Arc;

use crate::{
    discovery::{Activity, ProviderStatus},
    member::MemberState,
};

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For who looks for a fault.
    Debug,
    /// What happens.
    Info,
    /// What does not work, and is being repaired.
    Warning,
    /// What is over.
    Error,
}

/// Where lines go. Called from the node's own task: it must not block.
pub trait Journal: Send + Sync {
    /// One line about a part of the core.
    fn note(&self, level: Level, about: &'static str, line: &str);
}

/// Writes what the app is told, in words.
#[derive(Clone, Default)]
pub(super) struct Scribe(pub(super) Option<Arc<dyn Journal>>);

impl Scribe {
    /// A new state.
    pub(super) fn state(&self, state: &MemberState) {
        let (level, line) = match state {
            MemberState::Searching => (Level::Info, "searching for a cluster".to_owned()),
            MemberState::Connecting { to } => (Level::Info, format!("connecting to {to}")),
            MemberState::Joining => (Level::Info, "linked; waiting to be acknowledged".to_owned()),
            MemberState::Joined { nodes } => (Level::Info, format!("joined a cluster of {nodes}")),
            MemberState::ListeningOnly { why } => (Level::Warning, format!("listening only: {why}")),
            MemberState::Degraded { why } => (Level::Warning, format!("not acknowledged any more: {why}")),
            MemberState::Draining => (Level::Info, "saying goodbye".to_owned()),
            MemberState::Left => (Level::Info, "left".to_owned()),
            MemberState::Failed { why } => (Level::Error, format!("failed: {why}")),
        };
        self.note(level, "node", &line);
    }

    /// What did not work.
    pub(super) fn trouble(&self, why: &str) {
        self.note(Level::Warning, "node", why);
    }

    /// What ways of searching say that they did not say before.
    pub(super) fn discovery(&self, before: &[ProviderStatus], now: &[ProviderStatus]) {
        if self.0.is_none() {
            return;
        }
        for status in now.iter().filter(|status| !before.contains(status)) {
            let level = if status.activity == Activity::Blocked { Level::Warning } else { Level::Debug };
            self.note(level, "discovery", &format!("{}: {}", status.provider, status.note));
        }
    }

    fn note(&self, level: Level, about: &'static str, line: &str) {
        if let Some(journal) = &self.0 {
            journal.note(level, about, line);
        }
    }
}

impl std::fmt::Debug for Scribe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Scribe").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::discovery::Provider;

    #[derive(Default)]
    struct Lines(Mutex<Vec<(Level, &'static str, String)>>);

    impl Journal for Lines {
        fn note(&self, level: Level, about: &'static str, line: &str) {
            self.0.lock().unwrap().push((level, about, line.to_owned()));
        }
    }

    fn status(activity: Activity, note: &str) -> ProviderStatus {
        ProviderStatus { provider: Provider::Multicast, activity, note: note.into() }
    }

    #[test]
    fn a_search_is_told_when_it_says_something_new_and_loudly_when_it_is_blocked() {
        let lines = Arc::new(Lines::default());
        let scribe = Scribe(Some(lines.clone()));
        let hello = [status(Activity::Searching, "1 Hello on wlan0")];
        scribe.discovery(&[], &hello);
        scribe.discovery(&hello, &hello);
        scribe.discovery(&hello, &[status(Activity::Blocked, "no multicast permission")]);
        let told = lines.0.lock().unwrap();
        assert_eq!(told.iter().map(|line| line.0).collect::<Vec<_>>(), [Level::Debug, Level::Warning]);
        assert_eq!(told[1].2, "multicast: no multicast permission");
    }

    #[test]
    fn a_fault_is_an_error_and_a_repair_a_warning() {
        let lines = Arc::new(Lines::default());
        let scribe = Scribe(Some(lines.clone()));
        scribe.state(&MemberState::Failed { why: "x".into() });
        scribe.state(&MemberState::Degraded { why: "no master".into() });
        let told = lines.0.lock().unwrap();
        assert_eq!((told[0].0, told[1].0), (Level::Error, Level::Warning));
    }
}
