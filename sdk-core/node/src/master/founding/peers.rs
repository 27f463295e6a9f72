//! The other phones: who was seen, who disappointed us, and where we were told to ask.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    time::Duration,
};

use exo_wire::Zid;

use crate::{discovery::Locator, now::Moment};

/// How long one that was seen counts as there.
const FRESH: Duration = Duration::from_secs(4);
const MAX_PEERS: usize = 128;
/// Places that somebody told us of, and how often each is asked: as long as it takes to wake a radio.
const MAX_TOLD: usize = 16;
const ASKED: u32 = 12;

#[derive(Debug)]
struct Peer {
    seen: Moment,
    host: Option<Locator>,
}

/// The other phones, as far as we know of them.
#[derive(Debug, Default)]
pub(super) struct Peers {
    seen: BTreeMap<Zid, Peer>,
    /// Phones that are not counted on until then, and how often each disappointed us.
    shunned: BTreeMap<Zid, (Moment, u32)>,
    /// Where a Hello is taken, by somebody's word, and how often we asked there.
    told: VecDeque<(SocketAddr, u32)>,
}

impl Peers {
    /// One answered.
    pub(super) fn see(&mut self, now: Moment, zid: Zid, host: Option<Locator>) {
        self.seen.insert(zid, Peer { seen: now, host });
        if self.seen.len() > MAX_PEERS {
            self.seen.retain(|_, peer| now.since(peer.seen) <= FRESH);
        }
        if self.seen.len() > MAX_PEERS {
            // Hosts and small zids matter most.
            let least = self.seen.iter().max_by_key(|(zid, peer)| (peer.host.is_none(), **zid));
            if let Some(least) = least.map(|(zid, _)| *zid) {
                self.seen.remove(&least);
            }
        }
    }

    /// A host to follow: of several, the one with the smallest zid.
    pub(super) fn host(&self, now: Moment) -> Option<(Zid, Locator)> {
        self.trusted(now).find_map(|(zid, peer)| peer.host.map(|at| (zid, at)))
    }

    /// Who should open before one with this zid does.
    pub(super) fn before(&self, now: Moment, zid: Zid) -> Option<Zid> {
        self.trusted(now).map(|(seen, _)| seen).find(|seen| *seen < zid)
    }

    fn trusted(&self, now: Moment) -> impl Iterator<Item = (Zid, &Peer)> {
        let is_fresh = move |peer: &Peer| now.since(peer.seen) <= FRESH;
        let trusted = self.seen.iter().filter(move |(zid, peer)| is_fresh(peer) && self.trusts(now, **zid));
        trusted.map(|(zid, peer)| (*zid, peer))
    }

    /// Whether we count on this one.
    pub(super) fn trusts(&self, now: Moment, zid: Zid) -> bool {
        self.shunned.get(&zid).is_none_or(|(until, _)| *until <= now)
    }

    /// It is not there, or does not do what it should. Each disappointment doubles the time in which we do not count
    /// on a phone: 1 s to 64 s.
    pub(super) fn shun(&mut self, now: Moment, zid: Zid) {
        if self.shunned.len() >= MAX_PEERS {
            self.shunned.retain(|_, (until, _)| *until > now);
        }
        if self.shunned.len() < MAX_PEERS || self.shunned.contains_key(&zid) {
            let (until, times) = self.shunned.entry(zid).or_insert((now, 0));
            *until = now + Duration::from_secs(1 << (*times).min(6));
            *times += 1;
        }
    }

    /// It is gone.
    pub(super) fn forget(&mut self, zid: Zid) {
        self.seen.remove(&zid);
    }

    /// A host may be there. New words take the place of the oldest.
    pub(super) fn told(&mut self, at: SocketAddr) {
        self.told.retain(|(known, _)| *known != at);
        self.told.truncate(MAX_TOLD - 1);
        self.told.push_front((at, 0));
    }

    /// Where to ask now, beside the shout to everybody.
    pub(super) fn ask(&mut self) -> Vec<SocketAddr> {
        self.told.iter_mut().for_each(|(_, times)| *times += 1);
        self.told.retain(|(_, times)| *times <= ASKED);
        self.told.iter().map(|(at, _)| *at).collect()
    }
}
