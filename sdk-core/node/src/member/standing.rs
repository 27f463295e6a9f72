//! Where we stand, in one word for us and in a sentence for people.

use std::time::Duration;

use super::{Member, MemberState, recognition::Build};
use crate::{discovery::Locator, now::Moment};

/// A master that talks does so at least once a second.
pub(super) const SILENT: Duration = Duration::from_secs(4);
/// An acknowledgement usually takes 10 to 50 ms, and a lost event is sent again after 5 s.
pub(super) const UNHEARD: Duration = Duration::from_secs(10);

/// Cheap to compare, since it is computed after every input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    Searching,
    Connecting(Locator),
    Joining,
    Joined(usize),
    AskedToListen,
    UnknownBuild(String),
    Unlinked,
    Silent,
    Unheard,
    Draining,
    Left,
}

impl Standing {
    pub(super) fn describe(&self) -> MemberState {
        let degraded = |why: &str| MemberState::Degraded { why: why.to_owned() };
        match self {
            Self::Searching => MemberState::Searching,
            Self::Connecting(to) => MemberState::Connecting { to: to.to_string() },
            Self::Joining => MemberState::Joining,
            Self::Joined(nodes) => MemberState::Joined { nodes: *nodes },
            Self::AskedToListen => MemberState::ListeningOnly { why: "asked to listen only".to_owned() },
            Self::UnknownBuild(why) => MemberState::ListeningOnly { why: why.clone() },
            Self::Unlinked => degraded("the link to the cluster is lost; dialling again"),
            Self::Silent => degraded("the master is silent"),
            Self::Unheard => degraded("the master does not acknowledge what we send"),
            Self::Draining => MemberState::Draining,
            Self::Left => MemberState::Left,
        }
    }

    /// Whether discovery should search.
    pub(super) const fn searches(&self) -> bool {
        match self {
            Self::Searching | Self::Connecting(_) | Self::Joining | Self::Unlinked | Self::Silent => true,
            Self::Joined(_)
            | Self::AskedToListen
            | Self::UnknownBuild(_)
            | Self::Unheard
            | Self::Draining
            | Self::Left => false,
        }
    }
}

impl Member {
    /// Where we stand now.
    pub(super) fn stands(&self, now: Moment) -> Standing {
        if let Some(leaving) = &self.leaving {
            return if leaving.has_left() { Standing::Left } else { Standing::Draining };
        }
        if !self.link.is_up() {
            return match self.link.dialling() {
                _ if self.was_joined => Standing::Unlinked,
                Some(to) => Standing::Connecting(to),
                None => Standing::Searching,
            };
        }
        let silent = self.tracker.silent_for(now).is_some_and(|silence| silence >= SILENT);
        let Some(term) = &self.term else { return Standing::Joining };
        if silent {
            return if self.was_joined { Standing::Silent } else { Standing::Joining };
        }
        if self.config.listen_only {
            return Standing::AskedToListen;
        }
        if let (Build::Unknown(why), false) = (term.recognition.build(), self.config.allow_unknown_build) {
            return Standing::UnknownBuild(why.clone());
        }
        if !term.is_acknowledged() {
            return Standing::Joining;
        }
        match term.outbox.oldest() {
            Some(since) if now.since(since) >= UNHEARD => Standing::Unheard,
            _ => Standing::Joined(term.nodes()),
        }
    }

    /// When [`Self::stands`] would say otherwise though nothing happened.
    pub(super) fn patience_ends(&self) -> Option<Moment> {
        if !matches!(self.standing, Standing::Joined(_)) {
            return None;
        }
        let silent = self.tracker.heard().map(|heard| heard + SILENT);
        let unheard = self.term.as_ref().and_then(|term| term.outbox.oldest()).map(|since| since + UNHEARD);
        silent.into_iter().chain(unheard).min()
    }
}
