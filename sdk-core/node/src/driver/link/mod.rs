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

pub(super) use config::Role;
pub(super) use inbox::{Heard, Inbox, Losses};
pub(super) use open::{GUEST, open, open_first};

use std::sync::mpsc::{SyncSender, TrySendError};

use exo_wire::{Sealed, Zid};
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
    outgoing: SyncSender<Sealed>,
    inbox: Inbox,
    acquaintances: Option<mpsc::Receiver<Acquaintance>>,
    lost: oneshot::Receiver<String>,
    closed: oneshot::Receiver<()>,
}

/// What a link tells.
#[derive(Debug)]
pub(super) enum LinkEvent {
    /// A payload on one of the topics.
    Heard(Heard),
    /// The router told of a router, maybe of itself.
    Acquainted(Acquaintance),
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
        }
    }

    /// A payload that is here already.
    pub(super) fn waiting(&mut self) -> Option<Heard> {
        self.inbox.waiting()
    }

    /// Hands a payload to the link's thread. False if too many wait already: the network does not take them.
    pub(super) fn publish(&self, payload: Sealed) -> bool {
        match self.outgoing.try_send(payload) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }

    /// Sends what waits, closes the session, and tells when that is done. Dropping a link does the same, unheard.
    pub(super) fn close(self) -> oneshot::Receiver<()> {
        self.closed
    }
}
