//! Any datagram is a Hello, a WhatsUp, or nothing; and what was read is written back byte for byte.
#![no_main]

use exo_wire::datagram::Datagram;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(datagram) = Datagram::parse(bytes) {
        assert_eq!(datagram.to_bytes(), bytes);
    }
});
