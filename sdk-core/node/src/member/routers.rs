//! The exo routers that we know of: whom to dial first when a link is needed.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use exo_wire::datagram::API_PORT;

use crate::{
    discovery::{Found, Locator},
    now::Moment,
};

/// How many routers are remembered.
const KNOWN: usize = 16;
/// How many are dialled at once.
const DIALLED: usize = 6;
/// A router that died is tried last for that long.
const GRUDGE: Duration = Duration::from_mins(1);

#[derive(Debug)]
struct Router {
    locator: Locator,
    api: Option<SocketAddr>,
    /// When it was last linked.
    linked: Option<Moment>,
    /// When it was lost, or did not answer.
    failed: Option<Moment>,
    /// Found on a network that we have left: on this one the address may be another cluster's, and zenoh does not ask
    /// for a namespace. It is dialled again once discovery has verified it here.
    stale: bool,
}

/// A short list of routers, best first when asked.
#[derive(Debug, Default)]
pub(super) struct Routers {
    known: Vec<Router>,
}

impl Routers {
    /// Whether there is nobody to dial.
    pub(super) fn is_empty(&self) -> bool {
        self.known.iter().all(|router| router.stale)
    }

    /// Takes in what discovery found. Found anew, a router is forgiven. Full, the list forgets its worst.
    pub(super) fn found(&mut self, now: Moment, found: &Found) {
        for locator in found.locators.iter().take(DIALLED).rev() {
            let known = self.known.iter().find(|known| known.locator == *locator);
            let (linked, api) = known.map_or((None, None), |known| (known.linked, known.api));
            // Of a router with an IPv4 address the state is asked there and nowhere else, whatever others claim.
            let api = match locator.address().ip() {
                ip @ IpAddr::V4(_) => found.api.filter(|api| api.ip() == ip),
                IpAddr::V6(_) => found.api.or(api),
            };
            self.known.retain(|known| known.locator != *locator);
            self.known.insert(0, Router { locator: *locator, api, linked, failed: None, stale: false });
        }
        self.sort(now);
        self.known.truncate(KNOWN);
    }

    /// Takes in what another router told: as a last resort, since nobody verified it.
    pub(super) fn acquainted(&mut self, now: Moment, locators: &[Locator], api: Option<SocketAddr>) {
        for locator in locators.iter().take(DIALLED) {
            if self.get(*locator).is_none() && self.known.len() < KNOWN {
                self.known.push(Router { locator: *locator, api, linked: None, failed: None, stale: false });
            }
        }
        self.sort(now);
    }

    /// Where that router's state may be asked, unless we know already.
    pub(super) fn learn_api(&mut self, locator: Locator, api: Option<SocketAddr>) {
        if let Some(router) = self.get(locator) {
            router.api = router.api.or(api);
        }
    }

    pub(super) fn linked(&mut self, now: Moment, locator: Locator) {
        if let Some(router) = self.get(locator) {
            router.linked = Some(now);
            router.failed = None;
            router.stale = false;
        } else {
            self.known.push(Router { locator, api: None, linked: Some(now), failed: None, stale: false });
            self.sort(now);
            self.known.truncate(KNOWN);
        }
    }

    pub(super) fn failed(&mut self, now: Moment, locator: Locator) {
        if let Some(router) = self.get(locator) {
            router.failed = Some(now);
        }
    }

    /// We are on another network.
    pub(super) fn moved(&mut self) {
        for router in &mut self.known {
            router.stale = true;
        }
    }

    /// Whom to dial, best first: those that did not just fail, then those that once served us.
    pub(super) fn best(&mut self, now: Moment) -> Vec<Locator> {
        self.sort(now);
        self.known.iter().filter(|router| !router.stale).take(DIALLED).map(|router| router.locator).collect()
    }

    /// Where that router's state may be asked. exo's HTTP interface speaks IPv4 only and has a usual port.
    pub(super) fn api(&self, locator: Locator) -> Option<SocketAddr> {
        let known = self.known.iter().find(|router| router.locator == locator).and_then(|router| router.api);
        known.or_else(|| match locator.address().ip() {
            ip @ IpAddr::V4(_) => Some(SocketAddr::new(ip, API_PORT)),
            IpAddr::V6(_) => None,
        })
    }

    fn get(&mut self, locator: Locator) -> Option<&mut Router> {
        self.known.iter_mut().find(|router| router.locator == locator)
    }

    /// Stable, so that what discovery called best stays first among equals.
    fn sort(&mut self, now: Moment) {
        self.known.sort_by_key(|router| {
            let failed = router.failed.filter(|failed| now.since(*failed) < GRUDGE);
            (failed, std::cmp::Reverse(router.linked))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Provider;

    fn at(seconds: u64) -> Moment {
        Moment::after_start(Duration::from_secs(seconds))
    }

    fn locator(host: u8) -> Locator {
        Locator::new(SocketAddr::from(([10, 0, 0, host], 52414)))
    }

    fn found(hosts: &[u8]) -> Found {
        let locators = hosts.iter().copied().map(locator).collect();
        Found { locators, zid: None, api: None, by: Provider::Multicast }
    }

    #[test]
    fn a_router_that_died_is_tried_last_for_a_minute() {
        let mut routers = Routers::default();
        routers.found(at(0), &found(&[1, 2]));
        assert_eq!(routers.best(at(0)), [locator(1), locator(2)]);
        routers.linked(at(1), locator(1));
        routers.failed(at(2), locator(1));
        assert_eq!(routers.best(at(3)), [locator(2), locator(1)]);
        assert_eq!(routers.best(at(63)), [locator(1), locator(2)], "it served us once");
    }

    #[test]
    fn a_router_found_anew_is_forgiven() {
        let mut routers = Routers::default();
        routers.found(at(0), &found(&[1, 2]));
        routers.failed(at(1), locator(1));
        routers.found(at(2), &found(&[1]));
        assert_eq!(routers.best(at(2))[0], locator(1));
    }

    #[test]
    fn a_flood_of_finds_does_not_displace_the_router_that_served_us() {
        let mut routers = Routers::default();
        routers.found(at(0), &found(&[1]));
        routers.linked(at(0), locator(1));
        for host in 2..=255 {
            routers.found(at(1), &found(&[host]));
        }
        assert!(routers.known.len() <= KNOWN);
        assert_eq!(routers.best(at(1))[0], locator(1));
    }

    #[test]
    fn the_state_is_asked_where_discovery_said_or_at_the_usual_port() {
        let mut routers = Routers::default();
        let mut find = found(&[1]);
        find.api = Some(SocketAddr::from(([10, 0, 0, 1], 80)));
        routers.found(at(0), &find);
        assert_eq!(routers.api(locator(1)), find.api);
        assert_eq!(routers.api(locator(2)), Some(SocketAddr::from(([10, 0, 0, 2], API_PORT))));
        let mut routers = Routers::default();
        routers.found(at(0), &Found { api: Some(SocketAddr::from(([10, 0, 0, 9], 80))), ..found(&[1]) });
        assert_eq!(
            routers.api(locator(1)),
            Some(SocketAddr::from(([10, 0, 0, 1], API_PORT))),
            "not a stranger's"
        );
        let v6 = Locator::new(SocketAddr::from(([0xfe80, 0, 0, 0, 0, 0, 0, 1], 52414)));
        assert_eq!(routers.api(v6), None);
    }
}
