//! exo's own way: a Hello each second to its multicast group, on every interface that can carry it.
//!
//! Answers come unicast, so receiving needs no multicast right; sending does on some systems. An interface without
//! any IPv6 address carries no exo: exo itself does not join the group there.

use std::{
    net::{IpAddr, SocketAddr, SocketAddrV6},
    time::Duration,
};

use exo_wire::{
    Namespace,
    datagram::{GROUP, Nonce},
};

use super::{
    Activity, Obstacle, Provider, ProviderStatus,
    obstacles::Obstacles,
    question::Question,
    reach::is_lan,
    seeker::{Refused, Seeker, Turn},
};
use crate::{interface::Interface, now::Moment};

const PERIOD: Duration = Duration::from_secs(1);
/// A new interface is greeted at once, but an interface that flaps does not make us send faster than this.
const SOONEST: Duration = Duration::from_millis(250);
/// How often a right that is missing is tried again: a person may be giving it just now.
const UNPERMITTED_PERIOD: Duration = Duration::from_secs(5);
/// No phone has more, and no list of interfaces may cost more.
const MOST_INTERFACES: usize = 16;

/// An interface that Hellos go out on.
#[derive(Debug)]
struct Post {
    index: u32,
    name: String,
    hellos: u64,
    obstacles: Obstacles,
    due: Option<Moment>,
}

/// The multicast Hello.
#[derive(Debug)]
pub(super) struct Multicast {
    port: u16,
    question: Question,
    posts: Vec<Post>,
    /// Interfaces that cannot carry it, and why.
    unfit: Vec<String>,
    last: Option<Moment>,
    due: Option<Moment>,
    found: Option<IpAddr>,
    obstacles: Obstacles,
}

impl Multicast {
    pub(super) fn new(namespace: Namespace, port: u16) -> Self {
        Self {
            port,
            question: Question::about(namespace),
            posts: Vec::new(),
            unfit: Vec::new(),
            last: None,
            due: None,
            found: None,
            obstacles: Obstacles::default(),
        }
    }

    /// The next round is now, or as soon as the last one allows.
    fn hurry(&mut self, now: Moment) {
        let soonest = self.last.map_or(now, |last| now.max(last + SOONEST));
        self.due = Some(self.due.map_or(soonest, |due| due.min(soonest)));
    }
}

impl Seeker for Multicast {
    fn provider(&self) -> Provider {
        Provider::Multicast
    }

    fn search(&mut self, turn: &mut Turn<'_>) {
        self.found = None;
        if self.due.is_none() {
            self.hurry(turn.now);
        }
    }

    fn rest(&mut self, _turn: &mut Turn<'_>) {
        self.question.forget();
        self.due = None;
    }

    fn interfaces(&mut self, now: Moment, allowed: &[Interface], _all: &[Interface]) {
        let mut before = std::mem::take(&mut self.posts);
        self.unfit.clear();
        let mut new = false;
        for interface in allowed.iter().take(MOST_INTERFACES) {
            if let Err(why) = carries_hellos(interface) {
                self.unfit.push(why);
                continue;
            }
            let same = |post: &Post| post.index == interface.index && post.name == interface.name;
            if let Some(at) = before.iter().position(same) {
                self.posts.push(before.swap_remove(at));
            } else {
                new = true;
                self.posts.push(Post::on(interface));
            }
        }
        if new && self.due.is_some() {
            self.hurry(now);
        }
    }

    fn tick(&mut self, turn: &mut Turn<'_>) {
        self.due = Some(turn.now + PERIOD);
        self.last = Some(turn.now);
        self.obstacles.trying();
        let hello = self.question.ask_anew(turn.now, turn.random);
        for post in &mut self.posts {
            if post.due.is_some_and(|due| turn.now < due) {
                continue;
            }
            post.due = None;
            post.hellos = post.hellos.saturating_add(1);
            post.obstacles.trying();
            let group = SocketAddr::V6(SocketAddrV6::new(GROUP, self.port, 0, post.index));
            turn.out.send(Provider::Multicast, group, hello.clone());
        }
    }

    fn deadline(&self) -> Option<Moment> {
        self.due.filter(|_| !self.posts.is_empty())
    }

    fn asked(&self, nonce: Nonce, now: Moment) -> bool {
        self.question.is_answered_by(nonce, now)
    }

    fn found(&mut self, _now: Moment, at: IpAddr, by: Provider) {
        if by == Provider::Multicast {
            self.found = Some(at);
        }
    }

    fn refused(&mut self, now: Moment, refused: &Refused<'_>) {
        let on = |post: &&mut Post| Some(post.index) == refused.interface;
        let Some(post) = self.posts.iter_mut().find(on) else {
            self.obstacles.refused(refused);
            return;
        };
        // It did not go out.
        post.hellos = post.hellos.saturating_sub(1);
        post.obstacles.refused(refused);
        if refused.obstacle == Obstacle::NotPermitted {
            post.due = Some(now + UNPERMITTED_PERIOD);
        }
    }

    fn status(&self) -> ProviderStatus {
        let status = |activity, note| ProviderStatus { provider: Provider::Multicast, activity, note };
        if let Some(at) = self.found {
            return status(Activity::Found, format!("an exo answered from {at}"));
        }
        let mut notes: Vec<String> = self.posts.iter().map(Post::note).collect();
        if let Some((_, why)) = self.obstacles.latest() {
            notes.push(why.to_owned());
        }
        notes.extend(self.unfit.iter().cloned());
        if notes.is_empty() {
            return status(Activity::Blocked, "no network to search on".to_owned());
        }
        let free = self.posts.iter().any(|post| post.obstacles.latest().is_none());
        status(if free { Activity::Searching } else { Activity::Blocked }, notes.join("; "))
    }
}

impl Post {
    fn on(interface: &Interface) -> Self {
        Self {
            index: interface.index,
            name: interface.name.clone(),
            hellos: 0,
            obstacles: Obstacles::default(),
            due: None,
        }
    }

    fn note(&self) -> String {
        let Self { name, hellos, .. } = self;
        match self.obstacles.latest() {
            Some((Obstacle::NotPermitted, _)) => format!("no multicast permission on {name}"),
            Some((Obstacle::Unreachable, why)) => {
                format!(
                    "multicast does not get out on {name} ({why}; on iOS this means no permission), trying on"
                )
            }
            Some((Obstacle::Other, why)) => format!("multicast failed on {name} ({why}), trying on"),
            None if *hellos == 1 => format!("1 Hello on {name}, nobody answered"),
            None => format!("{hellos} Hellos on {name}, nobody answered"),
        }
    }
}

/// Whether exo's group can be reached there; if not, why.
pub(super) fn carries_hellos(interface: &Interface) -> Result<(), String> {
    let name = &interface.name;
    if !is_lan(interface.kind) {
        return Err(format!("{name} is a point-to-point link"));
    }
    if !interface.multicast {
        return Err(format!("no multicast on {name}"));
    }
    let usable = |ip: IpAddr| ip.is_ipv6() && !ip.is_loopback() && !ip.is_unspecified();
    if !interface.addresses.iter().any(|address| usable(address.ip)) {
        return Err(format!("no IPv6 on {name}"));
    }
    Ok(())
}
