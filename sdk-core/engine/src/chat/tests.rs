//! Requests as exo sends them, replies as exo's clients get them. No model: its tokens are given.

use super::*;
use crate::sampling::{Logprobs, Sampled, SamplingParams};
use crate::text::{Finish, Language, Moment, TextFiles};
use crate::{ErrorKind, Result};

/// Letters are tokens by their code; from 256 on these.
const WORDS: [&str; 6] = ["<end>", "<think>", "</think>", "<tool_call>", "</tool_call>", " hello"];
const END: u32 = 256;
const THINK: u32 = 257;
const THOUGHT: u32 = 258;
const CALL: u32 = 259;
const CALLED: u32 = 260;
const HELLO: u32 = 261;

const TEMPLATE: &str = "{% if tools %}{{ tools | length }}<tool_call>{% endif %}\
    {% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{% if enable_thinking %}<think>{% endif %}";

fn language() -> Language {
    let mut vocab = serde_json::Map::new();
    for byte in 0..=255u32 {
        vocab.insert(format!("<0x{byte:02X}>"), byte.into());
    }
    let added: Vec<_> =
        (256..).zip(WORDS).map(|(id, text)| serde_json::json!({"id": id, "content": text})).collect();
    let file = serde_json::json!({
        "added_tokens": added,
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": {"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": []},
    });
    Language::from_files(&TextFiles {
        tokenizer: file.to_string().as_bytes(),
        tokenizer_config: Some(r#"{"eos_token": "<end>"}"#),
        chat_template: Some(TEMPLATE),
        ..Default::default()
    })
    .unwrap()
}

fn begin(task_params: &str) -> Result<(TokenRequest, Reply)> {
    Reply::begin(&language(), &ChatRequest::from_json(task_params)?, Moment::from_unix(0))
}

fn prompt(task_params: &str) -> String {
    let (request, _) = begin(task_params).unwrap();
    language().tokenizer().decode(&request.prompt)
}

fn letters(text: &str) -> Vec<u32> {
    text.bytes().map(u32::from).collect()
}

/// Feeds these tokens, and gives all events.
fn events(reply: &mut Reply, tokens: &[u32]) -> Vec<Event> {
    let mut events = Vec::new();
    for &token in tokens {
        let is_over = reply.push(Sampled { token, logprobs: None }, false).unwrap();
        events.extend(std::iter::from_fn(|| reply.next_event()));
        if is_over {
            break;
        }
    }
    events
}

/// What is said, thoughts in brackets, and how it ends.
fn told(events: &[Event]) -> (String, Option<End>) {
    let mut text = String::new();
    let mut end = None;
    for event in events {
        let Event::Said(said) = event else { continue };
        let [open, close] = if said.is_thinking { ["[", "]"] } else { ["", ""] };
        text.extend([open, &said.text, close]);
        end = said.end;
    }
    (text, end)
}

#[test]
fn a_request_of_exo_is_read_as_it_comes() {
    let task_params = r#"{"model":"mlx-community/Qwen3-0.6B-4bit","input":[{"role":"user","content":"hi"}],
        "instructions":"be brief","max_output_tokens":16,"temperature":0.7,"top_p":null,"stream":true,"tools":null,
        "bench":false,"use_prefix_cache":false,"top_k":null,"stop":["</s>"],"seed":1,
        "chat_template_messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}],
        "reasoning_effort":null,"enable_thinking":null,"logprobs":false,"top_logprobs":null,"min_p":null,
        "repetition_penalty":null,"repetition_context_size":null,"presence_penalty":null,"frequency_penalty":null,
        "images":[],"image_hashes":{},"prefill_endpoint":null}"#;
    let (request, _) = begin(task_params).unwrap();
    assert_eq!(language().tokenizer().decode(&request.prompt), "system:be brief;user:hi;<think>");
    assert_eq!((request.max_tokens, &*request.ends), (16, &[END][..]));
    assert_eq!(request.sampling, SamplingParams { seed: 1, ..SamplingParams::default() });
}

#[test]
fn messages_may_come_in_the_simpler_form() {
    let task_params = r#"{"instructions": "s", "input": [{"role": "user", "content": ""},
        {"role": "user", "content": "a\"b"}], "enable_thinking": false}"#;
    assert_eq!(prompt(task_params), "system:s;user:a\"b;");
}

#[test]
fn what_is_not_said_is_what_exo_takes() {
    let (request, _) = begin("{}").unwrap();
    assert_eq!((request.max_tokens, request.sampling), (32_168, SamplingParams::default()));
    let said = r#"{"temperature": 0, "top_p": 0.5, "top_k": 4, "min_p": 0, "repetition_penalty": 1.5,
        "repetition_context_size": 9, "presence_penalty": -1, "frequency_penalty": 2, "seed": -1,
        "max_output_tokens": 0, "logprobs": true, "top_logprobs": 0, "bench": true}"#;
    let (request, _) = begin(said).unwrap();
    let expected = SamplingParams {
        temperature: 0.0,
        top_p: 0.5,
        top_k: 4,
        min_p: 0.0,
        repetition_penalty: 1.5,
        repetition_context_size: 9,
        presence_penalty: -1.0,
        frequency_penalty: 2.0,
        seed: u64::MAX,
        logprobs: Some(5),
        banned: vec![END],
        ..SamplingParams::default()
    };
    assert_eq!((request.max_tokens, request.sampling), (32_168, expected));
}

