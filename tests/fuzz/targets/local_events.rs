//! The same for local events, which a master of phones hears and stamps before it repeats them.
#![no_main]

use std::time::Duration;

use exo_wire::{Topic, When, gate, heard};

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = gate::verdict(Topic::LocalEvents, payload);
    if let Ok(local) = heard::local(payload) {
        let _ = (local.tag(), local.event().event_id().map(str::len));
        let _ = local.stamped(&When::since_1970(Duration::from_secs(1)));
    }
});
