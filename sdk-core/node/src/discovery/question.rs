//! A Hello is a question with a nonce; an answer counts only while the question is fresh.
//!
//! exo takes an answer with its latest nonce alone and draws one each second, so no answer may be older than a
//! second. A sweep sends one question over several seconds, hence two nonces may be alive here: each for a second
//! after it was last sent. The nonce keeps out those who heard nothing of us; it is no secret, for everybody on the LAN
//! hears a Hello. An answer makes an address worth dialling, no more.

use std::time::Duration;

use exo_wire::{
    Namespace,
    datagram::{Datagram, Nonce},
};

use crate::{now::Moment, random::Random};

/// How long an answer may take, and how long a nonce is used.
pub(super) const FRESH: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy)]
struct Asked {
    nonce: Nonce,
    drawn: Moment,
    sent: Moment,
}

/// What one provider asks.
#[derive(Debug)]
pub(super) struct Question {
    namespace: Namespace,
    latest: Option<Asked>,
    before: Option<Asked>,
}

impl Question {
    pub(super) const fn about(namespace: Namespace) -> Self {
        Self { namespace, latest: None, before: None }
    }

    /// The Hello to send now, with a new nonce if the latest is a second old.
    pub(super) fn ask(&mut self, now: Moment, random: &mut Random) -> Vec<u8> {
        let nonce = match &mut self.latest {
            Some(asked) if now.since(asked.drawn) < FRESH => {
                asked.sent = now;
                asked.nonce
            }
            _ => self.draw(now, random),
        };
        Datagram::Hello { nonce, namespace: self.namespace }.to_bytes()
    }

    /// A Hello with a new nonce whatever the age of the latest.
    pub(super) fn ask_anew(&mut self, now: Moment, random: &mut Random) -> Vec<u8> {
        let nonce = self.draw(now, random);
        Datagram::Hello { nonce, namespace: self.namespace }.to_bytes()
    }

    fn draw(&mut self, now: Moment, random: &mut Random) -> Nonce {
        let nonce = Nonce(random.bits().to_le_bytes());
        self.before = self.latest.replace(Asked { nonce, drawn: now, sent: now });
        nonce
    }

    /// Whether an answer with this nonce answers this question, in time.
    pub(super) fn is_answered_by(&self, nonce: Nonce, now: Moment) -> bool {
        [self.latest, self.before]
            .into_iter()
            .flatten()
            .any(|asked| asked.nonce == nonce && now.since(asked.sent) < FRESH)
    }

    /// Forgets what was asked: no answer counts any more.
    pub(super) fn forget(&mut self) {
        (self.latest, self.before) = (None, None);
    }
}
