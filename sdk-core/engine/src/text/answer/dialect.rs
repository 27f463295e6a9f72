//! How models write the calls of tools.
//!
//! Each family has its own way, learnt in training. Two are read here; the others are refused when tools are offered,
//! by the mark that their template shows.

use crate::text::ChatTemplate;
use crate::text::jinja::json_as_python;
use crate::text::json::Json;
use crate::{Error, Result};

use super::piece::ToolCall;

/// A family's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolDialect {
    /// `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, as often as wanted, anywhere.
    Tagged,
    /// The whole answer is `{"name": ..., "parameters": {...}}`, perhaps behind `<|python_tag|>`, perhaps several.
    Bare,
}

pub(super) const OPEN: &str = "<tool_call>";
pub(super) const CLOSE: &str = "</tool_call>";
pub(super) const PYTHON_TAG: &str = "<|python_tag|>";

/// Marks of dialects that are not read here, before those that are: some contain `<tool_call>` too.
const OTHERS: [(&str, &str); 12] = [
    ("<minimax:tool_call>", "MiniMax"),
    ("<|tool_call>", "Gemma 4"),
    ("<start_function_call>", "FunctionGemma"),
    ("<longcat_tool_call>", "LongCat"),
    ("<arg_key>", "GLM"),
    ("<|tool_call_start|>", "LFM"),
    ("<function=", "Qwen Coder"),
    ("<|tool_calls_section_begin|>", "Kimi"),
    ("<｜tool▁calls▁begin｜>", "DeepSeek"),
    ("<|channel|>", "gpt-oss"),
    ("<param name=\"", "MiniCPM"),
    ("[TOOL_CALLS]", "Mistral"),
];

impl ToolDialect {
    /// The dialect that a template shows, or a refusal that names the one it would need.
    pub fn of(template: &ChatTemplate) -> Result<Self> {
        let refused =
            |what: String| Error::Unsupported { what, supported: "those of Llama 3 and Qwen".into() };
        if let Some((_, family)) = OTHERS.iter().find(|(mark, _)| template.mentions(mark)) {
            return Err(refused(format!("the tool calls of {family}")));
        }
        if template.mentions(OPEN) {
            return Ok(Self::Tagged);
        }
        if template.mentions("tools")
            && (template.mentions("\"parameters\"") || template.mentions(PYTHON_TAG))
        {
            return Ok(Self::Bare);
        }
        Err(refused("tools for a model whose template knows none".into()))
    }
}

/// The call in a tagged section, tags included.
pub(super) fn tagged_call(section: &str) -> Option<ToolCall> {
    let inside = section.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    call_of(&Json::parse(inside.trim()).ok()?)
}

/// The calls that a whole answer is, one after the other.
pub(super) fn bare_calls(answer: &str) -> Option<Vec<ToolCall>> {
    let answer = answer.trim();
    let answer = answer.strip_prefix(PYTHON_TAG).unwrap_or(answer);
    let mut calls = Vec::new();
    let mut rest = answer.trim();
    while !rest.is_empty() {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Json>();
        calls.push(call_of(&values.next()?.ok()?)?);
        rest = rest[values.byte_offset()..]
            .trim_start_matches(|c: char| c == ';' || c == ',' || c.is_whitespace());
    }
    Some(calls).filter(|calls| !calls.is_empty())
}

/// Whether the start of an answer may become a bare call.
pub(super) fn may_be_bare(answer: &str) -> bool {
    const KEYS: [&str; 5] = ["\"name\"", "\"type\"", "\"function\"", "\"parameters\"", "\"arguments\""];
    let answer = answer.trim_start();
    if PYTHON_TAG.starts_with(answer) {
        return true;
    }
    let answer = answer.strip_prefix(PYTHON_TAG).unwrap_or(answer).trim_start();
    if answer.is_empty() {
        return true;
    }
    let Some(inside) = answer.strip_prefix('{') else { return false };
    let inside = inside.trim_start();
    KEYS.iter().any(|key| key.starts_with(inside) || inside.starts_with(key))
}

fn call_of(json: &Json) -> Option<ToolCall> {
    let json = match json.get("function") {
        Some(function @ Json::Map(_)) => function,
        _ => json,
    };
    let name = json.get("name")?.as_text()?.to_owned();
    let arguments = match json.get("arguments").or_else(|| json.get("parameters")) {
        None => "{}".into(),
        Some(Json::Text(text)) => text.clone(),
        Some(arguments @ Json::Map(_)) => json_as_python(arguments)?,
        Some(_) => return None,
    };
    Some(ToolCall { name, arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { name: name.into(), arguments: arguments.into() }
    }

    #[test]
    fn a_tagged_call_is_json_between_tags() {
        let section = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"b\":1,\"a\":\"é\"}}\n</tool_call>";
        assert_eq!(tagged_call(section), Some(call("f", r#"{"b": 1, "a": "\u00e9"}"#)));
        for broken in [
            "<tool_call>{}</tool_call>",
            "<tool_call>{\"name\": 3}</tool_call>",
            "<tool_call>{</tool_call>",
            "{}",
        ] {
            assert_eq!(tagged_call(broken), None, "{broken}");
        }
    }

    #[test]
    fn bare_calls_may_be_several_and_behind_a_tag() {
        let one = r#"{"name": "f", "parameters": {"x": 1}}"#;
        assert_eq!(bare_calls(one), Some(vec![call("f", r#"{"x": 1}"#)]));
        assert_eq!(bare_calls(&format!("<|python_tag|>{one}; {one}")).map(|calls| calls.len()), Some(2));
        assert_eq!(
            bare_calls(r#"{"type": "function", "function": {"name": "g"}}"#),
            Some(vec![call("g", "{}")])
        );
        assert_eq!(bare_calls(&format!("{one} and so on")), None);
        assert_eq!(bare_calls(r#"{"temperature": 3}"#), None);
        assert_eq!(bare_calls(""), None);
    }

    #[test]
    fn an_answer_is_held_only_while_it_may_be_a_call() {
        for start in ["", " \n", "<|python", "<|python_tag|> {", "{", "{ \"na", "{\"name\": \"f\""] {
            assert!(may_be_bare(start), "{start}");
        }
        for start in ["Hello", "{\"answer", "{x", "<|python_tag|>print(1)", "<b>"] {
            assert!(!may_be_bare(start), "{start}");
        }
    }

    #[test]
    fn a_template_shows_its_dialect_and_others_are_refused_by_name() {
        let of = |template: &str| ToolDialect::of(&ChatTemplate::from_files(Some(template), None).unwrap());
        assert_eq!(of("{{ tools }}<tool_call>").unwrap(), ToolDialect::Tagged);
        assert_eq!(
            of("{% if tools %}{\"name\": ..., \"parameters\": ...}{% endif %}").unwrap(),
            ToolDialect::Bare
        );
        assert_eq!(
            of("{{ tools }}[TOOL_CALLS]").unwrap_err().to_string(),
            "the tool calls of Mistral is not supported; supported: those of Llama 3 and Qwen"
        );
        assert!(of("{{ tools }}<tool_call><function=").unwrap_err().to_string().contains("Qwen Coder"));
        assert!(of("hello").unwrap_err().to_string().contains("knows none"));
    }
}
