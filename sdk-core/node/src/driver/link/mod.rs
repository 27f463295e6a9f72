//! One zenoh session and its thread.
//!
//! A [`Link`] is open from the moment it exists and is never repaired: when the transport is lost it says so once, and
//! the member decides whom to dial next. zenoh's own reconnection is not waited for, because one state machine, which
//! the simulation exercises, shall decide.
//!
//! Publishing can block for seconds when the other side does not read, so it happens on a thread of the link's own;
//! that thread also closes the session, which may block too. What comes in waits in a bounded queue, and what does
//! not fit is counted: a member that lost a global event asks for it again.

mod acquaintances;
mod config;
mod inbox;
mod open;
mod telemetry;

pub(super) use config::Role;
pub(super) use inbox::{Heard, Inbox, Losses};
pub(super) use open::{GUEST, open, open_first};
pub(super) use telemetry::Told;

use std::sync::mpsc::{SyncSender, TrySendError};

use exo_wire::{Sealed, Zid};
use telemetry::Ear;
use tokio::sync::{mpsc, oneshot};

use crate::{discovery::Locator, member::Acquaintance};

/// Payloads that may wait for the network. A member sends a handful at a time, and all of them again if need be.
const WAITING_PAYLOADS: usize = 256;

/// An open zenoh session.
#[derive(Debug)]
pub(super) struct Link {
    /// Where the router is that answered; our own address for a router.
    pub(super) locator: Locator,
    /// The router's id.
    pub(super) zid: Option<Zid>,
    outgoing: SyncSender<Outgoing>,
    inbox: Inbox,
    acquaintances: Option<mpsc::Receiver<Acquaintance>>,
    /// Only where we are a member.
    ear: Option<Ear>,
    lost: oneshot::Receiver<String>,
    closed: oneshot::Receiver<()>,
}

/// What waits for the link's thread.
#[derive(Debug)]
enum Outgoing {
    /// For one of exo's topics.
    Sealed(Sealed),
    /// For our own key.
    Telemetry(Vec<u8>),
}

/// What a link tells.
#[derive(Debug)]
pub(super) enum LinkEvent {
    /// A payload on one of the topics.
    Heard(Heard),
    /// The router told of a router, maybe of itself.
    Acquainted(Acquaintance),
    /// Another member of this SDK told how it is.
    Told(Told),
    /// [`Link::is_listened`] changed.
    Listened,
    /// Another member of this SDK asked how we are.
    Inquired,
    /// The transport is gone. Nothing follows.
    Lost(String),
}

impl Link {
    /// The next payload, or the loss of the link. Safe to drop while it waits.
    pub(super) async fn next(&mut self) -> LinkEvent {
        tokio::select! {
            biased;
            Some(heard) = self.inbox.next() => LinkEvent::Heard(heard),
            Some(told) = async { self.acquaintances.as_mut()?.recv().await } => LinkEvent::Acquainted(told),
            lost = &mut self.lost => {
                LinkEvent::Lost(lost.unwrap_or_else(|_| "the session was closed".to_owned()))
            }
            Some(event) = heard(self.ear.as_mut()) => event,
        }
    }

    /// A payload that is here already.
    pub(super) fn waiting(&mut self) -> Option<Heard> {
        self.inbox.waiting()
    }

    /// Hands a payload to the link's thread. False if too many wait already: the network does not take them.
    pub(super) fn publish(&self, payload: Sealed) -> bool {
        match self.outgoing.try_send(Outgoing::Sealed(payload)) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }

    /// Tells other members of this SDK. What cannot be told now is not told: something newer follows.
    pub(super) fn tell(&self, message: Vec<u8>) {
        let _ = self.outgoing.try_send(Outgoing::Telemetry(message));
    }

    /// Whether any other member of this SDK hears us.
    pub(super) fn is_listened(&self) -> bool {
        self.ear.as_ref().is_some_and(|ear| *ear.listened.borrow())
    }

    /// Sends what waits, closes the session, and tells when that is done. Dropping a link does the same, unheard.
    pub(super) fn close(self) -> oneshot::Receiver<()> {
        self.closed
    }
}

/// What members of this SDK say; `None` where none can. Safe to drop while it waits.
async fn heard(ear: Option<&mut Ear>) -> Option<LinkEvent> {
    let ear = ear?;
    tokio::select! {
        biased;
        Ok(()) = ear.listened.changed() => Some(LinkEvent::Listened),
        Ok(()) = ear.inquired.changed() => Some(LinkEvent::Inquired),
        Some(told) = ear.told.recv() => Some(LinkEvent::Told(told)),
        else => None,
    }
}
