//! The datagrams of probes, and what hostile ones achieve: nothing.
#![allow(clippy::panic, clippy::unwrap_used, reason = "the answerer below fails the test that it is part of")]

use std::{net::SocketAddr, time::Duration};

use exo_telemetry::{
    Now, Random,
    now::Moment,
    topology::{
        Answer, Budget, Figure, Responder, Throughput,
        wire::{LARGEST_TRAIN, MOST_PACKETS, Message, PACKET, Refused, Train, WireError},
    },
};

fn at(seconds: f64) -> Now {
    let since = Duration::from_secs_f64(seconds);
    Now { mono: Moment::after_start(since), wall: since }
}

fn bytes(message: Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.encode(&mut bytes);
    bytes
}

fn every_message() -> Vec<Message> {
    let train = Train { id: 3, packets: 2000 };
    let said = Throughput {
        rate: Figure::new(12_500_000.0, 125_000.0),
        conclusive: true,
        span: Duration::from_micros(98_765),
        packets: 1999,
    };
    vec![
        Message::Hello(1),
        Message::Welcome(1, 0xdead_beef),
        Message::Echo(u64::MAX, 2, 7),
        Message::Reply(1, 7),
        Message::Offer(1, 2, train),
        Message::Pull(1, 2, train),
        Message::Accept(1, 3),
        Message::Refuse(1, 3, Refused::Busy),
        Message::Refuse(1, 3, Refused::TooLarge),
        Message::Packet(1, 3, 1999),
        Message::Finish(1, 2, 3),
        Message::Report(1, 3, Some(said)),
        Message::Report(1, 3, None),
    ]
}

#[test]
fn every_message_survives_the_wire() {
    for message in every_message() {
        assert_eq!(Message::decode(&bytes(message)), Ok(message));
    }
}

#[test]
fn the_layout_is_fixed() {
    let refusal = bytes(Message::Refuse(0x0102_0304_0506_0708, 9, Refused::Budget));
    assert_eq!(refusal, b"exoL\x01\x08\0\0\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\x09\x01\0\0\0");
}

#[test]
fn a_message_has_one_length_and_what_has_another_is_none() {
    for message in every_message() {
        let whole = bytes(message);
        for length in 0..whole.len() {
            assert!(Message::decode(&whole[..length]).is_err(), "{message:?} cut to {length}");
        }
        let longer = [whole.as_slice(), &[0]].concat();
        assert!(matches!(Message::decode(&longer), Err(WireError::Malformed { .. })), "{message:?}");
    }
}

#[test]
fn later_versions_and_other_protocols_are_told_apart() {
    let mut later = bytes(Message::Hello(1));
    later[4] = 2;
    assert_eq!(Message::decode(&later), Err(WireError::Version(2)));
    assert_eq!(Message::decode(b"GET / HTTP/1.1"), Err(WireError::NotOurs));
    assert_eq!(Message::decode(b""), Err(WireError::NotOurs));
    let mut odd = bytes(Message::Hello(1));
    odd[6] = 1;
    assert_eq!(Message::decode(&odd), Err(WireError::Malformed { kind: 1, length: 64 }));
}

/// An answerer with a full tank.
struct There {
    responder: Responder,
    budget: Budget,
    time: f64,
}

const HERE: &str = "10.0.0.1:4000";
const ELSEWHERE: &str = "10.0.0.9:4000";

