//! An answer in `OpenAI`'s shape: in pieces, or whole.

use std::{
    hash::{BuildHasher, RandomState},
    time::SystemTime,
};

use exo_engine::{
    chat::{Event, Said, Usage},
    text::{Finish, ToolCall},
};
use serde_json::{Map, Value, json};

/// What all pieces of an answer have in common, and what they add up to.
#[derive(Debug)]
pub(super) struct Answer {
    id: String,
    created: u64,
    model: String,
    began: bool,
    content: String,
    reasoning: String,
    logprobs: Vec<Value>,
    tool_calls: Vec<Value>,
    finish: Option<&'static str>,
    usage: Usage,
}

impl Answer {
    pub(super) fn new(model: &str) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            id: format!("chatcmpl-{}", random()),
            created: since.as_secs(),
            model: model.to_owned(),
            began: false,
            content: String::new(),
            reasoning: String::new(),
            logprobs: Vec::new(),
            tool_calls: Vec::new(),
            finish: None,
            usage: Usage::default(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.finish.is_some()
    }

    /// Takes what happened, and makes a piece of it.
    pub(super) fn take(&mut self, event: Event) -> Value {
        let mut delta = Map::new();
        if !std::mem::replace(&mut self.began, true) {
            delta.insert("role".into(), json!("assistant"));
        }
        let mut logprobs = Value::Null;
        match event {
            Event::Said(said) => {
                if let Some(entry) = likelihood(&said) {
                    logprobs = json!({"content": [entry.clone()]});
                    self.logprobs.push(entry);
                }
                if let Some(end) = said.end {
                    self.usage = end.usage;
                    self.finish = Some(match end.finish {
                        Finish::Stop => "stop",
                        Finish::Length => "length",
                    });
                }
                let (name, all) = if said.is_thinking {
                    ("reasoning_content", &mut self.reasoning)
                } else {
                    ("content", &mut self.content)
                };
                all.push_str(&said.text);
                delta.insert(name.into(), json!(said.text));
            }
            Event::ToolCalls { calls, usage } => {
                (self.usage, self.finish) = (usage, Some("tool_calls"));
                self.tool_calls = calls.iter().map(call).collect();
                let indexed = self.tool_calls.iter().zip(0..).map(|(call, index)| {
                    let mut call = call.clone();
                    call["index"] = json!(index);
                    call
                });
                delta.insert("tool_calls".into(), indexed.collect());
            }
        }
        let choice = json!({"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": self.finish});
        self.envelope("chat.completion.chunk", &[choice])
    }

    /// The piece after the last one, for those who want the bill.
    pub(super) fn bill(&self) -> Value {
        let mut piece = self.envelope("chat.completion.chunk", &[]);
        piece["usage"] = usage(&self.usage);
        piece
    }

    /// All of it.
    pub(super) fn whole(&self) -> Value {
        let mut message = json!({"role": "assistant", "content": self.content});
        if !self.reasoning.is_empty() {
            message["reasoning_content"] = json!(self.reasoning);
        }
        if !self.tool_calls.is_empty() {
            message["tool_calls"] = json!(self.tool_calls);
        }
        let logprobs = if self.logprobs.is_empty() { Value::Null } else { json!({"content": self.logprobs}) };
        let choice =
            json!({"index": 0, "message": message, "logprobs": logprobs, "finish_reason": self.finish});
        let mut whole = self.envelope("chat.completion", &[choice]);
        whole["usage"] = usage(&self.usage);
        whole
    }

    fn envelope(&self, object: &str, choices: &[Value]) -> Value {
        json!({"id": self.id, "object": object, "created": self.created, "model": self.model, "choices": choices})
    }
}

fn likelihood(said: &Said) -> Option<Value> {
    let top = said.top_logprobs.iter().map(
        |likely| json!({"token": likely.text, "logprob": likely.logprob, "bytes": likely.text.as_bytes()}),
    );
    let (token, top): (_, Vec<Value>) = (&said.text, top.collect());
    let logprob = said.logprob?;
    Some(json!({"token": token, "logprob": logprob, "bytes": token.as_bytes(), "top_logprobs": top}))
}

fn call(ToolCall { name, arguments }: &ToolCall) -> Value {
    let id = format!("call_{}", random());
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn usage(usage: &Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens(),
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    })
}

/// Something that nobody else has.
fn random() -> String {
    format!("{:016x}", RandomState::new().hash_one(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage =
        Usage { prompt_tokens: 5, cached_tokens: 0, completion_tokens: 9, reasoning_tokens: 2 };

    #[test]
    fn tool_calls_end_an_answer_and_are_numbered_in_its_last_piece() {
        let mut answer = Answer::new("m");
        let calls = ["a", "b"].map(|name| ToolCall { name: name.into(), arguments: "{}".into() }).to_vec();
        let piece = answer.take(Event::ToolCalls { calls, usage: USAGE });
        let choice = &piece["choices"][0];
        assert_eq!(choice["finish_reason"], "tool_calls");
        assert_eq!(choice["delta"]["tool_calls"][1]["index"], 1);
        assert_eq!(choice["delta"]["tool_calls"][1]["function"]["name"], "b");
        let whole = answer.whole();
        assert_eq!(whole["choices"][0]["message"]["tool_calls"][0]["type"], "function");
        assert_eq!(whole["usage"]["total_tokens"], 14);
    }
}
