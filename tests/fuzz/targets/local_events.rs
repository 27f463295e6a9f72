//! The same for local events, which a master of phones hears and stamps before it repeats them: what it repeats is
//! never worse than what came.
#![no_main]

use exo_wire::{Topic, gate, heard};

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = gate::verdict(Topic::LocalEvents, payload);
    if let Ok(local) = heard::local(payload) {
        let _ = (local.tag(), local.event().event_id().map(str::len));
    }
});
