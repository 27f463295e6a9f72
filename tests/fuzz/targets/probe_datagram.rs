//! Any datagram is a message of link probes or an error for people; what was read is written in as many bytes and read
//! back the same.
#![no_main]

use exo_telemetry::topology::wire::Message;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match Message::decode(bytes) {
        Ok(message) => {
            let mut again = Vec::new();
            message.encode(&mut again);
            assert_eq!(again.len(), bytes.len(), "every kind has one length");
            assert_eq!(Message::decode(&again), Ok(message));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
