//! Answers questions about text, one a line: `cargo run -p exo-engine --example text -- [MODEL_FOLDER]`
//!
//! Each line of standard input is a question, each line of standard output its answer, or `{"error", "kind"}`:
//!
//! ```text
//! {"ask": "encode", "text": ..}                 {"tokens": [..]}
//! {"ask": "decode", "tokens": [..]}             {"pieces": [..]}, one a token and one for the end
//! {"ask": "prompt", "messages": [..], "tools": [..], "enable_thinking": .., "reasoning_effort": .., "now": SECONDS}
//!                                               {"text", "tokens", "starts_thinking"}
//! {"ask": "answer", "prompt": {..}, "tokens": [..], "stop": [..], "max_tokens": ..}
//!                                               {"outputs": [..], "completion_tokens", "reasoning_tokens"}
//! {"ask": "sample", "logits": [..], "prompt": [..], "params": {..}, "times": N}
//!                                               {"tokens": [..], "logprobs": [[[token, logprob], ..], ..]}
//! ```
//!
//! `sample` needs no model. Logits are the same each time; penalties see the tokens before.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;

use exo_engine::sampling::{Sampled, Sampler, SamplingParams};
use exo_engine::text::{Conversation, Detokenizer, Language, Moment, Output, TextFiles};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What is asked; the rest of the line is read once that is known, because the order of keys in messages matters.
#[derive(Deserialize)]
struct Question {
    ask: String,
}

#[derive(Deserialize)]
struct Encode {
    text: String,
}

#[derive(Deserialize)]
struct Decode {
    tokens: Vec<u32>,
}

#[derive(Deserialize)]
struct Prompt {
    messages: Box<RawValue>,
    tools: Option<Box<RawValue>>,
    enable_thinking: Option<bool>,
    reasoning_effort: Option<String>,
    #[serde(default)]
    now: i64,
}

#[derive(Deserialize)]
struct Answer {
    prompt: Prompt,
    tokens: Vec<u32>,
    #[serde(default)]
    stop: Vec<String>,
    max_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct Sample {
    logits: Vec<f32>,
    #[serde(default)]
    prompt: Vec<u32>,
    params: SamplingParams,
    times: usize,
}

type Told = Result<Value, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let language = std::env::args_os().nth(1).map(|folder| load(Path::new(&folder))).transpose()?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let told = tell(language.as_ref(), &line).unwrap_or_else(|error| {
            let kind = error.downcast_ref::<exo_engine::Error>().map(exo_engine::Error::kind);
            json!({"error": error.to_string(), "kind": kind})
        });
        writeln!(out, "{told}")?;
    }
    Ok(())
}

fn load(folder: &Path) -> Result<Language, Box<dyn Error>> {
    let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let tokenizer = fs::read(folder.join("tokenizer.json"))?;
    let (tokenizer_config, config) = (text("tokenizer_config.json"), text("config.json"));
    let (generation_config, chat_template) = (text("generation_config.json"), text("chat_template.jinja"));
    Ok(Language::from_files(&TextFiles {
        tokenizer: &tokenizer,
        tokenizer_config: tokenizer_config.as_deref(),
        config: config.as_deref(),
        generation_config: generation_config.as_deref(),
        chat_template: chat_template.as_deref(),
    })?)
}

fn tell(language: Option<&Language>, line: &str) -> Told {
    let Question { ask } = serde_json::from_str(line)?;
    if ask == "sample" {
        return sample(serde_json::from_str(line)?);
    }
    let language = language.ok_or("name a model's folder")?;
    match &*ask {
        "encode" => {
            let Encode { text } = serde_json::from_str(line)?;
            Ok(json!({"tokens": language.tokenizer().encode(&text)?}))
        }
        "decode" => Ok(decode(language, &serde_json::from_str(line)?)),
        "prompt" => {
            let prompt = language.prompt(&serde_json::from_str::<Prompt>(line)?.conversation())?;
            Ok(
                json!({"text": prompt.text, "tokens": prompt.tokens, "starts_thinking": prompt.starts_thinking}),
            )
        }
        "answer" => answer(language, serde_json::from_str(line)?),
        other => Err(format!("nobody knows how to {other}").into()),
    }
}

impl Prompt {
    fn conversation(&self) -> Conversation<'_> {
        Conversation {
            messages: self.messages.get(),
            tools: self.tools.as_deref().map(RawValue::get),
            enable_thinking: self.enable_thinking,
            reasoning_effort: self.reasoning_effort.as_deref(),
            now: Moment::from_unix(self.now),
        }
    }
}

fn decode(language: &Language, asked: &Decode) -> Value {
    let mut detokenizer = Detokenizer::new(Arc::clone(language.tokenizer()));
    let mut pieces = Vec::new();
    for &token in &asked.tokens {
        let mut piece = String::new();
        detokenizer.push(token, &mut piece);
        pieces.push(piece);
    }
    let mut rest = String::new();
    detokenizer.flush(&mut rest);
    pieces.push(rest);
    json!({"pieces": pieces})
}

fn answer(language: &Language, asked: Answer) -> Told {
    let prompt = language.prompt(&asked.prompt.conversation())?;
    let mut answer = language.answer(prompt, asked.stop, asked.max_tokens)?;
    for token in asked.tokens {
        if answer.push(Sampled { token, logprobs: None }, false)? {
            break;
        }
    }
    let mut outputs = Vec::new();
    while let Some(output) = answer.next_output() {
        outputs.push(match output {
            Output::Piece(piece) => json!({
                "token": piece.token, "text": piece.text, "is_thinking": piece.is_thinking,
                "finish": piece.finish.map(|finish| format!("{finish:?}").to_lowercase()),
            }),
            Output::ToolCalls(calls) => {
                json!({"calls": calls.iter().map(|call| [&call.name, &call.arguments]).collect::<Vec<_>>()})
            }
        });
    }
    let counts = answer.counts();
    Ok(json!({
        "outputs": outputs, "completion_tokens": counts.tokens, "reasoning_tokens": counts.thoughts,
    }))
}

fn sample(asked: Sample) -> Told {
    let mut sampler = Sampler::new(asked.params, &asked.prompt)?;
    let (mut tokens, mut logprobs, mut logits) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..asked.times {
        logits.clone_from(&asked.logits);
        let sampled = sampler.sample(&mut logits)?;
        tokens.push(sampled.token);
        logprobs.extend(sampled.logprobs.map(|logprobs| logprobs.top));
    }
    Ok(json!({"tokens": tokens, "logprobs": logprobs}))
}
