//! Any command is judged, heard and carried out by a master of phones without a panic, and what the master then says is
//! within exo's rules.
#![no_main]

use std::time::Duration;

use exo_node::{
    Now, Random,
    master::{Input, Limits, Master},
    now::Moment,
};
use exo_wire::{NodeId, SessionId, Topic, gate, heard};

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = gate::verdict(Topic::Commands, payload);
    let _ = gate::verdict(Topic::DownloadCommands, payload);
    if let Ok(asked) = heard::command(payload) {
        let _ = asked.command();
    }
    if let Ok(asked) = heard::download_command(payload) {
        let _ = asked.download_command();
    }
    let now = Now { mono: Moment::after_start(Duration::from_secs(1)), wall: Duration::from_secs(1) };
    let session = SessionId { master_node_id: NodeId::heard("a"), election_clock: 0 };
    let mut master = Master::new(session, Limits::PHONE, Random::seeded(1), now);
    for topic in [Topic::Commands, Topic::LocalEvents] {
        master.handle(now, Input::Heard { topic, payload });
        while let Some(said) = master.poll() {
            assert!(gate::verdict(said.topic(), said.payload()).accept);
        }
    }
});
