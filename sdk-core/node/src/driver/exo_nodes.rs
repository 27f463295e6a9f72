//! Where exo's nodes are, as far as they say so themselves.
//!
//! exo tells which addresses a node has, not which of them leads to it from here: `172.17.0.1` is half the world's, and
//! our own too. So before a time is put down to a node, whoever is at the address is asked who it is (`GET /node_id`),
//! as exo's nodes ask each other every ten seconds. One at a time, and rarely.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    time::Duration,
};

use exo_telemetry::now::Moment;

use crate::json;

/// Who answered is asked again after this long: an address may change hands.
const CONFIRMED: Duration = Duration::from_mins(10);
/// Who did not, after this long, and twice as long each time.
const FIRST_WAIT: Duration = Duration::from_secs(30);
const LONGEST_WAIT: Duration = Duration::from_mins(10);
/// Addresses that are asked; a home has a handful.
const MOST: usize = 64;
/// The longest id that is believed.
const LONGEST_ID: usize = 128;

/// What is known of one address.
#[derive(Debug)]
struct Door {
    who: Option<String>,
    next: Moment,
    wait: Duration,
}

/// The addresses at which nodes of exo may be, and who is there.
#[derive(Debug, Default)]
pub(super) struct ExoNodes {
    present: BTreeSet<String>,
    doors: BTreeMap<SocketAddr, Door>,
}

impl ExoNodes {
    /// These nodes are present, and these are the addresses at which one of them may be. What is known of others is
    /// forgotten.
    pub(super) fn follow(&mut self, present: BTreeSet<String>, at: impl Iterator<Item = SocketAddr>) {
        let at: BTreeSet<SocketAddr> = at.take(MOST).collect();
        self.doors.retain(|address, _| at.contains(address));
        for address in at {
            let unknown = || Door { who: None, next: Moment::default(), wait: FIRST_WAIT };
            self.doors.entry(address).or_insert_with(unknown);
        }
        self.present = present;
    }

    /// Whom to ask now, if anybody.
    pub(super) fn poll(&mut self, now: Moment) -> Option<SocketAddr> {
        let (address, door) = self.doors.iter_mut().find(|(_, door)| door.next <= now)?;
        // Until the answer: it comes sooner.
        door.next = now + FIRST_WAIT;
        Some(*address)
    }

    /// What somebody answered; says whether that is news.
    pub(super) fn answered(&mut self, now: Moment, at: SocketAddr, answer: Result<Vec<u8>, String>) -> bool {
        let Some(door) = self.doors.get_mut(&at) else { return false };
        let who = answer.ok().and_then(|body| json::read::<String>(&body).ok());
        let who = who.filter(|id| id.len() <= LONGEST_ID);
        if who.is_some() {
            (door.next, door.wait) = (now + CONFIRMED, FIRST_WAIT);
        } else {
            door.next = now + door.wait;
            door.wait = (door.wait * 2).min(LONGEST_WAIT);
        }
        std::mem::replace(&mut door.who, who.clone()) != who
    }

    /// Nobody is there any more, as it seems: who it was is asked again before it is believed.
    pub(super) fn doubt(&mut self, now: Moment, at: SocketAddr) {
        if let Some(door) = self.doors.get_mut(&at) {
            door.next = now;
        }
    }

    /// The nodes that are present and said where they are.
    pub(super) fn places(&self) -> BTreeMap<&str, SocketAddr> {
        let known = self.doors.iter().filter_map(|(address, door)| Some((door.who.as_deref()?, *address)));
        // Of several addresses the first one is kept, so that the link is the same each time.
        known.rev().filter(|(who, _)| self.present.contains(*who)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: u8) -> SocketAddr {
        SocketAddr::from(([192, 168, 1, host], 52415))
    }

    fn after(seconds: u64) -> Moment {
        Moment::after_start(Duration::from_secs(seconds))
    }

    fn says(id: &str) -> Vec<u8> {
        format!("\"{id}\"").into_bytes()
    }

    fn nodes(present: &[&str], hosts: &[u8]) -> ExoNodes {
        let mut nodes = ExoNodes::default();
        nodes.follow(present.iter().map(|id| (*id).to_owned()).collect(), hosts.iter().copied().map(at));
        nodes
    }

    #[test]
    fn a_node_is_where_it_says_so_itself_and_nowhere_else() {
        let mut nodes = nodes(&["mac", "studio"], &[1, 2, 3]);
        assert!(nodes.places().is_empty(), "nobody was asked");
        for answer in [Ok(says("mac")), Ok(says("a stranger")), Err("refused".to_owned())] {
            let asked = nodes.poll(after(1)).unwrap();
            nodes.answered(after(1), asked, answer);
        }
        assert_eq!(nodes.places(), BTreeMap::from([("mac", at(1))]));
        assert_eq!(nodes.poll(after(1)), None);
    }

    #[test]
    fn who_is_silent_is_asked_ever_more_rarely() {
        let mut nodes = nodes(&["mac"], &[1]);
        let mut asked = Vec::new();
        for second in 0..3600 {
            if let Some(address) = nodes.poll(after(second)) {
                asked.push(second);
                nodes.answered(after(second), address, Err("no route".to_owned()));
            }
        }
        assert_eq!(asked[..5], [0, 30, 90, 210, 450]);
        assert!(asked.windows(2).all(|pair| pair[1] - pair[0] <= 600), "{asked:?}");
    }

    #[test]
    fn what_is_doubted_must_answer_again_and_who_left_has_no_place() {
        let mut nodes = nodes(&["mac"], &[1, 2]);
        for _ in 0..2 {
            let asked = nodes.poll(after(0)).unwrap();
            nodes.answered(after(0), asked, Ok(says("mac")));
        }
        assert_eq!(nodes.places()["mac"], at(1));
        nodes.doubt(after(5), at(1));
        assert_eq!(nodes.poll(after(5)), Some(at(1)));
        assert!(nodes.answered(after(5), at(1), Err("refused".to_owned())));
        assert_eq!(nodes.places()["mac"], at(2));
        nodes.follow(BTreeSet::new(), [at(2)].into_iter());
        assert!(nodes.places().is_empty());
    }

    #[test]
    fn what_is_no_id_is_nobody() {
        let mut nodes = nodes(&["mac"], &[1]);
        for answer in [b"mac".to_vec(), b"{}".to_vec(), Vec::new(), says(&"a".repeat(200))] {
            assert!(!nodes.answered(after(0), at(1), Ok(answer)));
        }
        assert!(!nodes.answered(after(0), at(9), Ok(says("mac"))), "nobody asked there");
    }
}
