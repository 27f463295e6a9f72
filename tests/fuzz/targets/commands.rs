//! exo's judgement of commands and download commands never panics.
#![no_main]

use exo_wire::{Topic, gate};

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = gate::verdict(Topic::Commands, payload);
    let _ = gate::verdict(Topic::DownloadCommands, payload);
});
