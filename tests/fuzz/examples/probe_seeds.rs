//! Writes the seeds of `probe_datagram` and `probe_responder`, with the encoder that members use.
//!
//! ```text
//! cargo run --manifest-path tests/fuzz/Cargo.toml --example probe_seeds
//! ```
#[path = "../targets/probe_responder/letters.rs"]
mod letters;

use std::{fs, io, path::Path, time::Duration};

use exo_telemetry::topology::{
    Figure, Throughput,
    wire::{MOST_PACKETS, Message, Refused, Train},
};
use letters::Letter;

const NONCE: u64 = 0x0102_0304_0506_0708;

fn main() -> io::Result<()> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for (name, message) in every_message() {
        write(&seeds.join("probe_datagram"), name, &encoded(message))?;
    }
    for (name, story) in stories() {
        write(&seeds.join("probe_responder"), name, &letters::write(&story))?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(name), bytes)
}

fn encoded(message: Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.encode(&mut bytes);
    bytes
}

fn every_message() -> [(&'static str, Message); 14] {
    let train = Train { id: 3, packets: 2000 };
    let said = Throughput {
        rate: Figure::new(12_500_000.0, 125_000.0),
        conclusive: true,
        span: Duration::from_micros(98_765),
        packets: 1999,
    };
    [
        ("hello", Message::Hello(NONCE)),
        ("welcome", Message::Welcome(NONCE, 0xdead_beef)),
        ("echo", Message::Echo(NONCE, 2, 7)),
        ("reply", Message::Reply(NONCE, 7)),
        ("offer", Message::Offer(NONCE, 2, train)),
        ("pull", Message::Pull(NONCE, 2, train)),
        ("accept", Message::Accept(NONCE, 3)),
        ("refuse-busy", Message::Refuse(NONCE, 3, Refused::Busy)),
        ("refuse-too-large", Message::Refuse(NONCE, 3, Refused::TooLarge)),
        ("packet", Message::Packet(NONCE, 3, 1999)),
        ("finish", Message::Finish(NONCE, 2, 3)),
        ("report", Message::Report(NONCE, 3, Some(said))),
        ("report-not-conclusive", Message::Report(NONCE, 3, Some(Throughput { conclusive: false, ..said }))),
        ("report-nothing", Message::Report(NONCE, 3, None)),
    ]
}

fn stories() -> [(&'static str, Vec<Letter>); 4] {
    let train = Train { id: 1, packets: 24 };
    let offer = |from, id, packets| asks(from, 5, Message::Offer(NONCE, 0, Train { id, packets }));
    let pull = |from, id, packets| asks(from, 5, Message::Pull(NONCE, 0, Train { id, packets }));
    let packets = (0..train.packets).map(|number| letter(0, 2, Message::Packet(NONCE, train.id, number)));

    let mut exchange = vec![letter(0, 1000, Message::Hello(NONCE)), asks(0, 5, Message::Echo(NONCE, 0, 1))];
    exchange.push(asks(0, 5, Message::Offer(NONCE, 0, train)));
    exchange.extend(packets);
    exchange.push(asks(0, 5, Message::Finish(NONCE, 0, train.id)));
    exchange.push(pull(0, 2, 10));

    let greeted = |from| letter(from, 1000, Message::Hello(NONCE));
    let greedy = vec![
        greeted(0),
        greeted(3),
        pull(0, 1, MOST_PACKETS),
        pull(0, 2, 20),
        pull(3, 2, 20),
        Letter { train_is_over: true, ..pull(3, 3, 20) },
        offer(0, 4, MOST_PACKETS + 1),
        offer(0, 5, u32::MAX),
        offer(3, 6, 0),
    ];
    let stranger = vec![
        greeted(1),
        letter(2, 0, Message::Echo(NONCE, 9, 1)),
        asks(2, 0, Message::Pull(NONCE, 0, train)),
        asks(1, 60_000, Message::Echo(NONCE, 0, 1)),
        asks(1, 60_000, Message::Echo(NONCE, 0, 2)),
    ];
    let flood = (0..300).map(|number| letter(0, 0, Message::Hello(number))).collect();
    [("exchange", exchange), ("greedy", greedy), ("stranger", stranger), ("flood", flood)]
}

fn letter(from: usize, after_ms: u16, message: Message) -> Letter {
    Letter { from, with_cookie: false, train_is_over: false, after_ms, bytes: encoded(message) }
}

/// From one who fills in the cookie that it was given.
fn asks(from: usize, after_ms: u16, message: Message) -> Letter {
    Letter { with_cookie: true, ..letter(from, after_ms, message) }
}
