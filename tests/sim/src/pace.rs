//! How much a phone may say, whatever happens to it.
//!
//! * An event is sent again over the same link after 5 s at the soonest, which is exo's own rule. Over a new link
//!   everything that is on its way goes again at once.
//! * New events: what a phone tells a session of itself, and what it says in ten seconds besides. Twice that is too
//!   much. A session is told again after ten seconds at the soonest.
//! * Requests for the log: half a second apart at the soonest, and only while there is a hole.

use std::collections::{HashMap, VecDeque};

use crate::{
    ledger::Broken,
    queue::{MILLI, SECOND, Time},
};

/// What a rule looks back on.
const WINDOW: Time = 10 * SECOND;
/// An event may be sent again after that.
const AGAIN_AFTER: Time = 5 * SECOND;
/// Backends, name, identity, disk, interfaces and a sign of life.
const REGISTRATION: usize = 6;
/// A beat, and what an engine that stops or starts changes: its memory and its backends.
const BESIDES: usize = 3;
/// Between two requests for the log.
const REQUESTS_APART: Time = 500 * MILLI;

/// What each phone said lately.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    phones: HashMap<u16, Lately>,
}

#[derive(Debug, Default)]
struct Lately {
    /// The stream, and when its last events were new.
    stream: usize,
    events: VecDeque<Time>,
    requested: Option<Time>,
}

impl Pace {
    /// A phone published an event for the first time.
    pub(crate) fn new_event(&mut self, now: Time, phone: u16, stream: usize) -> Result<(), Broken> {
        let lately = self.phones.entry(phone).or_default();
        if std::mem::replace(&mut lately.stream, stream) != stream {
            lately.events.clear();
        }
        lately.events.push_back(now);
        while lately.events.front().is_some_and(|at| now - at >= WINDOW) {
            lately.events.pop_front();
        }
        let (said, most) = (lately.events.len(), 2 * (REGISTRATION + BESIDES));
        if said > most {
            return Err(Broken(format!("phone{phone} said {said} new events within ten seconds")));
        }
        Ok(())
    }

    /// A phone published an event again: when and over which link, before and now.
    pub(crate) fn again(phone: u16, index: usize, last: (Time, u32), now: (Time, u32)) -> Result<(), Broken> {
        let after = now.0 - last.0;
        if last.1 == now.1 && after < AGAIN_AFTER {
            let seconds = after as f64 / SECOND as f64;
            return Err(Broken(format!("phone{phone} sent index {index} again after {seconds:.3} s")));
        }
        Ok(())
    }

    /// A phone asked for a part of the log.
    pub(crate) fn request(&mut self, now: Time, phone: u16) -> Result<(), Broken> {
        let lately = self.phones.entry(phone).or_default();
        let last = lately.requested.replace(now);
        if let Some(apart) = last.map(|last| now - last).filter(|apart| *apart < REQUESTS_APART) {
            let seconds = apart as f64 / SECOND as f64;
            return Err(Broken(format!("phone{phone} asked for the log again after {seconds:.3} s")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_its_way_may_go_again_over_a_new_link_at_once_and_over_the_same_one_after_five_seconds() {
        assert!(Pace::again(0, 0, (0, 1), (SECOND, 2)).is_ok());
        assert!(Pace::again(0, 0, (0, 1), (5 * SECOND, 1)).is_ok());
        assert!(Pace::again(0, 0, (0, 1), (5 * SECOND - 1, 1)).is_err());
    }

    #[test]
    fn a_phone_may_register_but_not_go_on_like_that() {
        let mut pace = Pace::default();
        let mut says = |at: Time, stream| pace.new_event(at, 3, stream);
        assert!((0..18).all(|_| says(0, 0).is_ok()));
        assert!(says(WINDOW - 1, 0).is_err());
        assert!(says(WINDOW - 1, 1).is_ok(), "another session knows nothing yet");
    }

    #[test]
    fn the_log_is_asked_for_every_half_second_at_most() {
        let mut pace = Pace::default();
        assert!(pace.request(0, 1).is_ok() && pace.request(0, 2).is_ok());
        assert!(pace.request(500 * MILLI, 1).is_ok());
        assert!(pace.request(999 * MILLI, 1).is_err());
    }
}
