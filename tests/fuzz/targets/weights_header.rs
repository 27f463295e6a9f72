//! Any bytes are a file of weights or an error. What is accepted lies within the file, and no two tensors meet.
#![no_main]

use exo_engine::tensors_in_header;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The file goes on for some bytes after what is here.
    let size = bytes.len() as u64 + 4096;
    let tensors = match tensors_in_header(bytes, size) {
        Ok(tensors) => tensors,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut ranges: Vec<_> =
        tensors.into_iter().map(|(_, range)| range).filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| range.start);
    assert!(ranges.iter().all(|range| 8 <= range.start && range.start <= range.end && range.end <= size));
    assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
});
