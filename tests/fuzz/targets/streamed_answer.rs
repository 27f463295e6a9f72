//! Whatever tokens a model says: one piece each, nothing lost, nothing of a text that stops, and an end.
//!
//! The first byte chooses what the answer is like, a text up to the first line end stops it, and every byte after that
//! is a token.
#![no_main]

use std::sync::{Arc, LazyLock};

use exo_engine::sampling::Sampled;
use exo_engine::text::{Answer, AnswerOptions, Output, ThinkingTags, Tokenizer, ToolDialect};

/// Bytes, and in the place of rare ones the tags.
static TOKENIZER: LazyLock<Arc<Tokenizer>> = LazyLock::new(|| {
    let vocabulary: Vec<String> = (0..256).map(|byte| format!("\"<0x{byte:02X}>\": {byte}")).collect();
    let tags = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<|python_tag|>", "{\\\"name\\\": \\\"f\\\"}"];
    let added: Vec<String> =
        (1..).zip(tags).map(|(id, tag)| format!("{{\"id\": {id}, \"content\": \"{tag}\"}}")).collect();
    let file = format!(
        r#"{{"added_tokens": [{}], "decoder": {{"type": "Sequence", "decoders": [{{"type": "ByteFallback"}}, {{"type": "Fuse"}}]}},
        "model": {{"type": "BPE", "vocab": {{{}}}, "merges": []}}}}"#,
        added.join(", "),
        vocabulary.join(", ")
    );
    Arc::new(Tokenizer::from_json(file.as_bytes()).unwrap())
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let mut parts = rest.splitn(2, |&byte| byte == b'\n');
    let stop = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let tokens = parts.next().unwrap_or_default();
    let has_thoughts = choice & 1 == 1;
    let tools = [None, Some(ToolDialect::Tagged), Some(ToolDialect::Bare)][usize::from(choice >> 1) % 3];
    let options = AnswerOptions {
        stop: vec![stop.clone()],
        max_tokens: Some(200),
        ends: vec![0],
        thinking: has_thoughts.then(|| ThinkingTags { start: "<think>".into(), end: "</think>".into() }),
        starts_thinking: choice & 8 == 8,
        tools: tools.map(Into::into),
    };
    let Ok(mut answer) = Answer::new(Arc::clone(&TOKENIZER), options) else { return };
    let (mut pieces, mut said, mut ends) = (0, String::new(), 0);
    for &byte in tokens {
        let is_over = answer.push(Sampled { token: byte.into(), logprobs: None }, false).unwrap();
        while let Some(output) = answer.next_output() {
            match output {
                Output::Piece(piece) => {
                    pieces += 1;
                    said.push_str(&piece.text);
                    ends += u32::from(piece.finish.is_some());
                }
                Output::ToolCalls(calls) => {
                    assert!(!calls.is_empty());
                    ends += 1;
                }
            }
        }
        assert_eq!(ends, u32::from(is_over), "an answer ends once, when it says so");
        if is_over {
            break;
        }
    }
    let counts = answer.counts();
    assert!(counts.tokens <= 200 && counts.thoughts <= counts.tokens);
    assert!(pieces <= counts.tokens);
    if !has_thoughts && tools.is_none() {
        assert!(stop.is_empty() || !said.contains(&stop), "{stop:?} is in {said:?}");
        assert!(!answer.is_over() || pieces == counts.tokens);
    }
});
