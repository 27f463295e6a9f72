//! How often a finding is told: bounded, whatever a hostile host answers.
//!
//! Whoever hears our Hello knows its nonce and can answer it a thousand times with a thousand ids. The same answer
//! counts once in a while, one host counts once a second, and all hosts together a few times a second; the rest
//! costs one look at a short list.

use std::{collections::VecDeque, net::IpAddr, time::Duration};

use exo_wire::Zid;

use super::Locator;
use crate::now::Moment;

/// The same node at the same place is told this often at most.
const SAME: Duration = Duration::from_secs(2);
/// One host is told this often at most, whatever ids and ports it claims. Two exo nodes on one host take turns.
const SAME_HOST: Duration = Duration::from_secs(1);
/// All together, in one second.
const MOST_A_SECOND: usize = 4;
const REMEMBERED: usize = 16;
/// How many places of one node are told together, and for how long each counts.
const MOST_PLACES: usize = 4;
const LASTING: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, Copy)]
struct Finding {
    zid: Zid,
    locator: Locator,
    at: Moment,
}

/// What was told lately, newest last.
#[derive(Debug, Default)]
pub(super) struct Findings(VecDeque<Finding>);

impl Findings {
    /// Everywhere that this node is known to listen, this place first, if it is time to tell; `None` if not.
    pub(super) fn tell(&mut self, now: Moment, zid: Zid, locator: Locator) -> Option<Vec<Locator>> {
        let host = |finding: &Finding| -> IpAddr { finding.locator.address().ip() };
        let within = |finding: &Finding, limit: Duration| now.since(finding.at) < limit;
        let told_already = self.0.iter().any(|told| {
            let same = told.zid == zid && told.locator == locator;
            same && within(told, SAME) || host(told) == locator.address().ip() && within(told, SAME_HOST)
        });
        let lately = self.0.iter().filter(|told| within(told, Duration::from_secs(1))).count();
        if told_already || lately >= MOST_A_SECOND {
            return None;
        }
        self.0.retain(|told| !(told.zid == zid && told.locator == locator));
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(Finding { zid, locator, at: now });
        let of_this_node = self.0.iter().rev().filter(|told| told.zid == zid && within(told, LASTING));
        Some(of_this_node.map(|told| told.locator).take(MOST_PLACES).collect())
    }
}