fn address(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

impl There {
    fn new() -> Self {
        Self {
            responder: Responder::new([7; 16], Moment::default()),
            budget: Budget::new(65536.0, Moment::default()),
            time: 100.0,
        }
    }

    fn hear(&mut self, from: &str, message: Message) -> Option<Answer> {
        self.responder.handle(at(self.time), address(from), &bytes(message), &mut self.budget)
    }

    fn says(&mut self, from: &str, message: Message) -> Message {
        match self.hear(from, message) {
            Some(Answer::Message(message)) => message,
            other => panic!("{message:?} got {other:?}"),
        }
    }

    fn cookie(&mut self, from: &str, nonce: u64) -> u64 {
        match self.says(from, Message::Hello(nonce)) {
            Message::Welcome(same, cookie) if same == nonce => cookie,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_exchange_from_the_greeting_to_the_report() {
    let mut there = There::new();
    let cookie = there.cookie(HERE, 5);
    assert_eq!(there.says(HERE, Message::Echo(5, cookie, 1)), Message::Reply(5, 1));
    let train = Train { id: 1, packets: 100 };
    assert_eq!(there.says(HERE, Message::Offer(5, cookie, train)), Message::Accept(5, 1));
    assert_eq!(there.says(HERE, Message::Offer(5, cookie, train)), Message::Accept(5, 1), "asked twice");
    for number in 0..100 {
        there.time += 1400.0 / 1.25e6;
        assert_eq!(there.hear(HERE, Message::Packet(5, 1, number)), None);
    }
    for _ in 0..2 {
        let Message::Report(5, 1, Some(said)) = there.says(HERE, Message::Finish(5, cookie, 1)) else {
            panic!("no report");
        };
        assert!(said.conclusive && (said.rate.value / 1.25e6 - 1.0).abs() < 0.02, "{said:?}");
        assert_eq!(said.packets, 100);
    }
    let pulled = there.hear(HERE, Message::Pull(5, cookie, Train { id: 2, packets: 50 }));
    assert_eq!(pulled, Some(Answer::Train(5, Train { id: 2, packets: 50 })));
}

#[test]
fn without_a_cookie_of_its_own_address_nobody_gets_anything() {
    let mut there = There::new();
    let cookie = there.cookie(HERE, 5);
    let train = Train { id: 1, packets: 10 };
    for (from, nonce, cookie) in
        [(ELSEWHERE, 5, cookie), (HERE, 6, cookie), (HERE, 5, cookie ^ 1), (HERE, 5, 0)]
    {
        for request in [
            Message::Echo(nonce, cookie, 1),
            Message::Offer(nonce, cookie, train),
            Message::Pull(nonce, cookie, train),
            Message::Finish(nonce, cookie, 1),
        ] {
            assert_eq!(there.hear(from, request), None, "{from} {request:?}");
        }
    }
    there.time += 121.0;
    assert_eq!(there.hear(HERE, Message::Echo(5, cookie, 1)), None, "a cookie goes off");
}

#[test]
fn no_answer_is_larger_than_its_request() {
    let mut there = There::new();
    let cookie = there.cookie(HERE, 5);
    let train = Train { id: 1, packets: 10 };
    for request in [
        Message::Hello(5),
        Message::Echo(5, cookie, 1),
        Message::Offer(5, cookie, train),
        Message::Finish(5, cookie, 1),
        Message::Offer(5, cookie, Train { id: 9, packets: u32::MAX }),
    ] {
        let answer = there.says(HERE, request);
        assert!(bytes(answer).len() <= bytes(request).len(), "{request:?} got {answer:?}");
    }
    assert!(there.hear(HERE, Message::Welcome(5, 1)).is_none(), "answers get no answer");
    assert!(there.hear(HERE, Message::Reply(5, 1)).is_none());
}

#[test]
fn a_flood_of_greetings_gets_few_answers() {
    let mut there = There::new();
    let mut answers = 0;
    for number in 0..100_000 {
        there.time += 1e-5;
        answers += u32::from(there.hear(HERE, Message::Hello(number)).is_some());
    }
    assert!(answers <= 401, "{answers} in one second");
}

#[test]
fn trains_are_refused_for_their_size_their_cost_and_while_another_is_under_way() {
    let mut there = There::new();
    let (here, elsewhere) = (there.cookie(HERE, 5), there.cookie(ELSEWHERE, 6));
    let offer = |packets, id| Message::Offer(5, here, Train { id, packets });
    assert_eq!(there.says(HERE, offer(MOST_PACKETS + 1, 1)), Message::Refuse(5, 1, Refused::TooLarge));
    assert_eq!(there.says(HERE, offer(1000, 2)), Message::Accept(5, 2));
    let other = Message::Offer(6, elsewhere, Train { id: 1, packets: 10 });
    assert_eq!(there.says(ELSEWHERE, other), Message::Refuse(6, 1, Refused::Busy));
    there.says(HERE, Message::Finish(5, here, 2));
    assert_eq!(there.says(ELSEWHERE, other), Message::Accept(6, 1), "its turn");
    assert_eq!(there.says(ELSEWHERE, Message::Finish(6, elsewhere, 1)), Message::Report(6, 1, None));
    assert_eq!(there.says(HERE, offer(MOST_PACKETS, 3)), Message::Refuse(5, 3, Refused::Budget));
    there.responder.refuse_trains(Some(Refused::Metered));
    assert_eq!(there.says(HERE, offer(1, 4)), Message::Refuse(5, 4, Refused::Metered));
}

#[test]
fn what_is_served_stays_within_the_budget_whoever_asks() {
    let mut there = There::new();
    there.budget = Budget::new(65536.0, at(there.time).mono);
    let (start, mut served) = (there.time, 0.0);
    for number in 0..5_000u32 {
        there.time += 0.05;
        let from = format!("10.0.{}.{}:4000", number % 5, number % 200);
        let cookie = there.cookie(&from, 1);
        let packets = 1 + number % MOST_PACKETS;
        if let Some(Answer::Train(..)) =
            there.hear(&from, Message::Pull(1, cookie, Train { id: number, packets }))
        {
            served += f64::from(packets) * (PACKET as f64 + 28.0);
            there.responder.train_sent(at(there.time).mono);
        }
    }
    assert!(served <= 65536.0 * (there.time - start + 1.0), "{served}");
    assert!(served >= f64::from(LARGEST_TRAIN), "it does serve");
}

#[test]
fn a_train_of_more_packets_than_were_offered_is_cut() {
    let mut there = There::new();
    let cookie = there.cookie(HERE, 5);
    there.says(HERE, Message::Offer(5, cookie, Train { id: 1, packets: 50 }));
    for number in 0..5_000 {
        there.time += 1e-4;
        there.hear(HERE, Message::Packet(5, 1, number % 50));
        there.hear(ELSEWHERE, Message::Packet(5, 1, number % 50));
    }
    let Message::Report(_, _, Some(said)) = there.says(HERE, Message::Finish(5, cookie, 1)) else { panic!() };
    assert_eq!(said.packets, 50);
}

#[test]
fn any_bytes_end_in_a_message_or_an_error() {
    let mut random = Random::seeded(11);
    let mut there = There::new();
    let messages = every_message();
    for round in 0..200_000 {
        let mut bytes = if round % 2 == 0 {
            let mut bytes = bytes(messages[random.below(messages.len() as u64) as usize]);
            for _ in 0..=random.below(4) {
                let place = random.below(bytes.len().min(64) as u64) as usize;
                bytes[place] = random.bits() as u8;
            }
            bytes
        } else {
            (0..random.below(100)).map(|_| random.bits() as u8).collect()
        };
        if random.below(4) == 0 {
            bytes.truncate(random.below(80) as usize);
        }
        if let Ok(message) = Message::decode(&bytes) {
            let mut again = Vec::new();
            message.encode(&mut again);
            assert_eq!(again.len(), bytes.len());
        }
        let _ = there.responder.handle(at(there.time), address(HERE), &bytes, &mut there.budget);
    }
}
