//! exo's task parameters as the engine's request.

use exo_engine::{Error, chat::ChatRequest};
use exo_wire::text::TextGenerationTaskParams;

/// The engine reads the very JSON that exo sends, so that each field has one meaning.
pub(crate) fn of(params: &TextGenerationTaskParams) -> Result<ChatRequest, Error> {
    let json = serde_json::to_string(params).map_err(|error| Error::InvalidRequest {
        what: "task_params",
        asked: error.to_string(),
        allowed: "exo's task parameters for text".into(),
    })?;
    ChatRequest::from_json(&json)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(json: &str) -> ChatRequest {
        of(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn every_field_that_changes_an_answer_arrives() {
        let request = read(
            r#"{"model": "org/model", "input": [{"role": "user", "content": "hi"}], "instructions": "be brief",
            "max_output_tokens": 7, "temperature": 0.5, "top_p": 0.9, "top_k": 40, "min_p": 0.1, "stop": "end",
            "seed": -3, "repetition_penalty": 1.5, "repetition_context_size": 9, "presence_penalty": -0.5,
            "frequency_penalty": 0.25, "enable_thinking": false, "reasoning_effort": "xhigh", "logprobs": true,
            "top_logprobs": 3, "bench": true}"#,
        );
        assert_eq!((request.input[0].role.as_str(), request.input[0].content.as_str()), ("user", "hi"));
        assert_eq!(request.instructions.as_deref(), Some("be brief"));
        assert_eq!((request.max_output_tokens, request.top_k, request.seed), (Some(7), Some(40), Some(-3)));
        assert_eq!((request.temperature, request.top_p, request.min_p), (Some(0.5), Some(0.9), Some(0.1)));
        assert_eq!((request.repetition_penalty, request.repetition_context_size), (Some(1.5), Some(9)));
        assert_eq!((request.presence_penalty, request.frequency_penalty), (Some(-0.5), Some(0.25)));
        assert_eq!(
            (request.enable_thinking, request.reasoning_effort.as_deref()),
            (Some(false), Some("xhigh"))
        );
        assert_eq!((request.logprobs, request.top_logprobs, request.bench), (true, Some(3), true));
        assert_eq!(request.stop, ["end"]);
    }

    #[test]
    fn templates_print_tools_in_the_order_in_which_the_client_wrote_their_keys() {
        let request = read(
            r#"{"model": "m", "input": [], "stop": ["a", "b"],
            "tools": [{"type": "function", "function": {"name": "f", "description": "d"}}],
            "chat_template_messages": [{"role": "user", "content": "hi"}]}"#,
        );
        let tools = request.tools.unwrap();
        assert!(tools.get().find("type") < tools.get().find("function"), "{tools}");
        assert!(tools.get().find("name") < tools.get().find("description"), "{tools}");
        let messages = request.messages.unwrap();
        assert!(messages.get().find("role") < messages.get().find("content"), "{messages}");
        assert_eq!(request.stop, ["a", "b"]);
    }
}
