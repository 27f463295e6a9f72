//! Messages as clients send them, made ready for a template as exo makes them ready.

use super::json::Json;
use super::template::Moment;
use crate::{Error, Result};

/// A conversation that a model shall continue.
#[derive(Clone, Copy, Debug)]
pub struct Conversation<'a> {
    /// A JSON list of messages in `OpenAI`'s form: `role`, `content`, `tool_calls`, `tool_call_id`, `name`.
    pub messages: &'a str,
    /// A JSON list of tools in `OpenAI`'s form.
    pub tools: Option<&'a str>,
    /// Whether the model shall think first. Without a word, a model that can does.
    pub enable_thinking: Option<bool>,
    /// How hard it shall think, in the words that its template knows.
    pub reasoning_effort: Option<&'a str>,
    /// The date, for templates that tell it.
    pub now: Moment,
}

/// Messages that a template takes.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) messages: Json,
    pub(super) tools: Option<Json>,
    /// The start of the answer, where the last message was the assistant's own.
    pub(super) prefill: String,
}

pub(super) fn prepare(conversation: &Conversation<'_>) -> Result<Prepared> {
    let Json::List(messages) =
        Json::parse(conversation.messages).map_err(|why| wrong("messages", why, "a JSON list"))?
    else {
        return Err(wrong("messages", "no list".into(), "a JSON list"));
    };
    let tools = conversation.tools.map(read_tools).transpose()?.flatten();
    let mut messages = messages;
    for message in &mut messages {
        if message.get("role").and_then(Json::as_text).is_none() {
            return Err(wrong("messages", "a message without a role".into(), "messages with a role"));
        }
        flatten_content(message)?;
        read_arguments(message);
    }
    let mut messages = with_one_system_message(messages);
    let prefill = take_prefill(&mut messages);
    Ok(Prepared { messages: Json::List(messages), tools, prefill })
}

/// A list of tools; nothing where it is empty.
pub(super) fn read_tools(tools: &str) -> Result<Option<Json>> {
    match Json::parse(tools) {
        Ok(Json::Null) => Ok(None),
        Ok(Json::List(tools)) => Ok(Some(Json::List(tools)).filter(|tools| *tools != Json::List(Vec::new()))),
        Ok(_) => Err(wrong("tools", "no list".into(), "a JSON list")),
        Err(why) => Err(wrong("tools", why, "a JSON list")),
    }
}

fn wrong(what: &'static str, asked: String, allowed: &str) -> Error {
    Error::InvalidRequest { what, asked, allowed: allowed.into() }
}

/// Content in parts becomes one text. Parts that are no text are refused: a picture that is silently left out would
/// change what was asked.
fn flatten_content(message: &mut Json) -> Result<()> {
    let Some(content @ Json::List(_)) = message.get_mut("content") else { return Ok(()) };
    let Json::List(parts) = &*content else { return Ok(()) };
    let mut texts = Vec::with_capacity(parts.len());
    for part in parts {
        match (part.get("type").and_then(Json::as_text), part.get("text").and_then(Json::as_text)) {
            (Some("text" | "input_text") | None, Some(text)) => texts.push(text.to_owned()),
            (kind, _) => {
                return Err(wrong("content", format!("a part of type {}", kind.unwrap_or("(none)")), "text"));
            }
        }
    }
    *content = Json::Text(texts.join("\n"));
    Ok(())
}

/// Clients send a call's arguments as JSON in a text; templates want the object.
fn read_arguments(message: &mut Json) {
    let Some(Json::List(calls)) = message.get_mut("tool_calls") else { return };
    for call in calls {
        if let Some(arguments) = call.get_mut("function").and_then(|function| function.get_mut("arguments"))
            && let Some(object) = arguments.as_text().and_then(|text| Json::parse(text).ok())
        {
            *arguments = object;
        }
    }
}

/// Templates allow one system message, at the start. Developers' messages are such.
fn with_one_system_message(messages: Vec<Json>) -> Vec<Json> {
    let is_system =
        |message: &Json| matches!(message.get("role").and_then(Json::as_text), Some("system" | "developer"));
    let (system, mut others): (Vec<Json>, Vec<Json>) = messages.into_iter().partition(is_system);
    let texts =
        system.iter().filter_map(|message| message.get("content")?.as_text()).filter(|text| !text.is_empty());
    let text = texts.collect::<Vec<_>>().join("\n");
    if !text.is_empty() {
        let message =
            vec![("role".into(), Json::Text("system".into())), ("content".into(), Json::Text(text))];
        others.insert(0, Json::Map(message));
    }
    others
}

/// A last message of the assistant's is the start of the answer: it follows the prompt, and no turn is closed.
fn take_prefill(messages: &mut Vec<Json>) -> String {
    let is_assistant = |message: &Json| message.get("role").and_then(Json::as_text) == Some("assistant");
    let last = messages.pop_if(|last| is_assistant(last));
    last.and_then(|last| last.get("content")?.as_text().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(messages: &str) -> Prepared {
        prepare(&conversation(messages)).unwrap()
    }

    fn conversation(messages: &str) -> Conversation<'_> {
        Conversation {
            messages,
            tools: None,
            enable_thinking: None,
            reasoning_effort: None,
            now: Moment::from_unix(0),
        }
    }

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn system_and_developer_messages_become_one_at_the_start() {
        let messages = r#"[{"role": "user", "content": "a"}, {"role": "system", "content": "b"},
            {"role": "developer", "content": "c"}, {"role": "system", "content": ""}]"#;
        let expected = r#"[{"role": "system", "content": "b\nc"}, {"role": "user", "content": "a"}]"#;
        assert_eq!(prepared(messages).messages, json(expected));
    }

    #[test]
    fn the_assistants_own_last_message_starts_the_answer() {
        let prepared =
            prepared(r#"[{"role": "user", "content": "a"}, {"role": "assistant", "content": "Well"}]"#);
        assert_eq!(
            (prepared.messages, &*prepared.prefill),
            (json(r#"[{"role": "user", "content": "a"}]"#), "Well")
        );
    }

    #[test]
    fn parts_of_text_are_joined_and_pictures_refused() {
        let parts = r#"[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]"#;
        assert_eq!(prepared(parts).messages, json(r#"[{"role": "user", "content": "a\nb"}]"#));
        let picture = r#"[{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]"#;
        let error = prepare(&conversation(picture)).unwrap_err();
        assert_eq!(error.to_string(), "content: a part of type image_url was asked, text is allowed");
    }

    #[test]
    fn arguments_of_calls_are_read() {
        let call = r#"[{"role": "user", "content": ""}, {"role": "assistant",
            "tool_calls": [{"function": {"name": "f", "arguments": "{\"x\": 1}"}}]}, {"role": "tool", "content": "2"}]"#;
        let Json::List(messages) = prepared(call).messages else { panic!("no list") };
        let Some(Json::List(calls)) = messages[1].get("tool_calls") else { panic!("no calls") };
        assert_eq!(calls[0].get("function").unwrap().get("arguments"), Some(&json(r#"{"x": 1}"#)));
    }

    #[test]
    fn what_is_no_conversation_is_an_error() {
        for messages in ["", "{}", "[3]", r#"[{"content": "a"}]"#, "[{\"role\": 1}]"] {
            assert_eq!(
                prepare(&conversation(messages)).unwrap_err().kind(),
                crate::ErrorKind::InvalidRequest,
                "{messages}"
            );
        }
        assert!(prepare(&Conversation { tools: Some("{}"), ..conversation("[]") }).is_err());
        assert!(prepare(&Conversation { tools: Some("[]"), ..conversation("[]") }).unwrap().tools.is_none());
    }
}
