//! Any body of `GET /state` is a snapshot or not one.
#![no_main]

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    let _ = exo_wire::heard::snapshot(body);
});
