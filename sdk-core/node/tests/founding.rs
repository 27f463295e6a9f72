//! Phones with no exo around, on one table: virtual time, every datagram arrives at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use exo_node::{
    Now, Random,
    discovery::{Found, Locator, Provider},
    master::founding::{Founding, Input, Output, Role, phone_namespace},
    now::Moment,
};
use exo_wire::{
    Namespace, NodeId, Zid,
    datagram::{DEFAULT_NAMESPACE, Datagram, Nonce},
};

struct Phone {
    founding: Founding,
    at: SocketAddr,
    /// What the driver holds: a router, a link into the phone cluster, a link to exo. Never both kinds.
    router: bool,
    followed: Option<SocketAddr>,
    exo: bool,
    closes: u32,
}

/// Some phones that hear each other.
struct Table {
    phones: BTreeMap<&'static str, Phone>,
    seconds: u64,
    /// Datagrams to exo's port or in exo's namespace. Must stay empty.
    said_to_exo: Vec<Vec<u8>>,
}

fn zid(smallest_byte: u8) -> Zid {
    Zid([smallest_byte; 16])
}

fn exo() -> Found {
    let locators = vec![Locator::new("192.0.2.1:52414".parse().unwrap())];
    Found { locators, zid: None, api: None, by: Provider::Multicast }
}

