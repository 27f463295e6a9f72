//! What every provider is to the machine.

use std::{
    collections::VecDeque,
    net::{IpAddr, SocketAddr},
};

use exo_wire::datagram::Nonce;

use super::{Obstacle, Output, Provider, ProviderStatus, Service};
use crate::{interface::Interface, now::Moment, random::Random};

/// A driver that never polls must not cost memory: beyond this, datagrams are not sent at all.
const MOST_OUTPUTS: usize = 256;

/// What the machine wants done, in order.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: VecDeque<Output>,
    changed: bool,
}

impl Outbox {
    pub(super) fn send(&mut self, provider: Provider, to: SocketAddr, bytes: Vec<u8>) {
        self.push(Output::Send { provider, to, bytes });
    }

    pub(super) fn push(&mut self, output: Output) {
        if self.queue.len() < MOST_OUTPUTS {
            self.queue.push_back(output);
        }
    }

    /// Some status changed. Told once, after everything else.
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    pub(super) fn pop(&mut self) -> Option<Output> {
        self.queue.pop_front().or_else(|| std::mem::take(&mut self.changed).then_some(Output::Changed))
    }
}

/// What a provider may use while it acts.
pub(super) struct Turn<'a> {
    pub(super) now: Moment,
    pub(super) random: &'a mut Random,
    pub(super) out: &'a mut Outbox,
}

/// A send or a right that the system refused.
pub(super) struct Refused<'a> {
    pub(super) interface: Option<u32>,
    pub(super) obstacle: Obstacle,
    pub(super) why: &'a str,
}

/// One way of searching. The machine calls `tick` while it searches, whenever the deadline has come.
pub(super) trait Seeker: std::fmt::Debug + Send {
    /// Which.
    fn provider(&self) -> Provider;

    /// The search begins, or goes on because what was found did not do.
    fn search(&mut self, turn: &mut Turn<'_>);

    /// The search is over: everything asked is forgotten.
    fn rest(&mut self, turn: &mut Turn<'_>);

    /// Does what is due now. Sends nothing that is not.
    fn tick(&mut self, turn: &mut Turn<'_>);

    /// When something is due.
    fn deadline(&self) -> Option<Moment>;

    /// Whether this nonce is a fresh one of ours.
    fn asked(&self, nonce: Nonce, now: Moment) -> bool;

    /// The interfaces that may be searched.
    fn interfaces(&mut self, _now: Moment, _allowed: &[Interface], _all: &[Interface]) {}

    /// Somebody, not always we, found a cluster at this host.
    fn found(&mut self, _now: Moment, _at: IpAddr, _by: Provider) {}

    /// The system refused something that we wanted.
    fn refused(&mut self, _now: Moment, _refused: &Refused<'_>) {}

    /// DNS-SD saw a service.
    fn service(&mut self, _turn: &mut Turn<'_>, _service: &Service) {}

    /// A name was resolved, or not.
    fn resolved(&mut self, _now: Moment, _host: &str, _addresses: &Result<&[IpAddr], String>) {}

    /// What it did and what came of it, while searching.
    fn status(&self) -> ProviderStatus;
}
