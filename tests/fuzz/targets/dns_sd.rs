//! Any TXT record of a stranger is read within its bounds, or not at all.
#![no_main]

use exo_node::discovery::Txt;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let entry = |line: &str| line.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    let entries: Vec<_> = text.lines().filter_map(entry).collect();
    if let Some(txt) = Txt::parse(&entries) {
        assert!(txt.via.len() <= 4);
        assert!(txt.via.iter().all(|via| via.port() != 0 && !via.ip().is_loopback()));
    }
});
