//! Phones with no exo around, on one table: virtual time, every datagram arrives at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use exo_node::{
    Now, Random,
    discovery::{Found, Locator, Provider},
    master::founding::{Founding, Input, Output, PORT, Role, phone_namespace},
    now::Moment,
};
use exo_wire::{
    Namespace, NodeId, Zid,
    datagram::{DEFAULT_NAMESPACE, Datagram, Nonce},
};

struct Phone {
    founding: Founding,
    /// Of its last Hello.
    nonce: Option<Nonce>,
    at: SocketAddr,
    /// What the driver holds: a router, a link into the phone cluster, a member that knows of exo. Never both kinds.
    router: bool,
    followed: Option<SocketAddr>,
    exo: bool,
    closes: u32,
    knocks: u32,
    /// Whether shouts reach it: not where multicast is not allowed.
    hears: bool,
    /// Datagrams to places where nobody of the table is.
    asked_elsewhere: u32,
}

/// Some phones that hear each other.
struct Table {
    phones: BTreeMap<&'static str, Phone>,
    seconds: u64,
    /// Whether an exo that is knocked at takes the connection.
    exo_is_there: bool,
    /// Datagrams to exo's port or in exo's namespace. Must stay empty.
    said_to_exo: Vec<Vec<u8>>,
}

fn zid(smallest_byte: u8) -> Zid {
    Zid([smallest_byte; 16])
}

fn exo() -> Found {
    let locators = vec![Locator::new("192.0.2.1:52414".parse().unwrap())];
    Found { locators, zid: Some(zid(200)), api: None, by: Provider::Multicast }
}

/// A link that a person gave: nobody has answered there yet.
fn given() -> Found {
    Found { zid: None, by: Provider::Link, ..exo() }
}

