//! What the engine says, in the worker's words.

use std::hash::{BuildHasher, RandomState};

use exo_engine::{
    chat::{Said, Usage},
    text::{Finish as Why, ToolCall},
};
use exo_node::worker::{Finish, Token, TopToken};
use exo_wire::{
    CommandId,
    chunk::{TokenFinish, ToolCallItem},
};

/// A token of an answer.
pub(crate) fn token(said: Said) -> Token {
    let top = said.top_logprobs.into_iter().map(|likely| TopToken {
        bytes: Some(likely.text.clone().into_bytes()),
        text: likely.text,
        logprob: f64::from(likely.logprob),
    });
    Token {
        text: said.text,
        id: said.token,
        thinking: said.is_thinking,
        logprob: said.logprob.map(f64::from),
        top: top.collect(),
        finish: said.end.map(|end| {
            let reason = match end.finish {
                Why::Stop => TokenFinish::Stop,
                Why::Length => TokenFinish::Length,
            };
            finish(reason, Vec::new(), end.usage)
        }),
    }
}

/// The end of an answer that wants tools to be called. Its tokens were the calls, so that there is nothing to append.
pub(crate) fn tool_calls(calls: Vec<ToolCall>, usage: Usage) -> Token {
    let item = |ToolCall { name, arguments }| ToolCallItem { id: call_id(), name, arguments };
    let calls = calls.into_iter().map(item).collect();
    Token { finish: Some(finish(TokenFinish::Stop, calls, usage)), ..Token::default() }
}

fn finish(reason: TokenFinish, tool_calls: Vec<ToolCallItem>, usage: Usage) -> Finish {
    Finish {
        reason,
        tool_calls,
        prompt_tokens: usage.prompt_tokens,
        cached_tokens: usage.cached_tokens,
        completion_tokens: usage.completion_tokens,
        reasoning_tokens: usage.reasoning_tokens,
    }
}

/// Clients tell results of calls apart by their ids: a new one each time, in the form of exo's.
fn call_id() -> String {
    let random = RandomState::new();
    let bits = u128::from(random.hash_one(0)) << 64 | u128::from(random.hash_one(1));
    CommandId::from_random(bits).as_str().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const USAGE: Usage =
        Usage { prompt_tokens: 9, cached_tokens: 4, completion_tokens: 12, reasoning_tokens: 3 };

    #[test]
    fn calls_end_an_answer_with_ids_of_their_own_and_the_whole_bill() {
        let call = || ToolCall { name: "weather".into(), arguments: "{}".into() };
        let token = tool_calls(vec![call(), call()], USAGE);
        let finish = token.finish.unwrap();
        assert_eq!((token.text.as_str(), finish.tool_calls.len()), ("", 2));
        assert_ne!(finish.tool_calls[0].id, finish.tool_calls[1].id);
        assert_eq!(
            (finish.prompt_tokens, finish.cached_tokens, finish.completion_tokens, finish.reasoning_tokens),
            (9, 4, 12, 3)
        );
    }
}
