//! An election message that is heard can be repeated, and exo's rules accept the repeat.
#![no_main]

use exo_wire::{Topic, gate, heard};

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = gate::verdict(Topic::ElectionMessages, payload);
    if let Ok(election) = heard::election(payload) {
        let Ok(text) = serde_json::to_vec(&election.to_message()) else { return };
        assert!(gate::verdict(Topic::ElectionMessages, text).accept);
    }
});