impl Table {
    fn of(phones: &[(&'static str, u8)]) -> Self {
        let mut table =
            Self { phones: BTreeMap::new(), seconds: 0, exo_is_there: true, said_to_exo: Vec::new() };
        for &(name, order) in phones {
            table.sit(name, order);
        }
        table
    }

    fn now(&self) -> Now {
        let since = Duration::from_secs(self.seconds);
        Now { mono: Moment::after_start(since), wall: Duration::from_hours(500_000) + since }
    }

    /// A phone that is alone.
    fn sit(&mut self, name: &'static str, order: u8) {
        self.sit_down(name, order);
        self.tell(name, Input::Alone);
    }

    fn sit_down(&mut self, name: &'static str, order: u8) {
        let namespace = phone_namespace("", Namespace::named(DEFAULT_NAMESPACE)).unwrap();
        let id = NodeId::from_random(u128::from(order));
        let random = Random::seeded(u64::from(order));
        let founding = Founding::new(zid(order), id, namespace, random, self.now());
        let at = SocketAddr::from(([10, 0, 0, order], 52423));
        let phone = Phone {
            founding,
            nonce: None,
            at,
            router: false,
            followed: None,
            exo: false,
            closes: 0,
            knocks: 0,
            hears: true,
            asked_elsewhere: 0,
        };
        self.phones.insert(name, phone);
    }

    /// A phone whose member knows of the exo.
    fn sit_as_a_guest(&mut self, name: &'static str, order: u8) {
        self.sit_down(name, order);
        self.tell(name, Input::Exo(exo()));
        assert!(self.phones[name].exo);
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
                    let hears = |(other, phone): &(&&'static str, &Phone)| **other != name && phone.hears;
                    let others: Vec<_> = self.phones.iter().filter(hears).map(|(other, _)| *other).collect();
                    self.watch(name, &bytes);
                    for to in others {
                        self.datagram(to, from, &bytes);
                    }
                }
                Output::Send { to, bytes } => {
                    let to = self.phones.iter().find(|(_, phone)| phone.at == to).map(|(name, _)| *name);
                    match to {
                        Some(to) => self.datagram(to, from, &bytes),
                        None => self.phones.get_mut(name).unwrap().asked_elsewhere += 1,
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
                Output::Knock(_) => {
                    let (now, answered) = (self.now(), self.exo_is_there);
                    let phone = self.phones.get_mut(name).unwrap();
                    phone.knocks += 1;
                    phone.founding.handle(now, Input::Knocked { answered });
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

    fn watch(&mut self, name: &str, bytes: &[u8]) {
        let Some(Datagram::Hello { namespace, nonce }) = Datagram::parse(bytes) else { return };
        self.phones.get_mut(name).unwrap().nonce = Some(nonce);
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
        (phone.router, phone.followed, phone.exo) = (false, None, false);
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

    /// Somebody answers the last Hello of this phone: a host, if it names a port.
    fn answer(&mut self, name: &str, answers: Zid, port: u16) {
        let nonce = self.phones[name].nonce.unwrap();
        let bytes = Datagram::WhatsUp { nonce, zid: answers, port }.to_bytes();
        self.datagram(name, SocketAddr::from(([10, 0, 0, 99], PORT)), &bytes);
        self.settle();
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
        table.tell(name, Input::Unlinked);
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
    table.tell("bob", Input::Unlinked);
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
        if table.role("ada") == &Role::Looking {
            table.answer("ada", zid(1), 0);
        }
        table.run(1);
    }
    assert_eq!(table.role("ada"), &Role::Hosting);
}

#[test]
fn of_two_hosts_that_meet_the_greater_zid_closes_and_follows() {
    let mut table = Table::of(&[("ada", 4)]);
    table.run(5);
    table.answer("ada", zid(9), 7777);
    assert_eq!(table.role("ada"), &Role::Hosting, "ours is smaller");
    table.answer("ada", zid(2), 7777);
    assert_eq!(table.role("ada"), &Role::Closing);
    table.close("ada");
    assert_eq!(table.role("ada"), &Role::Following(zid(2)));
}

#[test]
fn a_host_that_cannot_be_joined_deposes_another_ever_more_seldom() {
    let mut table = Table::of(&[("ada", 4)]);
    table.run(5);
    for _ in 0..300 {
        if matches!(table.role("ada"), Role::Looking | Role::Hosting) {
            table.answer("ada", zid(2), 7777);
        }
        if matches!(table.role("ada"), Role::Following(_)) {
            table.tell("ada", Input::Unlinked);
        }
        if table.role("ada") == &Role::Closing {
            table.close("ada");
        }
        table.run(1);
    }
    let closes = table.phones["ada"].closes;
    assert!(closes <= 24, "{closes} closes in five minutes");
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
fn a_lost_exo_is_waited_for_and_then_forgotten_before_phones_are_looked_for() {
    let mut table = Table::of(&[("bob", 1)]);
    table.run(5);
    table.sit_as_a_guest("ada", 2);
    table.tell("ada", Input::Alone);
    table.run(9);
    assert_eq!((table.role("ada"), table.phones["ada"].closes), (&Role::Resting, 0), "it may be back soon");
    table.run(1);
    assert_eq!((table.role("ada"), table.phones["ada"].closes), (&Role::Closing, 1));
    table.run(3);
    assert!(table.phones["ada"].followed.is_none(), "not while anything of exo is open");
    table.close("ada");
    assert_eq!(table.role("ada"), &Role::Following(zid(1)));
}

#[test]
fn a_phone_that_lost_its_exo_hosts_only_after_a_close() {
    let mut table = Table::of(&[]);
    table.sit_as_a_guest("ada", 1);
    table.tell("ada", Input::Alone);
    table.run(10);
    table.close("ada");
    table.run(4);
    assert_eq!((table.role("ada"), table.phones["ada"].closes), (&Role::Hosting, 1));
}

#[test]
fn exo_phones_exo_with_a_close_at_each_change() {
    let mut table = Table::of(&[]);
    table.sit_as_a_guest("ada", 1);
    table.sit_as_a_guest("bob", 2);
    for name in ["ada", "bob"] {
        table.tell(name, Input::Unlinked);
        table.tell(name, Input::Alone);
    }
    table.run(10);
    for name in ["ada", "bob"] {
        table.close(name);
    }
    table.run(6);
    assert_eq!((table.role("ada"), table.role("bob")), (&Role::Hosting, &Role::Following(zid(1))));
    for name in ["ada", "bob"] {
        table.tell(name, Input::Exo(Found { zid: Some(zid(201)), ..exo() }));
        assert!(!table.phones[name].exo);
        table.close(name);
        assert_eq!((table.phones[name].exo, table.phones[name].closes), (true, 2));
    }
}

#[test]
fn an_exo_that_answers_again_ends_the_wait_for_it() {
    let mut table = Table::of(&[]);
    table.sit_as_a_guest("ada", 1);
    table.tell("ada", Input::Alone);
    table.run(9);
    table.tell("ada", Input::Exo(exo()));
    table.run(60);
    assert_eq!((table.role("ada"), table.phones["ada"].closes), (&Role::Resting, 0));
}

#[test]
fn who_has_what_it_needs_neither_looks_nor_gives_up() {
    let mut table = Table::of(&[("ada", 1)]);
    table.run(1);
    table.tell("ada", Input::Settled);
    table.run(60);
    assert_eq!(table.role("ada"), &Role::Resting);
    table.sit_as_a_guest("bob", 2);
    table.tell("bob", Input::Alone);
    table.tell("bob", Input::Settled);
    table.run(60);
    assert_eq!((table.role("bob"), table.phones["bob"].closes), (&Role::Resting, 0));
}

#[test]
fn phones_stay_together_while_the_exo_that_was_named_takes_no_connection() {
    let mut table = Table::of(&[("ada", 1), ("bob", 2)]);
    table.exo_is_there = false;
    for second in 0..300 {
        for name in ["ada", "bob"] {
            table.tell(name, Input::Exo(if second % 2 == 0 { given() } else { exo() }));
        }
        table.run(1);
    }
    assert_eq!((table.role("ada"), table.role("bob")), (&Role::Hosting, &Role::Following(zid(1))));
    let phone = &table.phones["bob"];
    assert!(phone.closes == 0 && (50..=61).contains(&phone.knocks), "{} knocks", phone.knocks);
    table.exo_is_there = true;
    table.run(5);
    table.tell("bob", Input::Exo(given()));
    assert_eq!(table.role("bob"), &Role::Closing, "it is there now");
}

#[test]
fn an_exo_that_takes_connections_and_cannot_be_joined_parts_phones_once_in_some_minutes() {
    let mut table = Table::of(&[("ada", 1)]);
    table.run(5);
    for _ in 0..100 {
        table.tell("ada", Input::Exo(exo()));
        table.tell("ada", Input::Unlinked);
        if table.role("ada") == &Role::Closing {
            table.close("ada");
        }
        table.run(1);
    }
    assert_eq!(table.role("ada"), &Role::Hosting);
    assert_eq!(table.phones["ada"].closes, 2, "one to join it, one to give it up");
    let restarted = Found { zid: Some(zid(201)), ..exo() };
    table.tell("ada", Input::Exo(restarted));
    assert_eq!(table.role("ada"), &Role::Closing, "another exo gets its chance");
}

#[test]
fn an_exo_that_answers_and_cannot_be_dialled_does_not_keep_phones_apart() {
    let mut table = Table::of(&[]);
    table.exo_is_there = false;
    table.sit_as_a_guest("ada", 1);
    for _ in 0..30 {
        table.tell("ada", Input::Unlinked);
        if table.role("ada") == &Role::Closing {
            table.close("ada");
        }
        table.tell("ada", Input::Exo(exo()));
        table.run(1);
    }
    assert_eq!((table.role("ada"), table.phones["ada"].closes), (&Role::Hosting, 1));
}

#[test]
fn an_exo_that_was_killed_is_waited_for_though_its_host_refuses_every_dial() {
    let mut table = Table::of(&[]);
    table.sit_as_a_guest("ada", 1);
    table.tell("ada", Input::Linked);
    for _ in 0..20 {
        table.tell("ada", Input::Unlinked);
    }
    assert_eq!((table.role("ada"), table.phones["ada"].closes), (&Role::Resting, 0));
}

#[test]
fn a_late_phone_follows_a_host_at_its_first_answer() {
    let mut table = Table::of(&[("ada", 5)]);
    table.run(5);
    table.sit("eve", 1);
    assert_eq!(
        table.role("eve"),
        &Role::Following(zid(5)),
        "no settle time where there is nothing to settle"
    );
}

#[test]
fn a_host_that_is_only_told_of_is_asked_and_followed() {
    let mut table = Table::of(&[("ada", 5)]);
    table.run(5);
    table.phones.get_mut("ada").unwrap().hears = false;
    table.sit("eve", 1);
    table.phones.get_mut("eve").unwrap().hears = false;
    table.run(1);
    assert_eq!(table.role("eve"), &Role::Looking);
    let at = table.phones["ada"].at;
    table.tell("eve", Input::Told { at });
    table.run(1);
    assert_eq!(table.role("eve"), &Role::Following(zid(5)));
}

#[test]
fn a_place_that_is_told_of_and_does_not_answer_is_asked_for_a_while() {
    let mut table = Table::of(&[("ada", 5)]);
    table.tell("ada", Input::Told { at: SocketAddr::from(([10, 0, 0, 250], PORT)) });
    table.run(300);
    assert_eq!(table.role("ada"), &Role::Hosting);
    assert_eq!(table.phones["ada"].asked_elsewhere, 12);
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
    let (now, nonce) = (table.now(), table.phones["ada"].nonce.unwrap());
    let founding = &mut table.phones.get_mut("ada").unwrap().founding;
    let mut answers = 0;
    for n in 0..10_000u64 {
        let from = SocketAddr::from(([10, 9, 9, 9], 1000));
        let hello = Datagram::Hello { nonce: Nonce(n.to_le_bytes()), namespace };
        founding.handle(now, Input::Datagram { from, bytes: &hello.to_bytes() });
        let zid = Zid((u128::from(n) << 64 | 1).to_le_bytes());
        let answer = Datagram::WhatsUp { nonce, zid, port: 0 };
        founding.handle(now, Input::Datagram { from, bytes: &answer.to_bytes() });
        let at = SocketAddr::from(([10, 9, 9, 9], n as u16));
        founding.handle(now, Input::Told { at });
        answers += std::iter::from_fn(|| founding.poll()).count();
    }
    assert!(answers <= 70, "{answers} answers in no time");
    assert!(format!("{founding:?}").len() < 64_000, "what is remembered of others is bounded");
}
