//! Arguments of a call as the tool's schema wants them.
//!
//! Models write `"3"` where a number is meant. exo turns such values into what the schema says, where nothing is lost,
//! and leaves all others as they are: the tool may know better than we do.

use crate::text::conversation::read_tools;
use crate::text::jinja::json_as_python;
use crate::text::json::Json;
use crate::{Error, Result};

use super::dialect::ToolDialect;
use super::piece::ToolCall;

/// The tools that a model was offered, and how it writes their calls.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTools {
    pub(super) dialect: ToolDialect,
    /// The names of tools and what their arguments are like.
    schemas: Vec<(String, Json)>,
}

impl From<ToolDialect> for OfferedTools {
    /// Tools of which nothing else is known.
    fn from(dialect: ToolDialect) -> Self {
        Self { dialect, schemas: Vec::new() }
    }
}

impl OfferedTools {
    /// From a JSON list of tools in `OpenAI`'s form.
    pub fn new(dialect: ToolDialect, tools: &str) -> Result<Self> {
        let tools = read_tools(tools)?.ok_or_else(|| Error::InvalidRequest {
            what: "tools",
            asked: "none".into(),
            allowed: "a JSON list of one or more".into(),
        })?;
        Ok(Self::of(dialect, &tools))
    }

    pub(in crate::text) fn of(dialect: ToolDialect, tools: &Json) -> Self {
        let Json::List(tools) = tools else { return dialect.into() };
        let schema = |tool: &Json| {
            let function = tool.get("function")?;
            let parameters = function.get("parameters").filter(|parameters| parameters.is_map())?;
            Some((function.get("name")?.as_text()?.to_owned(), parameters.clone()))
        };
        Self { dialect, schemas: tools.iter().filter_map(schema).collect() }
    }

    /// The call with its arguments as the schema of its tool wants them.
    pub(super) fn fitted(&self, call: ToolCall) -> ToolCall {
        let Some((_, schema)) = self.schemas.iter().rfind(|(name, _)| *name == call.name) else {
            return call;
        };
        let fitted = match Json::parse(&call.arguments) {
            Ok(arguments @ Json::Map(_)) => fit(arguments, schema),
            _ => return call,
        };
        match json_as_python(&fitted) {
            Some(arguments) if fitted.is_map() => ToolCall { arguments, ..call },
            _ => call,
        }
    }
}

fn fit(value: Json, schema: &Json) -> Json {
    match schema.get("type") {
        Some(Json::Text(kind)) => fit_as(value, kind, schema),
        Some(Json::List(kinds)) => {
            for kind in kinds.iter().filter_map(Json::as_text) {
                let fitted = fit_as(value.clone(), kind, schema);
                if is_a(&fitted, kind) {
                    return fitted;
                }
            }
            value
        }
        _ => value,
    }
}

fn fit_as(value: Json, kind: &str, schema: &Json) -> Json {
    let text = value.as_text().map(str::trim);
    match (kind, text) {
        ("object" | "array", _) => fit_parts(value, kind, schema),
        ("integer", Some(text)) => text.parse().map_or(value, Json::Int),
        ("integer", None) => match value {
            // Whole numbers of this size are exact in both forms.
            Json::Float(float) if float.fract() == 0.0 && float.abs() < 9e15 => Json::Int(float as i128),
            value => value,
        },
        ("number", Some(text)) => match text.parse() {
            Ok(float) if f64::is_finite(float) => Json::Float(float),
            _ => value,
        },
        ("boolean", Some(text)) if text.eq_ignore_ascii_case("true") => Json::Bool(true),
        ("boolean", Some(text)) if text.eq_ignore_ascii_case("false") => Json::Bool(false),
        _ => value,
    }
}

/// Objects and lists, which may stand in a text, with their parts.
fn fit_parts(value: Json, kind: &str, schema: &Json) -> Json {
    let parsed = value.as_text().and_then(|text| Json::parse(text).ok());
    match (parsed.unwrap_or_else(|| value.clone()), kind) {
        (Json::Map(pairs), "object") => {
            let of = |name: &str| schema.get("properties")?.get(name).filter(|schema| schema.is_map());
            let fitted = pairs.into_iter().map(|(name, part)| match of(&name) {
                Some(schema) => (name, fit(part, schema)),
                None => (name, part),
            });
            Json::Map(fitted.collect())
        }
        (Json::List(items), "array") => match schema.get("items").filter(|schema| schema.is_map()) {
            Some(schema) => Json::List(items.into_iter().map(|item| fit(item, schema)).collect()),
            None => Json::List(items),
        },
        _ => value,
    }
}

fn is_a(value: &Json, kind: &str) -> bool {
    match value {
        Json::Null => kind == "null",
        Json::Bool(_) => kind == "boolean",
        Json::Int(_) => kind == "integer" || kind == "number",
        Json::Float(_) => kind == "number",
        Json::Text(_) => kind == "string",
        Json::List(_) => kind == "array",
        Json::Map(_) => kind == "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(properties: &str, arguments: &str) -> String {
        let tools = format!(
            r#"[{{"type": "function", "function": {{"name": "f", "parameters": {{"type": "object", "properties": {properties}}}}}}}]"#
        );
        let tools = OfferedTools::new(ToolDialect::Tagged, &tools).unwrap();
        tools.fitted(ToolCall { name: "f".into(), arguments: arguments.into() }).arguments
    }

    #[test]
    fn values_in_texts_become_what_the_schema_says() {
        let properties = r#"{"n": {"type": "integer"}, "x": {"type": "number"}, "b": {"type": "boolean"},
            "l": {"type": "array", "items": {"type": "integer"}}, "s": {"type": "string"}}"#;
        let given = r#"{"n": " 3 ", "x": "1.5", "b": "True", "l": "[\"1\", 2.0]", "s": "4", "other": "5"}"#;
        let expected = r#"{"n": 3, "x": 1.5, "b": true, "l": [1, 2], "s": "4", "other": "5"}"#;
        assert_eq!(fitted(properties, given), expected);
    }

    #[test]
    fn values_that_do_not_fit_stay() {
        let properties = r#"{"n": {"type": "integer"}, "b": {"type": "boolean"}, "o": {"type": "object"}}"#;
        let given = r#"{"n": "three", "b": "yes", "o": "{oops"}"#;
        assert_eq!(fitted(properties, given), given);
        assert_eq!(fitted(properties, r#"{"n": true, "b": 1, "o": []}"#), r#"{"n": true, "b": 1, "o": []}"#);
    }

    #[test]
    fn of_several_types_the_first_that_fits_counts() {
        let properties = r#"{"n": {"type": ["integer", "null"]}, "m": {"type": ["null", "string"]}}"#;
        assert_eq!(fitted(properties, r#"{"n": "7", "m": "7"}"#), r#"{"n": 7, "m": "7"}"#);
        assert_eq!(fitted(properties, r#"{"n": null, "m": null}"#), r#"{"n": null, "m": null}"#);
    }

    #[test]
    fn calls_of_tools_that_nobody_offered_stay() {
        let tools = OfferedTools::from(ToolDialect::Bare);
        let call = ToolCall { name: "g".into(), arguments: "{\"a\":1}".into() };
        assert_eq!(tools.fitted(call.clone()), call);
    }
}
