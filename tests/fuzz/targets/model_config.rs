//! Any bytes are the config of a model that we run, or an error that says something; and what is accepted is sane.
#![no_main]

use exo_engine::Architecture;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(config) = serde_json::from_slice(bytes) else { return };
    let architecture = match Architecture::from_config(&config) {
        Ok(architecture) => architecture,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!((1..=1024).contains(&architecture.layers.len()));
    // Whoever plans memory multiplies these.
    let mut angles = Vec::new();
    for (i, layer) in architecture.layers.iter().enumerate() {
        if let Some(attention) = layer.attention() {
            assert!(attention.heads.is_multiple_of(attention.kv_heads));
            assert!(attention.reads_keys_of.is_none_or(|owner| owner < i));
            attention.rope.angles(u32::MAX, &mut angles);
            assert!(angles.len() <= attention.head as usize && angles.iter().all(|angle| angle.is_finite()));
            angles.clear();
        }
        if let Some(delta) = layer.delta() {
            assert!(delta.heads.is_multiple_of(delta.key_heads) && delta.taps >= 2);
        }
    }
});
