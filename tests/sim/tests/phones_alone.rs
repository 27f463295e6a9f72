//! Phones found a cluster of their own, an exo appears, and nothing of the one ever reaches the other.
//!
//! The machines are the real ones: founding, master and member in each phone. The driver is played here; it holds at
//! most one router and one link a phone, as the real one does, and writes down everything that is said on any bus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{net::SocketAddr, time::Duration};

use exo_node::{
    Now, Random,
    discovery::{Found, Locator, Provider},
    master::{
        Input as Order, Limits, Master,
        founding::{Founding, Input as Meet, Output as Met, PORT, Role, phone_namespace},
    },
    member::{Input, Member, MemberConfig, MemberState, Output, Readings},
    now::Moment,
};
use exo_sim::exo::Exo;
use exo_wire::{
    Namespace, NodeId, Topic, Zid,
    datagram::{DEFAULT_NAMESPACE, Datagram},
    heard,
};

const TICK: Duration = Duration::from_millis(20);

/// A bus is named by the address of its router.
type Bus = SocketAddr;

struct Phone {
    founding: Founding,
    member: Option<Member>,
    /// The router and master, while hosting.
    host: Option<(Bus, Master)>,
    link: Option<Bus>,
    meets_at: SocketAddr,
    id: NodeId,
    router: Bus,
}

struct Word {
    bus: Bus,
    from: &'static str,
    topic: Topic,
    payload: Vec<u8>,
}

