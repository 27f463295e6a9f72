//! Any text is a chat template or an error, and any template ends: in a prompt or in an error.
#![no_main]

use exo_engine::text::{Conversation, Language, Moment, TextFiles};

const TOKENIZER: &[u8] = br#"{"added_tokens": [{"id": 1, "content": "<end>"}], "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}"#;
const MESSAGES: &str = r#"[{"role": "system", "content": "s"}, {"role": "user", "content": " hi "},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "content": "1", "tool_call_id": "1", "items": [1, 2.5, true]}]"#;

libfuzzer_sys::fuzz_target!(|template: &str| {
    let files = TextFiles {
        tokenizer: TOKENIZER,
        tokenizer_config: Some(r#"{"eos_token": "<end>", "bos_token": "<s>"}"#),
        chat_template: Some(template),
        ..TextFiles::default()
    };
    let language = match Language::from_files(&files) {
        Ok(language) => language,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let conversation = Conversation {
        messages: MESSAGES,
        tools: None,
        enable_thinking: Some(true),
        reasoning_effort: None,
        now: Moment::from_unix(1_720_000_000),
    };
    if let Err(error) = language.prompt(&conversation) {
        assert!(!error.to_string().is_empty());
    }
});
