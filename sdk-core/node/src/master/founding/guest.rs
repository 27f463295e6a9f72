//! The exo that comes first: which one, and whether it can really be joined.
//!
//! Being found is not being there. A link that a person gave is only an address, and an exo may answer a Hello behind a
//! wall that stops TCP. A cluster of phones is not given up for either: it is *knocked* first. Who takes the connection
//! and still cannot be joined is ignored for some minutes.

use std::{collections::VecDeque, time::Duration};

use crate::{discovery::Found, now::Moment};

/// Dials that fail although the exo answers.
const SEVERAL: u32 = 4;
/// An exo that took no connection is asked again after this long, so that another one gets its turn.
const KNOCK_AGAIN: Duration = Duration::from_secs(5);
/// How long an exo is ignored that made us give up a cluster of phones for nothing.
const IGNORED: Duration = Duration::from_mins(3);
const MAX_IGNORED: usize = 16;

/// What we know of exos.
#[derive(Debug, Default)]
pub(super) struct Guest {
    /// Whose guest the member is, or will be once everything is closed.
    of: Option<Found>,
    /// Who is knocked at.
    knocking: Option<Found>,
    /// Whether phones were left for it.
    left_phones: bool,
    /// Whether it answered since the last dial that failed, and how many of those failed.
    answered: bool,
    failures: u32,
    ignored: VecDeque<(Found, Moment)>,
}

impl Guest {
    /// Whose guest the member is, or will be.
    pub(super) const fn of(&self) -> Option<&Found> {
        self.of.as_ref()
    }

    /// This one is known to the member, or will be.
    pub(super) fn be_of(&mut self, exo: Found) {
        self.answered |= exo.zid.is_some();
        self.of = Some(exo);
    }

    /// Whether this one disappointed us lately.
    pub(super) fn ignores(&self, now: Moment, exo: &Found) -> bool {
        self.ignored.iter().any(|(ignored, until)| *until > now && is_same(ignored, exo))
    }

    /// Whether to knock there: at one door at a time.
    pub(super) fn knocks(&mut self, exo: &Found) -> bool {
        let free = self.knocking.is_none();
        if free {
            self.knocking = Some(exo.clone());
        }
        free
    }

    /// Somebody took the connection, or nobody. Who it is, if the phones shall be left for it.
    pub(super) fn knocked(&mut self, now: Moment, answered: bool) -> Option<Found> {
        let exo = self.knocking.take()?;
        if !answered {
            self.ignore(exo, now + KNOCK_AGAIN);
            return None;
        }
        (self.left_phones, self.answered, self.failures) = (true, true, 0);
        Some(exo)
    }

    /// It is what it says.
    pub(super) fn linked(&mut self) {
        (self.left_phones, self.answered, self.failures) = (false, false, 0);
    }

    /// A dial failed, or a link. True if that was one too many of an exo that answers all the while. One that does not
    /// answer any more is only lost, and may be back.
    pub(super) fn unlinked(&mut self) -> bool {
        self.failures += u32::from(std::mem::take(&mut self.answered));
        self.of.is_some() && self.failures >= SEVERAL
    }

    /// We are nobody's guest any more.
    pub(super) fn give_up(&mut self, now: Moment) {
        if let Some(exo) = self.of.take().filter(|_| self.left_phones) {
            self.ignore(exo, now + IGNORED);
        }
        self.linked();
    }

    fn ignore(&mut self, exo: Found, until: Moment) {
        self.ignored.retain(|(ignored, _)| !is_same(ignored, &exo));
        self.ignored.truncate(MAX_IGNORED - 1);
        self.ignored.push_front((exo, until));
    }
}

/// Whether both are the same exo: one that starts anew has another zid and gets another chance.
fn is_same(one: &Found, other: &Found) -> bool {
    match (one.zid, other.zid) {
        (Some(one), Some(other)) => one == other,
        _ => one.locators.iter().any(|locator| other.locators.contains(locator)),
    }
}
