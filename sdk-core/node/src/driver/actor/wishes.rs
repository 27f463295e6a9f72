//! Doing what the machines ask.

use std::{collections::BTreeSet, net::SocketAddr};

use exo_telemetry::{aggregator::ClusterState, reading::NetworkReadings};
use exo_wire::datagram::API_PORT;

use super::Actor;
use crate::{
    Now,
    discovery::{self, Advertisement},
    driver::{
        entropy, http,
        link::{self, Link},
        links::Links,
        phones::{Phones, Wish},
    },
    member::{self, Member, MemberState},
    vitals,
    worker::{self, Worker},
};

/// No machine asks for more at a time. A loop between two of them would be a fault; it shall not hang the task.
const MOST_WISHES: usize = 10_000;

impl Actor {
    /// Does everything that the machines want, until neither wants anything.
    pub(super) fn do_as_asked(&mut self) {
        self.notice_listeners();
        self.notice_work();
        for _ in 0..MOST_WISHES {
            if let Some(output) = self.member.poll() {
                self.for_member(output);
            } else if let Some(output) = self.discovery.poll() {
                self.for_discovery(output);
            } else if let Some(output) = self.vitals.poll() {
                self.for_vitals(output);
            } else if let Some(wish) = self.phones.as_mut().and_then(Phones::poll) {
                self.for_phones(wish);
            } else {
                break;
            }
        }
        self.notice_attachment();
        let now = self.clock.now();
        self.told.refresh(now.mono, &self.member, self.stats);
        if let Some((condition, cluster)) = self.told.refresh_vitals(now, &mut self.vitals) {
            self.follow_links(now, &condition.readings.network, &cluster);
        }
        if let Some(links) = self.links.as_ref().filter(|_| self.measuring.is_none())
            && let Some((order, place)) = links.poll(now.mono)
        {
            self.measuring = Some(Links::measure(order, place));
        }
        if self.asking.is_none()
            && let Some(address) = self.links.as_mut().and_then(|links| links.ask(now.mono))
        {
            let asking = async move { (address, http::get_line(address, "/node_id").await) };
            self.asking = Some(tokio::spawn(asking));
        }
    }

    /// Measures the links to who is there, and tells what came of it. Only neighbours are probed: a stranger's word must
    /// not make us send anything across the internet.
    fn follow_links(&mut self, now: Now, network: &NetworkReadings, cluster: &ClusterState) {
        let Some(links) = &mut self.links else { return };
        if self.vitals.is_listened() {
            links.open();
        } else {
            links.close();
        }
        let (reach, is_local) = (self.discovery.reach(), links.is_local());
        let reachable = |address: SocketAddr| match address.ip() {
            ip if ip.is_loopback() => is_local.then_some(address),
            ip => reach.neighbour(ip, address.port(), None),
        };
        // Phones among themselves have no exo, and who only listens asks nobody.
        let exo = self.attached.map(|locator| {
            let is_here = is_local || locator.address().ip().is_loopback();
            let near = |address: &SocketAddr| match address.ip() {
                ip if ip.is_loopback() => is_here,
                ip => !is_local && reach.neighbour(ip, address.port(), None).is_some(),
            };
            let api = self.member.api();
            // exo's nodes look for each other at their own port, so it is the same for all.
            let port = api.map_or(API_PORT, |api| api.port());
            let nodes: Vec<_> = self.member.exo_nodes().collect();
            let told = nodes.iter().flat_map(|(_, all)| all.iter().map(|ip| SocketAddr::from((*ip, port))));
            let places: Vec<SocketAddr> = api.into_iter().chain(told).filter(near).collect();
            (nodes.iter().map(|(id, _)| id.to_string()).collect(), places)
        });
        let (present, places): (BTreeSet<String>, Vec<_>) = exo.unwrap_or_default();
        links.meet(present, places.into_iter(), self.network.interfaces());
        links.follow(now, cluster, network, reachable);
        self.told.tell_links(links.known(now));
        if let Some((probe_at, reports)) = links.tell(now, self.network.interfaces()) {
            self.vitals.handle(now, vitals::Input::Linked(probe_at, reports));
            while let Some(output) = self.vitals.poll() {
                self.for_vitals(output);
            }
        }
    }

    /// We speak to other members while the cluster knows us, and not where we only listen.
    fn notice_listeners(&mut self) {
        let joined = matches!(self.member.state(), MemberState::Joined { .. });
        let heard = joined && self.link.as_ref().is_some_and(Link::is_listened);
        if heard != self.vitals.is_listened() {
            self.vitals.handle(self.clock.now(), vitals::Input::Listened(heard));
        }
    }

    /// Who is joined to an exo remembers where it is, and tells others: some of them may not multicast. Who hosts phones
    /// tells them for the same reason.
    fn notice_attachment(&mut self) {
        let joined = matches!(self.member.state(), MemberState::Joined { .. });
        let among_phones = self.phones.as_ref().is_some_and(Phones::are_together);
        let link = self.link.as_ref().filter(|_| joined && !among_phones);
        let attached = link.map(|link| link.locator);
        let hosting = self.phones.as_ref().and_then(Phones::hosts_at);
        if attached == self.attached && hosting == self.hosting {
            return;
        }
        (self.attached, self.hosting) = (attached, hosting);
        // Whom to measure links with follows from it.
        self.told.vitals_changed();
        if let (Some(locator), Some(past)) = (attached, &mut self.past_hosts) {
            past.joined(locator.address().ip());
        }
        if let Some(namespace) = self.advertise {
            let host = self.phones.as_ref().and_then(|phones| phones.advertisement(self.tag));
            let guest =
                attached.and_then(|locator| Advertisement::of_member(self.tag, namespace, &[locator]));
            self.network.advertise(host.or(guest));
        }
    }

