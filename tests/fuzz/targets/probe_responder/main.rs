//! Whatever strangers send to the one who answers probes: no answer is larger than what asked for it, trains go only to
//! who was given a cookie, answers and trains stay within their rates, and no more is kept than one train.
#![no_main]

mod letters;

use std::{collections::HashMap, net::SocketAddr, time::Duration};

use exo_telemetry::{
    Now,
    now::Moment,
    topology::{
        Answer, Budget, Responder,
        wire::{Cookie, MOST_PACKETS, Message, Nonce, PACKET, Refused, Train, on_the_network},
    },
};
use letters::{COOKIE, Letter};

const BYTES_PER_SECOND: f64 = 65_536.0;
const ANSWERS_PER_SECOND: f64 = 200.0;
/// The longest that a cookie is good, and that a train keeps others out.
const COOKIE_LIFE: Duration = Duration::from_mins(2);
const TRAIN_TIME: Duration = Duration::from_secs(3);

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let mut scene = Scene::new();
    for letter in letters::read(input) {
        scene.deliver(letter);
    }
});

/// The responder, and what the strangers achieved so far.
struct Scene {
    responder: Responder,
    budget: Budget,
    time: Duration,
    /// Who was given which cookie, and when.
    cookies: HashMap<(usize, Nonce), (Cookie, Duration)>,
    answers: u32,
    /// Bytes of all trains that were let in or sent out.
    trains: f64,
    sending_until: Duration,
    /// The train that was let in last.
    offered: Option<(usize, Nonce, Train)>,
}

impl Scene {
    fn new() -> Self {
        Self {
            responder: Responder::new([7; 16], Moment::default()),
            budget: Budget::new(BYTES_PER_SECOND, Moment::default()),
            time: Duration::ZERO,
            cookies: HashMap::new(),
            answers: 0,
            trains: 0.0,
            sending_until: Duration::ZERO,
            offered: None,
        }
    }

    fn deliver(&mut self, letter: Letter) {
        self.time += Duration::from_millis(u64::from(letter.after_ms));
        let now = Now { mono: Moment::after_start(self.time), wall: self.time };
        if letter.train_is_over {
            self.responder.train_sent(now.mono);
            self.sending_until = self.time;
        }
        let bytes = self.with_cookie(&letter);
        let from = address(letter.from);
        let Some(answer) = self.responder.handle(now, from, &bytes, &mut self.budget) else { return };
        let request = Message::decode(&bytes).expect("only messages get answers");
        self.answers += 1;
        let most = ANSWERS_PER_SECOND * (self.time.as_secs_f64() + 1.0);
        assert!(f64::from(self.answers) <= most + 1e-6, "{} answers in {:?}", self.answers, self.time);
        assert!(matches!(request, Message::Hello(_)) || self.holds_a_cookie(letter.from, request.nonce()));
        match answer {
            Answer::Message(message) => self.answered(letter.from, bytes.len(), request, message),
            Answer::Train(nonce, train) => self.train_goes_out(letter.from, request, nonce, train),
        }
        assert!(self.trains <= BYTES_PER_SECOND * (self.time.as_secs_f64() + 1.0) + 1.0, "over the budget");
    }

    fn with_cookie(&self, letter: &Letter) -> Vec<u8> {
        let mut bytes = letter.bytes.clone();
        if let (true, Ok(message), Some(place)) =
            (letter.with_cookie, Message::decode(&letter.bytes), bytes.get_mut(COOKIE))
            && let Some((cookie, _)) = self.cookies.get(&(letter.from, message.nonce()))
        {
            place.copy_from_slice(&cookie.to_be_bytes());
        }
        bytes
    }

    fn holds_a_cookie(&self, from: usize, nonce: Nonce) -> bool {
        self.cookies.get(&(from, nonce)).is_some_and(|(_, given)| self.time - *given < COOKIE_LIFE)
    }

    fn answered(&mut self, from: usize, asked_in: usize, request: Message, answer: Message) {
        let mut bytes = Vec::new();
        answer.encode(&mut bytes);
        assert!(bytes.len() <= asked_in, "{request:?} of {asked_in} bytes got {answer:?} of {}", bytes.len());
        assert_eq!(answer.nonce(), request.nonce());
        match (request, answer) {
            (Message::Hello(nonce), Message::Welcome(_, cookie)) => {
                self.cookies.insert((from, nonce), (cookie, self.time));
            }
            (Message::Echo(.., asked), Message::Reply(_, said)) => assert_eq!(asked, said),
            (Message::Offer(nonce, _, train), Message::Accept(_, id)) => {
                self.train_comes_in(from, nonce, train, id)
            }
            (Message::Offer(_, _, train) | Message::Pull(_, _, train), Message::Refuse(_, id, why)) => {
                assert_eq!(id, train.id);
                assert_eq!(why == Refused::TooLarge, train.packets > MOST_PACKETS);
            }
            (Message::Finish(nonce, _, id), Message::Report(_, same, said)) => {
                let (sender, let_in, train) = self.offered.expect("a train was let in");
                assert_eq!(
                    (sender, let_in, train.id, id),
                    (from, nonce, id, same),
                    "only its sender hears of it"
                );
                let kept = said.map_or(0, |said| said.packets);
                assert!(kept <= train.packets, "{kept} packets were kept of {}", train.packets);
            }
            (request, answer) => panic!("{request:?} got {answer:?}"),
        }
    }

    fn train_comes_in(&mut self, from: usize, nonce: Nonce, train: Train, id: u32) {
        assert_eq!(id, train.id);
        // The same offer again gets the same answer, and costs nothing.
        if self.offered.is_none_or(|(sender, of, other)| (sender, of, other.id) != (from, nonce, id)) {
            assert!(train.packets <= MOST_PACKETS);
            self.pay(from, train);
            self.offered = Some((from, nonce, train));
        }
    }

    fn train_goes_out(&mut self, from: usize, request: Message, nonce: Nonce, train: Train) {
        assert!(matches!(request, Message::Pull(asked, _, wanted) if (asked, wanted) == (nonce, train)));
        assert!(train.packets <= MOST_PACKETS);
        assert!(self.time >= self.sending_until, "two trains at once");
        self.sending_until = self.time + TRAIN_TIME;
        self.pay(from, train);
    }

    fn pay(&mut self, from: usize, train: Train) {
        self.trains += f64::from(train.packets) * on_the_network(PACKET, &address(from)) as f64;
    }
}

fn address(from: usize) -> SocketAddr {
    const ADDRESSES: [&str; 4] = ["10.0.0.1:4000", "10.0.0.2:4000", "10.0.0.2:4001", "[fd00::1]:4000"];
    ADDRESSES[from].parse().expect("an address")
}
