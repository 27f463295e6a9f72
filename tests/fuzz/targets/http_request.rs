//! Any request is a path, something that we do not do, or nonsense; more bytes never bring an answer back to a
//! question.
#![no_main]

use exo_node::http::request::{Asked, asked};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let early = asked(bytes.get(..bytes.len() / 2).unwrap_or_default());
    let whole = asked(bytes);
    if early != Asked::Unfinished {
        assert_ne!(whole, Asked::Unfinished);
    }
    if let Asked::Get(path) = whole {
        assert!(!path.contains(['?', '#']));
    }
});
