//! Any entry of a router's admin space is a router with a few addresses, or nothing.
#![no_main]

use exo_node::member::Acquaintance;

libfuzzer_sys::fuzz_target!(|json: &[u8]| {
    if let Some(router) = Acquaintance::parse(json) {
        assert!(router.addresses.len() <= 16);
    }
});
