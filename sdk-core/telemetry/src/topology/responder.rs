//! Answers the probes of others.

use std::{net::SocketAddr, time::Duration};

use super::{
    Arrivals, Budget,
    cookie::CookieJar,
    wire::{MOST_PACKETS, Message, Nonce, PACKET, Refused, Train, on_the_network},
};
use crate::{Now, now::Moment};

/// As many answers a second, over all askers; more askers than that get none.
const ANSWERS_PER_SECOND: f64 = 200.0;
/// A train that was let in has so long to arrive and to be asked about.
const TRAIN_TIME: Duration = Duration::from_secs(3);

/// What to send for a datagram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// This, to where it came from.
    Message(Message),
    /// A train, to where it came from: [`Message::Packet`] numbered from 0.
    Train(Nonce, Train),
}

/// Answers the probes of others. It keeps nothing for an asker except the one train that is under way.
#[derive(Debug, Clone)]
pub struct Responder {
    cookies: CookieJar,
    refusing: Option<Refused>,
    answers: f64,
    answered_at: Moment,
    incoming: Option<Incoming>,
    /// Until when a train that we send keeps others out.
    sending_until: Moment,
}

#[derive(Debug, Clone)]
struct Incoming {
    from: SocketAddr,
    nonce: Nonce,
    train: Train,
    until: Moment,
    arrivals: Arrivals,
}

impl Incoming {
    fn is(&self, from: SocketAddr, nonce: Nonce, train: u32) -> bool {
        self.from == from && self.nonce == nonce && self.train.id == train
    }
}

impl Responder {
    /// The key must come from the system's random source: cookies are only as good as it.
    pub fn new(key: [u8; 16], now: Moment) -> Self {
        Self {
            cookies: CookieJar::new(key),
            refusing: None,
            answers: ANSWERS_PER_SECOND,
            answered_at: now,
            incoming: None,
            sending_until: now,
        }
    }

    /// From now on trains are refused for this reason, or not.
    pub const fn refuse_trains(&mut self, why: Option<Refused>) {
        self.refusing = why;
    }

    /// A train that was answered with is on its way as a whole: others may have their turn.
    pub const fn train_sent(&mut self, now: Moment) {
        self.sending_until = now;
    }

    /// A datagram came. What is no request, or has no good cookie, gets no answer. Trains in either direction are paid
    /// for from the node's own budget.
    pub fn handle(
        &mut self,
        now: Now,
        from: SocketAddr,
        bytes: &[u8],
        budget: &mut Budget,
    ) -> Option<Answer> {
        let message = Message::decode(bytes).ok()?;
        if let Message::Packet(nonce, train, number) = message {
            self.arrived(now.mono, from, nonce, train, number);
            return None;
        }
        let (nonce, cookie) = match message {
            Message::Hello(nonce) => {
                return self.paced(now.mono).then(|| {
                    Answer::Message(Message::Welcome(nonce, self.cookies.bake(now.mono, &from, nonce)))
                });
            }
            Message::Echo(nonce, cookie, _)
            | Message::Offer(nonce, cookie, _)
            | Message::Pull(nonce, cookie, ..)
            | Message::Finish(nonce, cookie, _) => (nonce, cookie),
            _ => return None,
        };
        if !self.cookies.is_good(now.mono, &from, nonce, cookie) || !self.paced(now.mono) {
            return None;
        }
        match message {
            Message::Echo(_, _, sequence) => Some(Answer::Message(Message::Reply(nonce, sequence))),
            Message::Offer(_, _, train) => {
                Some(Answer::Message(self.offered(now.mono, from, nonce, train, budget)))
            }
            Message::Pull(_, _, train) => Some(self.pulled(now.mono, from, nonce, train, budget)),
            Message::Finish(_, _, train) => self.finished(now.mono, from, nonce, train).map(Answer::Message),
            _ => None,
        }
    }

    fn offered(
        &mut self,
        now: Moment,
        from: SocketAddr,
        nonce: Nonce,
        train: Train,
        budget: &mut Budget,
    ) -> Message {
        // The answer to an earlier copy of this offer was lost.
        if self.incoming.as_ref().is_some_and(|other| other.is(from, nonce, train.id)) {
            return Message::Accept(nonce, train.id);
        }
        if let Err(why) = self.admit(now, from, train, budget) {
            return Message::Refuse(nonce, train.id, why);
        }
        let until = now + TRAIN_TIME;
        self.incoming = Some(Incoming { from, nonce, train, until, arrivals: Arrivals::default() });
        Message::Accept(nonce, train.id)
    }

    fn pulled(
        &mut self,
        now: Moment,
        from: SocketAddr,
        nonce: Nonce,
        train: Train,
        budget: &mut Budget,
    ) -> Answer {
        if let Err(why) = self.admit(now, from, train, budget) {
            return Answer::Message(Message::Refuse(nonce, train.id, why));
        }
        self.sending_until = now + TRAIN_TIME;
        Answer::Train(nonce, train)
    }

    fn admit(&self, now: Moment, from: SocketAddr, train: Train, budget: &mut Budget) -> Result<(), Refused> {
        if let Some(why) = self.refusing {
            return Err(why);
        }
        if train.packets > MOST_PACKETS {
            return Err(Refused::TooLarge);
        }
        let arriving = self.incoming.as_ref().is_some_and(|other| now < other.until && other.from != from);
        if arriving || now < self.sending_until {
            return Err(Refused::Busy);
        }
        let cost = train.packets as usize * on_the_network(PACKET, &from);
        if budget.take_for_another(now, cost as f64) { Ok(()) } else { Err(Refused::Budget) }
    }

    fn arrived(&mut self, now: Moment, from: SocketAddr, nonce: Nonce, train: u32, number: u32) {
        let Some(incoming) = &mut self.incoming else { return };
        let expected =
            incoming.is(from, nonce, train) && now < incoming.until && number < incoming.train.packets;
        // No more are counted than were offered, so the memory for a train is bounded.
        if expected && incoming.arrivals.packets() < incoming.train.packets as usize {
            incoming.arrivals.record(now.since_start(), on_the_network(PACKET, &from));
        }
    }

    fn finished(&mut self, now: Moment, from: SocketAddr, nonce: Nonce, train: u32) -> Option<Message> {
        let incoming = self.incoming.as_mut().filter(|incoming| incoming.is(from, nonce, train))?;
        // The next may come; what arrived is kept for an asker who does not hear this answer.
        incoming.until = incoming.until.min(now);
        Some(Message::Report(nonce, train, incoming.arrivals.throughput()))
    }

    /// Whether one more answer may go out now.
    fn paced(&mut self, now: Moment) -> bool {
        let earned = ANSWERS_PER_SECOND * now.since(self.answered_at).as_secs_f64();
        self.answers = (self.answers + earned).min(ANSWERS_PER_SECOND);
        self.answered_at = now;
        let may = self.answers >= 1.0;
        if may {
            self.answers -= 1.0;
        }
        may
    }
}
