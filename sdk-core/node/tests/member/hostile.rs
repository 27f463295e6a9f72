//! A member among liars: whatever comes, on whatever topic, it does not panic, does not grow, and does not shout.
//!
//! Every run prints its seed when it fails, and replays from it to the byte.

use crate::stage::{Exo, PHONE, moment, pixel, router};
use exo_node::{
    Random,
    member::{Input, Member, MemberConfig, Output, Readings, Request},
};
use exo_wire::{NodeId, Topic, gate};

const MAC: &str = "669743c9aef71413b3b6698f4bce62d0";

fn vectors() -> Vec<Vec<u8>> {
    let folder = format!("{}/../../tests/vectors/exo", env!("CARGO_MANIFEST_DIR"));
    let mut payloads = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_some_and(|ext| ext == "jsonl") {
            let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            payloads.extend(lines.filter_map(|line| Some(line["json"].as_str()?.as_bytes().to_vec())));
        }
    }
    assert!(payloads.len() > 300);
    payloads.sort();
    payloads
}

fn mutate(payload: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let place = random.below(payload.len() as u64 + 1) as usize;
        match random.below(7) {
            0 if place < payload.len() => payload[place] = random.bits() as u8,
            1 => payload.truncate(place),
            2 => payload.insert(place, b"{}[]\",:0-9e"[random.below(11) as usize]),
            3 if place < payload.len() => {
                payload.remove(place);
            }
            4 => {
                let piece = payload[place..].to_vec();
                payload.extend(piece);
            }
            5 => payload.splice(place..place, *b"99999999999999999999").for_each(drop),
            _ => payload.splice(place..place, std::iter::repeat_n(b'[', 200)).for_each(drop),
        }
    }
}

struct Ordeal {
    member: Member,
    random: Random,
    now: f64,
    published: u64,
    dialled: u64,
    fetched: u64,
}

impl Ordeal {
    fn new(seed: u64) -> Self {
        let mut config = MemberConfig::of(NodeId::parse(PHONE).unwrap());
        config.allow_unknown_build = true;
        let member = Member::new(config, Random::seeded(seed), moment(0.0));
        Self { member, random: Random::seeded(!seed), now: 0.0, published: 0, dialled: 0, fetched: 0 }
    }

    fn input(&mut self, input: Input<'_>) {
        self.member.handle(moment(self.now), input);
        for turn in 0.. {
            assert!(turn < 2000, "one input made thousands of outputs");
            match self.member.poll() {
                Some(Output::Publish(sealed)) => {
                    self.published += 1;
                    assert!(gate::verdict(sealed.topic(), sealed.payload()).accept);
                    assert_ne!(sealed.topic(), Topic::ElectionMessages);
                }
                Some(Output::Dial(to)) => {
                    self.dialled += 1;
                    assert!(to.len() <= 16);
                }
                Some(Output::FetchState(_)) => self.fetched += 1,
                Some(_) => {}
                None => break,
            }
        }
    }

    fn pass(&mut self, seconds: f64) {
        let end = self.now + seconds;
        let mut turns = 0;
        while let Some(due) =
            self.member.deadline().map(|due| due.since_start().as_secs_f64()).filter(|due| *due <= end)
        {
            turns = if due > self.now { 0 } else { turns + 1 };
            assert!(turns < 100, "the member spins");
            self.now = self.now.max(due);
            self.input(Input::Tick);
        }
        self.now = end;
    }

    fn link(&mut self) {
        let locators = vec![router(1), router(2)];
        let by = exo_node::discovery::Provider::Unicast;
        self.input(Input::Found(exo_node::discovery::Found { locators, zid: None, api: None, by }));
        self.input(Input::Linked { locator: router(1), zid: None });
        self.input(Input::Readings(pixel()));
    }
}

