//! Any bytes are a request or an error. A request, however strange, has a prompt and a reply that ends.
#![no_main]

use std::sync::LazyLock;

use exo_engine::Sampled;
use exo_engine::chat::{ChatRequest, Event, Reply};
use exo_engine::text::{Language, Moment, TextFiles};

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| {
    let vocabulary: Vec<String> = (0..256).map(|byte| format!("\"<0x{byte:02X}>\": {byte}")).collect();
    let tokenizer = format!(
        r#"{{"added_tokens": [{{"id": 1, "content": "<think>"}}, {{"id": 2, "content": "</think>"}}, {{"id": 3, "content": "<end>"}}],
        "decoder": {{"type": "Sequence", "decoders": [{{"type": "ByteFallback"}}, {{"type": "Fuse"}}]}},
        "model": {{"type": "BPE", "byte_fallback": true, "vocab": {{{}}}, "merges": []}}}}"#,
        vocabulary.join(", ")
    );
    Language::from_files(&TextFiles {
        tokenizer: tokenizer.as_bytes(),
        tokenizer_config: Some(r#"{"eos_token": "<end>"}"#),
        chat_template: Some(include_str!("../seeds/chat_template/qwen")),
        ..TextFiles::default()
    })
    .unwrap()
});

libfuzzer_sys::fuzz_target!(|task_params: &str| {
    let request = match ChatRequest::from_json(task_params) {
        Ok(request) => request,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let Ok((asked, mut reply)) = Reply::begin(&LANGUAGE, &request, Moment::from_unix(1_720_000_000)) else { return };
    assert!(asked.sampling.check().is_ok() && asked.max_tokens > 0);
    // What the model says here is what it was asked, once more.
    let last = asked.prompt.len().min(asked.max_tokens as usize).min(2_000);
    let mut ends = 0;
    for (number, &token) in asked.prompt.iter().take(last).enumerate() {
        let is_over = reply.push(Sampled { token, logprobs: None }, number + 1 == last).unwrap();
        while let Some(event) = reply.next_event() {
            ends += u32::from(!matches!(event, Event::Said(said) if said.end.is_none()));
        }
        if is_over {
            break;
        }
    }
    assert_eq!(ends, u32::from(last > 0), "a reply ends once");
});
