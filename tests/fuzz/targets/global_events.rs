//! Any payload is a global event or not one; reading it never panics, whatever its body is.
#![no_main]

use exo_wire::{Topic, gate, heard};

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = gate::verdict(Topic::GlobalEvents, payload);
    if let Ok(global) = heard::global(payload) {
        let _ = (global.tag(), global.event().event_id().map(str::len), global.session.to_id());
    }
});
