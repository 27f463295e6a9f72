//! A thousand phones that speak once a second, as their messages.

use std::time::Duration;

use exo_telemetry::{
    Random, Reading,
    protocol::{Body, GpuMetrics},
    reading::{Figure, Quantity},
};

use crate::common::{at, heartbeat, id, message, phone, registration, stamp};

/// The bytes of all messages of one second. In the first, each phone says who it is and everything; later what
/// changed, which is temperature, load and memory in most seconds, and everything again every five minutes.
pub(crate) fn second(phones: usize, second: u64, random: &mut Random) -> Vec<Vec<u8>> {
    let mut messages = Vec::with_capacity(2 * phones);
    for number in 0..phones {
        // As long as the ids of nodes are.
        let name = format!("8f14e45f-ceea-467f-a0e6-{number:012}");
        let now = at(second * 1_000);
        let mut say =
            |sequence, body| messages.push(message(7, sequence, body).to_json().unwrap().into_bytes());
        if second == 0 {
            say(0, Body::Registration(registration(&name).into()));
        }
        let metrics = if (second + number as u64).is_multiple_of(300) || second == 0 {
            GpuMetrics::everything(id(&name), stamp(now), &phone(now, true))
        } else {
            let mut metrics = GpuMetrics::nothing_new(id(&name), stamp(now));
            let mut tell = |quantity, figure| metrics.tell(quantity, Reading::measured(figure, stamp(now)));
            tell(Quantity::Temperature, Figure::Number(30.0 + random.fraction() * 20.0));
            tell(Quantity::ComputeUtilisation, Figure::Number(random.fraction()));
            tell(Quantity::MemoryAvailable, Figure::Bytes(random.below(8 << 30)));
            metrics
        };
        say(second + 1, heartbeat(metrics, Duration::from_secs(1)));
    }
    messages
}