#[test]
fn a_request_that_can_never_work_is_refused_by_its_field() {
    for (task_params, named) in [
        ("[", "task_params"),
        (r#"{"temperature": "hot"}"#, "task_params"),
        (r#"{"temperature": -1}"#, "temperature"),
        (r#"{"logprobs": true, "top_logprobs": 1000}"#, "top_logprobs"),
        (r#"{"chat_template_messages": [{"content": "who?"}]}"#, "messages"),
        (r#"{"tools": {}}"#, "tools"),
        (r#"{"images": ["aGk="]}"#, "images"),
        (r#"{"image_hashes": {"0": "abc"}}"#, "images"),
    ] {
        let error = begin(task_params).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{task_params}");
        assert!(error.to_string().starts_with(named), "{error}");
    }
}

#[test]
fn thoughts_and_words_come_apart_and_the_end_counts_them() {
    let (_, mut reply) = begin(r#"{"input": [{"role": "user", "content": "q"}]}"#).unwrap();
    reply.set_cached_tokens(4);
    let tokens = [letters("hm"), vec![THOUGHT, HELLO, END]].concat();
    let (text, end) = told(&events(&mut reply, &tokens));
    assert_eq!(text, "[h][m] hello");
    // `user:q;`, and the tag.
    let usage = Usage { prompt_tokens: 8, cached_tokens: 4, completion_tokens: 5, reasoning_tokens: 2 };
    assert_eq!((end, usage.total_tokens()), (Some(End { finish: Finish::Stop, usage }), 13));
    assert_eq!(reply.usage(), usage);
}

#[test]
fn a_text_that_stops_ends_the_reply_and_is_not_in_it() {
    for stop in [r#""lo""#, r#"["x", "lo"]"#] {
        let (_, mut reply) = begin(&format!(r#"{{"stop": {stop}, "enable_thinking": false}}"#)).unwrap();
        let (text, end) = told(&events(&mut reply, &letters("hello, you")));
        assert_eq!((&*text, end.unwrap().finish), ("hel", Finish::Stop));
        assert_eq!(end.unwrap().usage.completion_tokens, 5);
    }
}

#[test]
fn a_reply_ends_at_its_length_or_where_the_model_has_no_room() {
    let (_, mut reply) = begin(r#"{"max_output_tokens": 2, "enable_thinking": false}"#).unwrap();
    assert_eq!(told(&events(&mut reply, &letters("abc"))).1.unwrap().finish, Finish::Length);
    let (_, mut reply) = begin(r#"{"enable_thinking": false}"#).unwrap();
    assert!(!reply.push(Sampled { token: 97, logprobs: None }, false).unwrap());
    assert!(reply.push(Sampled { token: 98, logprobs: None }, true).unwrap());
    let events: Vec<Event> = std::iter::from_fn(|| reply.next_event()).collect();
    assert_eq!(told(&events).1.unwrap().finish, Finish::Length);
}

#[test]
fn tools_that_are_called_end_the_reply_with_their_calls() {
    let tools = r#"{"enable_thinking": false, "tools": [{"type": "function", "function": {"name": "f",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}}]}"#;
    assert_eq!(prompt(tools), "1<tool_call>");
    let (_, mut reply) = begin(tools).unwrap();
    let call = letters(r#"{"name": "f", "arguments": {"n": "3"}}"#);
    let tokens = [letters("So "), vec![CALL], call, vec![CALLED, END]].concat();
    let mut events = events(&mut reply, &tokens);
    let Some(Event::ToolCalls { calls, usage }) = events.pop() else { panic!("no calls") };
    assert_eq!((&*calls[0].name, &*calls[0].arguments), ("f", r#"{"n": 3}"#));
    assert_eq!(usage.completion_tokens as usize, tokens.len());
    assert_eq!(told(&events), ("So ".into(), None));
}

#[test]
fn log_probabilities_come_with_the_texts_of_tokens() {
    let (request, mut reply) =
        begin(r#"{"logprobs": true, "top_logprobs": 2, "enable_thinking": false}"#).unwrap();
    assert_eq!(request.sampling.logprobs, Some(2));
    let logprobs = Some(Logprobs { logprob: -0.5, top: vec![(HELLO, -0.5), (0xc3, -2.0)] });
    reply.push(Sampled { token: HELLO, logprobs }, false).unwrap();
    let Some(Event::Said(said)) = reply.next_event() else { panic!("nothing said") };
    assert_eq!(said.logprob, Some(-0.5));
    let likely: Vec<(&str, f32)> =
        said.top_logprobs.iter().map(|likely| (&*likely.text, likely.logprob)).collect();
    assert_eq!(likely, [(" hello", -0.5), ("\u{fffd}", -2.0)]);
}

#[test]
fn a_prompt_that_already_thinks_is_not_opened_twice() {
    assert!(
        prompt(r#"{"input": [{"role": "user", "content": "q"}], "enable_thinking": true}"#)
            .ends_with("<think>")
    );
    let (request, mut reply) = begin(r#"{"enable_thinking": false}"#).unwrap();
    assert!(request.prompt.is_empty());
    assert_eq!(told(&events(&mut reply, &[THINK, 104, THOUGHT, HELLO, END])).0, "[h] hello");
}

#[test]
fn a_model_serves_many_threads_and_a_reply_may_change_its_own() {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<Language>();
    is_sent::<Reply>();
}
