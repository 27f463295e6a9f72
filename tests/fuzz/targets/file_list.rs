//! Any bytes are a list of a model's files or an error. What is listed can only lie in the model's own directory, and has
//! a hash that could be compared. The same bytes as an index of shards name nothing else either.
#![no_main]

use exo_models::{FileList, is_wanted, shards};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut list = FileList::default();
    match list.add_page(bytes) {
        Ok(()) => list.iter().for_each(|(name, listed)| {
            assert!(is_plain(name) && is_wanted(name));
            assert_eq!(list.get(name), Some(listed));
            assert!(listed.size <= 512 << 30);
        }),
        Err(why) => assert!(!why.is_empty()),
    }
    match shards(bytes) {
        Ok(names) => assert!(!names.is_empty() && names.iter().all(|name| is_plain(name) && name.ends_with(".safetensors"))),
        Err(why) => assert!(!why.is_empty() && why.len() < 1_000),
    }
});

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0', ':'])
}
