//! Asking this very device.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use exo_wire::{Namespace, datagram::Nonce};

use super::{
    Activity, Provider, ProviderStatus,
    obstacles::Obstacles,
    question::Question,
    seeker::{Refused, Seeker, Turn},
};
use crate::now::Moment;

const PERIOD: Duration = Duration::from_secs(1);
const HOSTS: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// A Hello each second to `127.0.0.1` and `::1`, and nothing else.
#[derive(Debug)]
pub(super) struct Loopback {
    port: u16,
    question: Question,
    due: Option<Moment>,
    hellos: u64,
    found: Option<IpAddr>,
    obstacles: Obstacles,
}

impl Loopback {
    pub(super) fn new(namespace: Namespace, port: u16) -> Self {
        let question = Question::about(namespace);
        Self { port, question, due: None, hellos: 0, found: None, obstacles: Obstacles::default() }
    }
}

impl Seeker for Loopback {
    fn provider(&self) -> Provider {
        Provider::Loopback
    }

    fn search(&mut self, turn: &mut Turn<'_>) {
        self.found = None;
        self.due.get_or_insert(turn.now);
    }

    fn rest(&mut self, _turn: &mut Turn<'_>) {
        self.question.forget();
        self.due = None;
    }

    fn tick(&mut self, turn: &mut Turn<'_>) {
        self.due = Some(turn.now + PERIOD);
        self.hellos = self.hellos.saturating_add(1);
        self.obstacles.trying();
        let hello = self.question.ask_anew(turn.now, turn.random);
        for host in HOSTS {
            turn.out.send(Provider::Loopback, SocketAddr::new(host, self.port), hello.clone());
        }
    }

    fn deadline(&self) -> Option<Moment> {
        self.due
    }

    fn asked(&self, nonce: Nonce, now: Moment) -> bool {
        self.question.is_answered_by(nonce, now)
    }

    fn found(&mut self, _now: Moment, at: IpAddr, by: Provider) {
        if by == Provider::Loopback {
            self.found = Some(at);
        }
    }

    fn refused(&mut self, _now: Moment, refused: &Refused<'_>) {
        self.obstacles.refused(refused);
    }

    fn status(&self) -> ProviderStatus {
        let sent = if self.hellos == 1 { "1 Hello".to_owned() } else { format!("{} Hellos", self.hellos) };
        let (activity, note) = match (self.found, self.obstacles.latest()) {
            (Some(at), _) => (Activity::Found, format!("an exo answered at {at}")),
            // One of the two families may well be missing, so this does not block.
            (None, Some((_, why))) => {
                (Activity::Searching, format!("{sent} to this device, nobody answered ({why})"))
            }
            (None, None) => (Activity::Searching, format!("{sent} to this device, nobody answered")),
        };
        ProviderStatus { provider: Provider::Loopback, activity, note }
    }
}
