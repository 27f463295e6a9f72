//! What a thousand phones cost their listener in memory. In a program of its own, since it counts all of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use exo_telemetry::{Random, aggregator::Aggregator};

mod common;
#[path = "common/counting.rs"]
mod counting;
#[path = "common/crowd.rs"]
mod crowd;
use common::at;
use counting::{Counting, held};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_thousand_phones_take_less_than_eight_megabytes_however_long_they_speak() {
    let before = held();
    let (mut aggregator, mut random, mut most) = (Aggregator::default(), Random::seeded(1), 0);
    for second in 0..8 {
        for bytes in crowd::second(1_000, second, &mut random) {
            aggregator.hear(at(second * 1_000), &bytes).unwrap();
        }
        while aggregator.poll().is_some() {}
        most = most.max(held() - before);
    }
    assert_eq!(aggregator.devices().len(), 1_000);
    assert!(aggregator.devices().all(|(_, device)| device.is_whole()));
    assert!(most <= 8_000_000, "{most} bytes");
}
