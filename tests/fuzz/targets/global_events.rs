//! Any payload is a global event or not one; reading it, and judging the build that wrote it, never panics.
#![no_main]

use exo_wire::{Topic, builds::Recogniser, gate, heard};

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = gate::verdict(Topic::GlobalEvents, payload);
    let mut recogniser = Recogniser::new();
    recogniser.hear(payload);
    let _ = recogniser.recognition();
    if let Ok(global) = heard::global(payload) {
        let _ = (global.tag(), global.event().event_id().map(str::len), global.session.to_id());
    }
});
