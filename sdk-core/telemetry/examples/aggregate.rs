//! What a thousand phones that speak once a second cost their listener.
//!
//!   cargo run --release -p exo-telemetry --example aggregate [PHONES] [SECONDS]
//!
//! Prints one line of JSON. Parsing is part of the time; making the messages is not. Where the kernel counts it, time
//! is that of the processor, so that a busy machine makes no difference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    sync::LazyLock,
    time::{Duration, Instant},
};

use exo_telemetry::{Random, aggregator::Aggregator, exposition::exposition};

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/counting.rs"]
mod counting;
#[path = "../tests/common/crowd.rs"]
mod crowd;
use common::at;
use counting::{Counting, held};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How long this thread has worked, or else how long it is since the start.
fn worked() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let counted = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let phones = arguments.next().transpose()?.unwrap_or(1_000) as usize;
    let seconds = arguments.next().transpose()?.unwrap_or(60);

    let before = held();
    let (mut aggregator, mut random) = (Aggregator::default(), Random::seeded(1));
    let (mut busy, mut messages, mut bytes, mut most) = (Duration::ZERO, 0_u64, 0_u64, 0);
    for second in 0..seconds {
        let crowd = crowd::second(phones, second, &mut random);
        let start = worked();
        for message in &crowd {
            aggregator.hear(at(second * 1_000), message)?;
            bytes += message.len() as u64;
        }
        busy += worked().saturating_sub(start);
        messages += crowd.len() as u64;
        drop(crowd);
        while aggregator.poll().is_some() {}
        most = most.max(held().saturating_sub(before));
    }
    let start = worked();
    let text = exposition(&aggregator, at(seconds * 1_000));
    let exposing = worked().saturating_sub(start);
    println!(
        "{}",
        serde_json::json!({
            "phones": phones,
            "seconds": seconds,
            "messages": messages,
            "bytes_per_message": bytes / messages.max(1),
            "us_per_message": busy.as_secs_f64() * 1e6 / messages.max(1) as f64,
            "share_of_one_core": busy.as_secs_f64() / seconds.max(1) as f64,
            "bytes_held": most,
            "exposition_ms": exposing.as_secs_f64() * 1e3,
            "exposition_bytes": text.len(),
        })
    );
    Ok(())
}
