//! Any bytes are a message of the telemetry protocol or an error; what was read is written and read back the same, and
//! a listener that hears it stays within its bounds.
#![no_main]

use std::time::Duration;

use exo_telemetry::{Now, aggregator::Aggregator, now::Moment, protocol::Message};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let now = |millis| {
        let since = Duration::from_millis(millis);
        Now { mono: Moment::after_start(since), wall: since }
    };
    let mut listener = Aggregator::with_room_for(2);
    let _ = listener.hear(now(0), bytes);
    match Message::parse(bytes) {
        Ok(message) => {
            // Escapes may make what was read longer than what is allowed.
            if let Ok(json) = message.to_json() {
                assert_eq!(Message::parse(json.as_bytes()).as_ref(), Ok(&message));
            }
            listener.take(now(1_000), message);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    listener.tick(now(10_000_000));
    assert!(listener.devices().len() <= 2);
});
