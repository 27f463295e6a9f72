//! Any bytes are a tokenizer or an error. A tokenizer, however strange, makes tokens of any text and text of any tokens.
#![no_main]

use std::sync::Arc;

use exo_engine::text::Tokenizer;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let tokenizer = match Tokenizer::from_json(bytes) {
        Ok(tokenizer) => Arc::new(tokenizer),
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for text in ["", "Hello, world 123", " \n\t  é漢👩‍👩‍👧\u{0}\u{301}", "<|end|> aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
        match tokenizer.encode(text) {
            Ok(tokens) => {
                assert!(tokens.iter().all(|&token| tokenizer.name(token).is_some()));
                let _ = tokenizer.decode(&tokens);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let _ = tokenizer.decode(&[0, 1, 2, 3, 300, u32::MAX]);
});
