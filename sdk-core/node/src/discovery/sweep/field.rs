//! One subnet being swept, and what is left of its budget.

use std::{net::Ipv4Addr, time::Duration};

use super::super::subnet::Subnet;
use crate::{interface::Interface, now::Moment};

/// Rounds one after the other, before it becomes one a minute.
const QUICK_ROUNDS: u32 = 2;
const MINUTE: Duration = Duration::from_mins(1);
/// A subnet that went and came back is perhaps another network with the same numbers, and gets quick rounds again,
/// but not more often than this.
const NEW_BUDGET_AFTER: Duration = Duration::from_secs(30);

/// Where the sweep of one subnet stands.
#[derive(Debug)]
pub(super) struct Field {
    interface: u32,
    name: String,
    subnet: Subnet,
    present: bool,
    position: u32,
    rounds: u32,
    due: Moment,
    budget_given: Moment,
}

impl Field {
    pub(super) fn new(now: Moment, interface: &Interface, subnet: Subnet) -> Self {
        Self {
            interface: interface.index,
            name: interface.name.clone(),
            subnet,
            present: true,
            position: 0,
            rounds: 0,
            due: now,
            budget_given: now,
        }
    }

    pub(super) fn is_of(&self, interface: u32, subnet: Subnet) -> bool {
        self.interface == interface && self.subnet.is_same(subnet)
    }

    pub(super) fn subnet(&self) -> Subnet {
        self.subnet
    }

    pub(super) fn is_present(&self) -> bool {
        self.present
    }

    /// The interface has it, with this address of ours.
    pub(super) fn present(&mut self, now: Moment, subnet: Subnet) {
        if !self.present && now.since(self.budget_given) >= NEW_BUDGET_AFTER {
            (self.position, self.rounds) = (0, 0);
            (self.due, self.budget_given) = (now, now);
        }
        self.present = true;
        self.subnet = subnet;
    }

    /// The interface, or its address there, is gone.
    pub(super) fn gone(&mut self) {
        self.present = false;
    }

    /// When its next host may be asked.
    pub(super) fn due(&self) -> Moment {
        self.due
    }

    /// The next host of the round, if one is due.
    pub(super) fn next_host(&mut self, now: Moment) -> Option<Ipv4Addr> {
        if !self.is_present() || now < self.due {
            return None;
        }
        let host = self.subnet.host(self.position);
        self.position += 1;
        if self.position >= self.subnet.hosts() {
            self.position = 0;
            self.rounds = self.rounds.saturating_add(1);
            self.due = if self.rounds < QUICK_ROUNDS { now } else { now + MINUTE };
        }
        host
    }

    pub(super) fn note(&self) -> String {
        let Self { subnet, name, position, rounds, .. } = self;
        let hosts = subnet.hosts();
        match rounds {
            0 => format!("{position} of {hosts} hosts of {subnet} on {name} asked, nobody answered"),
            1 => format!("{hosts} hosts of {subnet} on {name} asked, nobody answered; asking again"),
            _ => format!(
                "{hosts} hosts of {subnet} on {name} asked {rounds} times, nobody answered; again each minute"
            ),
        }
    }
}