#[test]
fn mutated_messages_on_every_topic_neither_kill_nor_flood() {
    let vectors = vectors();
    for seed in 0..20 {
        let mut ordeal = Ordeal::new(seed);
        ordeal.link();
        let exo = Exo::named(MAC).aged(1);
        for _ in 0..3000 {
            ordeal.pass(0.02);
            let mut payload = vectors[ordeal.random.below(vectors.len() as u64) as usize].clone();
            if ordeal.random.below(3) == 0 {
                payload = exo.global(0).into_bytes();
                let index = ordeal.random.bits() >> ordeal.random.below(64);
                payload = String::from_utf8(payload)
                    .unwrap()
                    .replace("\"origin_idx\":0", &format!("\"origin_idx\":{index}"))
                    .into();
            }
            if ordeal.random.below(2) == 0 {
                mutate(&mut payload, &mut ordeal.random);
            }
            let topic = Topic::ALL[ordeal.random.below(5) as usize];
            ordeal.input(Input::Heard { topic, payload: &payload });
        }
        let seconds = ordeal.now;
        assert!(
            ordeal.published as f64 / seconds < 10.0,
            "seed {seed}: {} published in {seconds} s",
            ordeal.published
        );
        assert!(ordeal.dialled < 60, "seed {seed}: {} dials in {seconds} s", ordeal.dialled);
        assert!(ordeal.fetched < 60, "seed {seed}: {} fetches in {seconds} s", ordeal.fetched);
        assert!(format!("{:?}", ordeal.member).len() < 16 << 20, "seed {seed}: the member grew");
    }
}

#[test]
fn random_bytes_on_every_topic_are_only_counted() {
    for seed in 0..20 {
        let mut ordeal = Ordeal::new(seed);
        ordeal.link();
        for _ in 0..2000 {
            ordeal.pass(0.01);
            let length = ordeal.random.below(300) as usize;
            let payload: Vec<u8> = (0..length).map(|_| ordeal.random.bits() as u8).collect();
            let topic = Topic::ALL[ordeal.random.below(5) as usize];
            ordeal.input(Input::Heard { topic, payload: &payload });
        }
        assert_eq!(ordeal.published, 0, "seed {seed}: there is no master to speak to");
        assert!(ordeal.member.session().is_none());
        assert!(ordeal.member.stats().unreadable > 500);
    }
}

#[test]
fn mutated_states_are_taken_or_left_but_never_believed_blindly() {
    let folder = format!("{}/../../tests/vectors/exo", env!("CARGO_MANIFEST_DIR"));
    let state = std::fs::read(format!("{folder}/state_with_phone_serving.json")).unwrap();
    for seed in 0..200 {
        let mut ordeal = Ordeal::new(seed);
        ordeal.link();
        let exo = Exo::named("55bc5879960e2590844b45f980f0ab2f").aged(202);
        ordeal.input(Input::Heard { topic: Topic::GlobalEvents, payload: exo.global(201).as_bytes() });
        let mut body = state.clone();
        mutate(&mut body, &mut ordeal.random);
        ordeal.input(Input::State(Ok(&body)));
        ordeal.pass(30.0);
        assert!(ordeal.published < 60, "seed {seed}: {}", ordeal.published);
    }
}

#[test]
fn any_order_of_inputs_and_any_jump_of_the_clock_is_survived() {
    let exo = Exo::named(MAC).aged(300);
    for seed in 0..200 {
        let mut ordeal = Ordeal::new(seed);
        for _ in 0..300 {
            let coin = ordeal.random.below(2) == 0;
            match ordeal.random.below(14) {
                0 => ordeal.link(),
                1 => ordeal.input(Input::Unlinked { why: "x".repeat(10_000) }),
                2 => ordeal.input(Input::NetworkChanged),
                3 => ordeal.now += ordeal.random.fraction() * 1000.0,
                4 => ordeal.input(Input::State(Err("no".into()))),
                5 => ordeal.input(Input::State(Ok(exo.body().as_bytes()))),
                6 => ordeal.input(Input::Readings(Readings { able: true, ..Readings::default() })),
                7 => ordeal.input(Input::Request(Request::ScreenShown(coin))),
                8 => ordeal.input(Input::Request(Request::AllowUnknownBuild(coin))),
                9 if ordeal.random.below(40) == 0 => ordeal.input(Input::Request(Request::Leave)),
                _ => {
                    let index = ordeal.random.below(300) as usize;
                    ordeal.input(Input::Heard {
                        topic: Topic::GlobalEvents,
                        payload: exo.global(index).as_bytes(),
                    });
                }
            }
            let wait = ordeal.random.fraction() * 2.0;
            ordeal.pass(wait);
        }
    }
}

#[test]
fn a_giant_payload_is_not_even_read() {
    let mut ordeal = Ordeal::new(1);
    ordeal.link();
    let giant = vec![b'['; 64 << 20];
    ordeal.input(Input::Heard { topic: Topic::GlobalEvents, payload: &giant });
    assert_eq!(ordeal.member.stats().unreadable, 1);
}