struct Room {
    phones: Vec<(&'static str, Phone)>,
    exo: Option<Exo>,
    elapsed: Duration,
    random: Random,
    words: Vec<Word>,
}

fn exo_bus() -> Bus {
    SocketAddr::from(([10, 0, 0, 200], 52414))
}

impl Room {
    fn with(names: &[&'static str]) -> Self {
        let mut room = Self {
            phones: vec![],
            exo: None,
            elapsed: Duration::ZERO,
            random: Random::seeded(5),
            words: vec![],
        };
        for (n, name) in names.iter().enumerate() {
            let host = 1 + n as u8;
            let namespace = phone_namespace("", Namespace::named(DEFAULT_NAMESPACE)).unwrap();
            let id = NodeId::from_random(room.random.wide());
            let random = Random::seeded(room.random.bits());
            let mut founding = Founding::new(Zid([host; 16]), id.clone(), namespace, random, room.now());
            founding.handle(room.now(), Meet::Alone);
            let meets_at = SocketAddr::from(([10, 0, 0, host], PORT));
            let router = SocketAddr::from(([10, 0, 0, host], 7447));
            let phone = Phone { founding, member: None, host: None, link: None, meets_at, id, router };
            room.phones.push((name, phone));
        }
        room
    }

    fn now(&self) -> Now {
        Now { mono: Moment::after_start(self.elapsed), wall: Duration::from_hours(500_000) + self.elapsed }
    }

    fn run(&mut self, seconds: u64) {
        let until = self.elapsed + Duration::from_secs(seconds);
        while self.elapsed < until {
            self.elapsed += TICK;
            let now = self.now();
            for n in 0..self.phones.len() {
                let phone = &mut self.phones[n].1;
                phone.founding.handle(now, Meet::Tick);
                if let Some(member) = &mut phone.member {
                    member.handle(now, Input::Tick);
                }
                if let Some((_, master)) = &mut phone.host {
                    master.handle(now, Order::Tick);
                }
            }
            if let Some(exo) = &mut self.exo {
                exo.tick(now);
            }
            self.settle();
        }
    }

    fn settle(&mut self) {
        let now = self.now();
        loop {
            let mut quiet = true;
            for n in 0..self.phones.len() {
                let name = self.phones[n].0;
                while let Some(met) = self.phones[n].1.founding.poll() {
                    self.meet(n, met);
                    quiet = false;
                }
                while let Some(output) = self.phones[n].1.member.as_mut().and_then(Member::poll) {
                    self.act(n, output);
                    quiet = false;
                }
                while let Some((bus, master)) = &mut self.phones[n].1.host
                    && let Some(sealed) = master.poll()
                {
                    let (bus, payload) = (*bus, sealed.payload().to_vec());
                    self.say(Word { bus, from: name, topic: sealed.topic(), payload });
                    quiet = false;
                }
            }
            while let Some(said) = self.exo.as_mut().and_then(|exo| exo.poll(now)) {
                self.say(Word { bus: exo_bus(), from: "exo", topic: said.topic, payload: said.bytes });
                quiet = false;
            }
            if quiet {
                return;
            }
        }
    }

    /// Everybody on that bus but the speaker hears it, as far as it listens.
    fn say(&mut self, word: Word) {
        let now = self.now();
        for (name, phone) in &mut self.phones {
            if let Some((bus, master)) = &mut phone.host
                && *bus == word.bus
                && word.topic != Topic::GlobalEvents
            {
                master.handle(now, Order::Heard { topic: word.topic, payload: &word.payload });
            }
            let hears = matches!(word.topic, Topic::GlobalEvents | Topic::ElectionMessages);
            let is_master = phone.host.is_some() && *name == word.from;
            if phone.link == Some(word.bus)
                && hears
                && (*name != word.from || is_master)
                && let Some(member) = &mut phone.member
            {
                member.handle(now, Input::Heard { topic: word.topic, payload: &word.payload });
            }
        }
        if word.bus == exo_bus()
            && word.from != "exo"
            && let Some(exo) = &mut self.exo
        {
            exo.hear(now, word.topic, &word.payload);
        }
        self.words.push(word);
    }

    fn meet(&mut self, n: usize, met: Met) {
        let now = self.now();
        let from = self.phones[n].1.meets_at;
        match met {
            Met::Shout(bytes) => {
                let others = self.phones.iter_mut().enumerate().filter(|(other, _)| *other != n);
                for (_, (_, phone)) in others {
                    phone.founding.handle(now, Meet::Datagram { from, bytes: &bytes });
                }
            }
            Met::Send { to, bytes } => {
                for (_, phone) in self.phones.iter_mut().filter(|(_, phone)| phone.meets_at == to) {
                    phone.founding.handle(now, Meet::Datagram { from, bytes: &bytes });
                }
            }
            Met::Open { session, .. } => {
                let phone = &mut self.phones[n].1;
                assert_ne!(phone.link, Some(exo_bus()), "a router is opened beside a link to exo");
                let master = Master::new(session, Limits::PHONE, Random::seeded(self.random.bits()), now);
                phone.host = Some((phone.router, master));
                let port = phone.router.port();
                phone.founding.handle(now, Meet::Opened { port });
            }
            Met::Follow(found) | Met::Join(found) => {
                let phone = &mut self.phones[n].1;
                let random = Random::seeded(self.random.bits());
                let mut member = Member::new(MemberConfig::of(phone.id.clone()), random, now);
                member.handle(now, Input::Found(found));
                phone.member = Some(member);
            }
            Met::Knock(_) => {
                self.phones[n].1.founding.handle(now, Meet::Knocked { answered: true });
            }
            Met::Close => {
                let phone = &mut self.phones[n].1;
                (phone.member, phone.host, phone.link) = (None, None, None);
                phone.founding.handle(now, Meet::Closed);
            }
            Met::Changed => {}
        }
    }

    fn act(&mut self, n: usize, output: Output) {
        let now = self.now();
        let (name, phone) = &mut self.phones[n];
        match output {
            Output::Dial(locators) => {
                let to = locators[0].address();
                // Its own router is reached over loopback.
                let bus = if to.ip().is_loopback() { phone.router } else { to };
                assert!(phone.host.is_none() || bus == phone.router, "{name} hosts and dials another bus");
                phone.link = Some(bus);
                if let Some(member) = &mut phone.member {
                    member.handle(now, Input::Linked { locator: locators[0], zid: None });
                }
            }
            Output::HangUp => phone.link = None,
            Output::FetchState(_) => {
                let body = match phone.link {
                    Some(bus) if bus == exo_bus() => self.exo.as_ref().map(Exo::state_json),
                    Some(bus) => self.phones.iter().find_map(|(_, other)| {
                        let (at, master) = other.host.as_ref()?;
                        (*at == bus).then(|| master.snapshot_json())
                    }),
                    None => None,
                };
                let answer = body.as_deref().map(str::as_bytes).ok_or_else(|| "no answer".to_owned());
                if let Some(member) = &mut self.phones[n].1.member {
                    member.handle(now, Input::State(answer));
                }
            }
            Output::Measure => {
                if let Some(member) = &mut phone.member {
                    member.handle(now, Input::Readings(Readings::default()));
                }
            }
            Output::Publish(sealed) => {
                let word = phone.link.map(|bus| Word {
                    bus,
                    from: name,
                    topic: sealed.topic(),
                    payload: sealed.payload().to_vec(),
                });
                if let Some(word) = word {
                    self.say(word);
                }
            }
            Output::Search(_) | Output::Engine(_) | Output::Offer(_) | Output::Changed => {}
        }
    }

    fn exo_appears(&mut self) {
        self.exo = Some(Exo::start(self.now(), Random::seeded(77)));
        let found = Found {
            locators: vec![Locator::new(exo_bus())],
            zid: None,
            api: Some(SocketAddr::from(([10, 0, 0, 200], 52415))),
            by: Provider::Multicast,
        };
        let now = self.now();
        for (_, phone) in &mut self.phones {
            phone.founding.handle(now, Meet::Exo(found.clone()));
        }
        self.settle();
    }

    fn joined(&self) -> usize {
        let members = self.phones.iter().filter_map(|(_, phone)| phone.member.as_ref());
        members
            .filter(|member| matches!(member.state(), MemberState::Joined { nodes } if *nodes >= 3))
            .count()
    }
}

#[test]
fn nothing_of_a_phone_cluster_ever_reaches_exos_bus() {
    let mut room = Room::with(&["ada", "bob", "eve"]);
    room.run(30);
    assert_eq!(room.phones[0].1.founding.role(), &Role::Hosting);
    assert_eq!(room.joined(), 3, "all phones are members of their own cluster");
    assert!(room.words.iter().all(|word| word.bus != exo_bus()), "nobody dialled exo: there is none");

    room.exo_appears();
    let exo = room.exo.as_ref().unwrap().id().clone();
    assert!(room.phones.iter().all(|(_, phone)| phone.host.is_none()), "the router closed first");
    room.run(30);
    assert_eq!(room.joined(), 3, "all phones are members of exo's cluster");

    let at_exo: Vec<&Word> =
        room.words.iter().filter(|word| word.bus == exo_bus() && word.from != "exo").collect();
    assert!(at_exo.len() > 10, "the phones did speak there");
    for word in at_exo {
        match word.topic {
            Topic::LocalEvents => {
                let local = heard::local(&word.payload).unwrap();
                assert_eq!(
                    *local.session.master_node_id,
                    *exo.as_str(),
                    "{} spoke of another reign",
                    word.from
                );
            }
            Topic::Commands => {}
            other => panic!("{} published to {other} on exo's bus", word.from),
        }
    }
    let last_alone = room.words.iter().rposition(|word| word.bus != exo_bus()).unwrap();
    let first_at_exo =
        room.words.iter().position(|word| word.bus == exo_bus() && word.from != "exo").unwrap();
    assert!(last_alone < first_at_exo, "the phone cluster was silent before the first word to exo");
}

#[test]
fn when_exo_is_lost_the_phones_found_their_cluster_again_under_a_new_reign() {
    let mut room = Room::with(&["ada", "bob", "eve"]);
    room.run(20);
    let first = room.phones[0].1.host.as_ref().unwrap().1.session().clone();
    room.exo_appears();
    room.run(10);
    room.exo = None;
    let now = room.now();
    for (_, phone) in &mut room.phones {
        (phone.member, phone.link) = (None, None);
        phone.founding.handle(now, Meet::Alone);
    }
    room.run(40);
    assert_eq!(room.joined(), 3);
    let host = room.phones.iter().find_map(|(_, phone)| phone.host.as_ref()).unwrap();
    assert_ne!(*host.1.session(), first);
}

#[test]
fn phones_say_hello_in_their_own_namespace_only() {
    let mut room = Room::with(&["ada", "bob"]);
    for _ in 0..500 {
        room.elapsed += TICK;
        let now = room.now();
        for n in 0..room.phones.len() {
            room.phones[n].1.founding.handle(now, Meet::Tick);
            while let Some(met) = room.phones[n].1.founding.poll() {
                if let Met::Shout(bytes) = &met
                    && let Some(Datagram::Hello { namespace, .. }) = Datagram::parse(bytes)
                {
                    assert_ne!(namespace, Namespace::named(DEFAULT_NAMESPACE));
                }
                room.meet(n, met);
            }
        }
    }
}