impl Table {
    fn of(phones: &[(&'static str, u8)]) -> Self {
        let mut table = Self { phones: BTreeMap::new(), seconds: 0, said_to_exo: Vec::new() };
        for &(name, order) in phones {
            table.sit(name, order);
        }
        table
    }

    fn now(&self) -> Now {
        let since = Duration::from_secs(self.seconds);
        Now { mono: Moment::after_start(since), wall: Duration::from_hours(500_000) + since }
    }

    fn sit(&mut self, name: &'static str, order: u8) {
        let namespace = phone_namespace("", Namespace::named(DEFAULT_NAMESPACE)).unwrap();
        let id = NodeId::from_random(u128::from(order));
        let random = Random::seeded(u64::from(order));
        let founding = Founding::new(zid(order), id, namespace, random, self.now());
        let at = SocketAddr::from(([10, 0, 0, order], 52423));
        let phone = Phone { founding, at, router: false, followed: None, exo: false, closes: 0 };
        self.phones.insert(name, phone);
        self.tell(name, Input::Alone);
    }

    fn tell(&mut self, name: &str, input: Input<'_>) {
        let now = self.now();
        self.phones.get_mut(name).unwrap().founding.handle(now, input);
        self.settle();
    }

    /// Does what the machines ask for until all are silent.
    fn settle(&mut self) {
        while let Some((name, output)) =
            self.phones.iter_mut().find_map(|(name, phone)| Some((*name, phone.founding.poll()?)))
        {
            let from = self.phones[name].at;
            match output {
                Output::Shout(bytes) => {
                    let others: Vec<_> = self.phones.keys().copied().filter(|other| *other != name).collect();
                    self.watch(&bytes);
                    for to in others {
                        self.datagram(to, from, &bytes);
                    }
                }
                Output::Send { to, bytes } => {
                    let to = self.phones.iter().find(|(_, phone)| phone.at == to).map(|(name, _)| *name);
                    if let Some(to) = to {
                        self.datagram(to, from, &bytes);
                    }
                }
                Output::Open { session, .. } => {
                    assert!(
                        session.election_clock >= 1_800_000_000,
                        "a reign is told apart from the last one"
                    );
                    self.open(name);
                }
                Output::Follow(found) => {
                    assert!(!self.phones[name].exo, "{name} opened a phone cluster beside exo");
                    self.phones.get_mut(name).unwrap().followed = Some(found.locators[0].address());
                }
                Output::Close => self.phones.get_mut(name).unwrap().closes += 1,
                Output::Join(_) => {
                    let phone = self.phones.get_mut(name).unwrap();
                    assert!(
                        !phone.router && phone.followed.is_none(),
                        "{name} joined exo with phones attached"
                    );
                    phone.exo = true;
                }
                Output::Changed => {}
            }
        }
    }

    fn open(&mut self, name: &str) {
        let now = self.now();
        let phone = self.phones.get_mut(name).unwrap();
        assert!(!phone.exo, "{name} opened a router beside exo");
        phone.router = true;
        phone.founding.handle(now, Input::Opened { port: 7777 });
    }

    fn watch(&mut self, bytes: &[u8]) {
        let Some(Datagram::Hello { namespace, .. }) = Datagram::parse(bytes) else { return };
        if namespace == Namespace::named(DEFAULT_NAMESPACE) {
            self.said_to_exo.push(bytes.to_vec());
        }
    }

    fn datagram(&mut self, to: &str, from: SocketAddr, bytes: &[u8]) {
        let now = self.now();
        self.phones.get_mut(to).unwrap().founding.handle(now, Input::Datagram { from, bytes });
    }

    /// The driver closes what it holds and says so.
    fn close(&mut self, name: &str) {
        let now = self.now();
        let phone = self.phones.get_mut(name).unwrap();
        (phone.router, phone.followed) = (false, None);
        phone.founding.handle(now, Input::Closed);
        self.settle();
    }

    fn run(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.seconds += 1;
            let now = self.now();
            for phone in self.phones.values_mut() {
                if phone.founding.deadline().is_some_and(|deadline| deadline <= now.mono) {
                    phone.founding.handle(now, Input::Tick);
                }
            }
            self.settle();
        }
    }

    fn role(&self, name: &str) -> &Role {
        self.phones[name].founding.role()
    }
}

#[test]
fn the_smallest_zid_opens_and_the_others_follow() {
    let mut table = Table::of(&[("ada", 3), ("bob", 1), ("eve", 2)]);
    table.run(5);
    assert_eq!(table.role("bob"), &Role::Hosting);
    assert_eq!(table.role("ada"), &Role::Following(zid(1)));
    assert_eq!(table.role("eve"), &Role::Following(zid(1)));
    assert_eq!(table.phones["ada"].followed, Some(SocketAddr::from(([10, 0, 0, 1], 7777))));
    assert_eq!(
        table.phones["bob"].followed,
        Some(SocketAddr::from(([127, 0, 0, 1], 7777))),
        "its own router"
    );
}

#[test]
fn a_late_phone_follows_the_host_even_if_its_own_zid_is_smaller() {
    let mut table = Table::of(&[("ada", 5), ("bob", 6)]);
    table.run(5);
    table.sit("eve", 1);
    table.run(5);
    assert_eq!(table.role("eve"), &Role::Following(zid(5)));
    assert_eq!(table.role("ada"), &Role::Hosting);
}

#[test]
fn when_the_host_vanishes_the_rest_found_anew() {
    let mut table = Table::of(&[("ada", 1), ("bob", 2), ("eve", 3)]);
    table.run(5);
    table.phones.remove("ada");
    for name in ["bob", "eve"] {
        table.tell(name, Input::HostLost);
        table.close(name);
    }
    table.run(6);
    assert_eq!(table.role("bob"), &Role::Hosting);
    assert_eq!(table.role("eve"), &Role::Following(zid(2)));
}

#[test]
fn an_exo_that_appears_after_the_host_vanished_is_joined_only_after_a_close() {
    let mut table = Table::of(&[("ada", 1), ("bob", 2)]);
    table.run(5);
    table.phones.remove("ada");
    table.tell("bob", Input::HostLost);
    table.tell("bob", Input::Exo(exo()));
    assert_eq!(table.phones["bob"].closes, 1, "the session of the phones ends with their cluster");
    assert!(!table.phones["bob"].exo);
    table.close("bob");
    assert!(table.phones["bob"].exo);
}

#[test]
fn a_smaller_phone_that_never_opens_is_not_waited_for_for_ever() {
    let mut table = Table::of(&[("ada", 2)]);
    for _ in 0..40 {
        table.tell("ada", Input::Seen { zid: zid(1), host: None });
        table.run(1);
    }
    assert_eq!(table.role("ada"), &Role::Hosting);
}

#[test]
fn of_two_hosts_that_meet_the_greater_zid_closes_and_follows() {
    let mut table = Table::of(&[("ada", 4)]);
    table.run(5);
    let other = Locator::new("10.0.0.9:7777".parse().unwrap());
    table.tell("ada", Input::Seen { zid: zid(9), host: Some(other) });
    assert_eq!(table.role("ada"), &Role::Hosting, "ours is smaller");
    table.tell("ada", Input::Seen { zid: zid(2), host: Some(other) });
    assert_eq!(table.role("ada"), &Role::Closing);
    table.close("ada");
    table.tell("ada", Input::Seen { zid: zid(2), host: Some(other) });
    table.run(4);
    assert_eq!(table.role("ada"), &Role::Following(zid(2)));
}

#[test]
fn the_phone_cluster_is_closed_before_exo_is_joined() {
    let mut table = Table::of(&[("ada", 1), ("bob", 2)]);
    table.run(5);
    for name in ["ada", "bob"] {
        table.tell(name, Input::Exo(exo()));
        assert_eq!((table.role(name), table.phones[name].exo), (&Role::Closing, false));
        table.run(30);
        assert!(!table.phones[name].exo, "not before everything is reported closed, however long it takes");
        assert!(table.phones[name].closes > 1, "and it is asked for again");
        table.close(name);
        assert_eq!((table.role(name), table.phones[name].exo), (&Role::Resting, true));
    }
    table.run(60);
    assert_eq!(table.role("ada"), &Role::Resting, "a guest of exo founds nothing");
}

#[test]
fn a_router_that_opens_too_late_does_not_make_a_host() {
    let mut table = Table::of(&[("ada", 1)]);
    table.run(5);
    table.tell("ada", Input::Exo(exo()));
    table.tell("ada", Input::Opened { port: 1 });
    assert_eq!(table.role("ada"), &Role::Closing);
    table.close("ada");
    table.tell("ada", Input::Opened { port: 1 });
    assert_eq!(table.role("ada"), &Role::Resting);
}

#[test]
fn after_exo_is_lost_phones_wait_longer_before_they_found() {
    let mut table = Table::of(&[("ada", 1)]);
    table.tell("ada", Input::Exo(exo()));
    table.phones.get_mut("ada").unwrap().exo = false;
    table.tell("ada", Input::Alone);
    table.run(8);
    assert_eq!(table.role("ada"), &Role::Looking);
    table.run(4);
    assert_eq!(table.role("ada"), &Role::Hosting);
}

#[test]
fn a_hello_of_exos_namespace_is_never_answered_and_none_is_sent() {
    let mut table = Table::of(&[("ada", 1)]);
    table.run(6);
    let now = table.now();
    let from = SocketAddr::from(([10, 0, 0, 77], 52413));
    let founding = &mut table.phones.get_mut("ada").unwrap().founding;
    for name in [DEFAULT_NAMESPACE, "", "exo-mobile phones", "my cluster"] {
        let hello = Datagram::Hello { nonce: Nonce([7; 8]), namespace: Namespace::named(name) };
        founding.handle(now, Input::Datagram { from, bytes: &hello.to_bytes() });
        assert_eq!(founding.poll(), None, "answered a Hello of {name:?}");
    }
    assert!(table.said_to_exo.is_empty());
}

#[test]
fn a_phone_namespace_is_never_exos() {
    let exo = Namespace::named(DEFAULT_NAMESPACE);
    let phones = phone_namespace("", exo).unwrap();
    assert_ne!(phones, exo);
    assert_ne!(phone_namespace("chat", exo), Some(phones), "apps can be apart");
    assert_eq!(phone_namespace("", phones), None, "refused if somebody managed to make them meet");
}

#[test]
fn a_flood_of_hellos_and_answers_costs_neither_memory_nor_many_answers() {
    let mut table = Table::of(&[("ada", 200)]);
    let namespace = phone_namespace("", Namespace::named(DEFAULT_NAMESPACE)).unwrap();
    let now = table.now();
    let founding = &mut table.phones.get_mut("ada").unwrap().founding;
    let mut answers = 0;
    for n in 0..10_000u64 {
        let from = SocketAddr::from(([10, 9, 9, 9], 1000));
        let hello = Datagram::Hello { nonce: Nonce(n.to_le_bytes()), namespace };
        founding.handle(now, Input::Datagram { from, bytes: &hello.to_bytes() });
        founding.handle(now, Input::Seen { zid: Zid((u128::from(n) << 64 | 1).to_le_bytes()), host: None });
        answers += std::iter::from_fn(|| founding.poll()).count();
    }
    assert!(answers <= 70, "{answers} answers in no time");
    assert!(format!("{founding:?}").len() < 64_000, "what is remembered of others is bounded");
}