    fn for_member(&mut self, output: member::Output) {
        match output {
            member::Output::Dial(locators) => {
                self.hang_up();
                let dialling = link::open_first(locators, link::GUEST, self.own.clone(), self.losses.clone());
                self.dialling = Some(tokio::spawn(dialling));
            }
            member::Output::HangUp => self.hang_up(),
            member::Output::FetchState(address) => {
                self.fetching = Some(tokio::spawn(http::get(address, "/state")));
            }
            member::Output::Measure => self.vitals.handle(self.clock.now(), vitals::Input::Asked),
            member::Output::Publish(sealed) => {
                if !self.link.as_ref().is_some_and(|link| link.publish(sealed)) {
                    self.stats.unsent += 1;
                }
            }
            member::Output::Search(searching) => self.search(searching),
            member::Output::Engine(wish) => {
                if let Some(engine) = &self.engine {
                    engine.ask(wish);
                }
            }
            member::Output::Offer(offer) => self.vitals.handle(self.clock.now(), vitals::Input::Offer(offer)),
            member::Output::Changed => self.told.member_changed(),
        }
    }

    fn for_vitals(&mut self, output: vitals::Output) {
        match output {
            vitals::Output::Look(groups) => {
                let look = self.looks.clone().look(self.clock.now(), groups);
                self.looking = Some(tokio::spawn(look));
            }
            vitals::Output::Tell(message) => {
                if let Some(link) = &self.link {
                    link.tell(message);
                }
            }
            vitals::Output::Announce(mut readings) => {
                readings.interfaces = Some(self.network.interfaces().to_vec());
                self.member.handle(self.clock.now(), member::Input::Readings(*readings));
            }
            vitals::Output::Allow(allowed) => {
                self.member.handle(self.clock.now(), member::Input::Allowed(allowed));
            }
            vitals::Output::Changed => self.told.vitals_changed(),
        }
    }

    /// What the engine takes of the device: while it computes, its heat is looked after.
    fn notice_work(&mut self) {
        let works = self.member.worker().map(Worker::work).unwrap_or_default();
        if works != self.works {
            self.works = works;
            let work = vitals::Work { busy: f64::from(u8::from(works.0)), memory: works.1 };
            self.vitals.handle(self.clock.now(), vitals::Input::Work(work));
        }
    }

    fn for_discovery(&mut self, output: discovery::Output) {
        match output {
            discovery::Output::Send { provider, to, bytes } => self.network.send(provider, to, bytes),
            discovery::Output::Browse(browsing) => self.network.browse(browsing),
            discovery::Output::Resolve(host) => self.network.resolve(host),
            discovery::Output::Found(found) => {
                let now = self.clock.now();
                match &mut self.phones {
                    Some(phones) => phones.exo(now, found),
                    None => self.member.handle(now, member::Input::Found(found)),
                }
            }
            discovery::Output::Changed => self.told.tell_discovery(self.discovery.statuses()),
        }
    }

    fn for_phones(&mut self, wish: Wish) {
        let now = self.clock.now();
        match wish {
            Wish::Join(found) => self.member.handle(now, member::Input::Found(found)),
            // With its goodbye the node ends, and every link with it: no other cluster is joined.
            Wish::Part if matches!(self.member.state(), MemberState::Draining | MemberState::Left) => {}
            Wish::Part => {
                // Nothing of one cluster may reach another: not a session, not an address, not an event.
                self.stats.member += self.member.stats();
                let worker = self.member.dismiss();
                self.member = Member::new(self.config.clone(), entropy::random(), now);
                if let Some(mut worker) = worker {
                    worker.handle(now.mono, worker::Input::Session);
                    self.member.employ(worker);
                }
                let shown = member::Request::ScreenShown(self.is_shown);
                self.member.handle(now, member::Input::Request(shown));
                self.told.member_changed();
                self.fetching = None;
                let (link, dialling) = (self.link.take(), self.dialling.take());
                if let Some(phones) = &mut self.phones {
                    phones.close(link, dialling);
                }
            }
        }
    }

    /// A phone among phones goes on searching for an exo, though its member has what it wants.
    fn search(&mut self, searching: bool) {
        let now = self.clock.now();
        if let Some(phones) = &mut self.phones {
            phones.searches(now, searching);
            if phones.are_together() && !searching {
                return;
            }
        }
        let input = if searching { discovery::Input::Search } else { discovery::Input::Rest };
        self.discovery.handle(now, input);
    }

    /// Lets go of the link, and of one that is being dialled. What the link still has to say is sent; only the end of the
    /// node waits for that.
    pub(super) fn hang_up(&mut self) {
        if let Some(link) = self.link.take() {
            self.closing = Some(link.close());
        }
        // A task that is let go of runs on and drops what it opened, which closes it.
        self.dialling = None;
    }
}
