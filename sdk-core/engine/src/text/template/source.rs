//! Where templates lie in a model's files.

use super::super::json::Json;
use crate::{Error, Result};

/// The template of plain conversations.
pub(super) const DEFAULT: &str = "default";
/// The template of conversations with tools, where a model has two.
pub(super) const TOOL_USE: &str = "tool_use";
/// Marks what a template raised itself.
pub(super) const RAISED: &str = "raised: ";

/// A longer template is none; the longest known one has 20 kB.
const MAX_BYTES: usize = 1 << 20;

type Named = Vec<(String, String)>;

/// Templates with their names, and special tokens with theirs.
pub(super) fn read(jinja: Option<&str>, tokenizer_config: Option<&str>) -> Result<(Named, Named)> {
    let invalid = |what: String| Error::InvalidModel { file: "tokenizer_config.json".into(), what };
    let config = match tokenizer_config {
        Some(text) => Json::parse(text).map_err(invalid)?,
        None => Json::Null,
    };
    let tokens = ["bos_token", "eos_token", "unk_token", "pad_token"];
    let tokens =
        tokens.iter().filter_map(|name| Some(((*name).to_owned(), token(config.get(name)?)?))).collect();
    let named = match (jinja, config.get("chat_template")) {
        (Some(template), _) => vec![(DEFAULT.to_owned(), template.to_owned())],
        (None, Some(Json::Text(template))) => vec![(DEFAULT.to_owned(), template.clone())],
        (None, Some(Json::List(entries))) => {
            let entry = |entry: &Json| {
                Some((entry.get("name")?.as_text()?.to_owned(), entry.get("template")?.as_text()?.to_owned()))
            };
            let named = entries.iter().map(entry).collect::<Option<Named>>();
            named.ok_or_else(|| invalid("a chat template without a name or a text".into()))?
        }
        _ => Vec::new(),
    };
    if !named.iter().any(|(name, _)| name == DEFAULT) {
        let what = "a model without a chat template".into();
        let supported =
            "models with a chat_template.jinja, or with a chat_template in tokenizer_config.json".into();
        return Err(Error::Unsupported { what, supported });
    }
    if named.iter().any(|(_, template)| template.len() > MAX_BYTES) {
        return Err(invalid(format!("a chat template of more than {MAX_BYTES} bytes")));
    }
    Ok((named, tokens))
}

/// A special token, as a text or as `{"content": ...}`.
pub(in crate::text) fn token(value: &Json) -> Option<String> {
    value.as_text().or_else(|| value.get("content")?.as_text()).map(str::to_owned)
}

/// `{% generation %}` marks what a model is trained on. It changes no prompt: a block that only keeps variables to
/// itself takes its place, with the same spaces swallowed around it.
pub(super) fn without_generation_tags(template: &str) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find("{%") {
        let (before, tag) = rest.split_at(start);
        text.push_str(before);
        let end = tag.find("%}").map_or(tag.len(), |end| end + 2);
        let (tag, after) = tag.split_at(end);
        let word = tag.trim_matches(|c: char| "{%-+}".contains(c) || c.is_whitespace());
        match word {
            "generation" => text.push_str(&tag.replace("generation", "with")),
            "endgeneration" => text.push_str(&tag.replace("endgeneration", "endwith")),
            _ => text.push_str(tag),
        }
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_its_own_goes_before_the_settings() {
        let (named, _) = read(Some("file"), Some(r#"{"chat_template": "settings"}"#)).unwrap();
        assert_eq!(named, [("default".into(), "file".into())]);
    }

    #[test]
    fn settings_hold_one_template_or_several_with_names() {
        let (named, _) = read(None, Some(r#"{"chat_template": "one"}"#)).unwrap();
        assert_eq!(named, [("default".into(), "one".into())]);
        let two = r#"{"chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]}"#;
        assert_eq!(read(None, Some(two)).unwrap().0.len(), 2);
    }

    #[test]
    fn special_tokens_are_texts_or_objects() {
        let config = r#"{"chat_template": "", "bos_token": {"content": "<s>"}, "eos_token": "</s>", "unk_token": null}"#;
        let (_, tokens) = read(None, Some(config)).unwrap();
        assert_eq!(tokens, [("bos_token".into(), "<s>".into()), ("eos_token".into(), "</s>".into())]);
    }

    #[test]
    fn no_template_is_refused() {
        for config in [None, Some("{}"), Some(r#"{"chat_template": null}"#), Some(r#"{"chat_template": []}"#)]
        {
            assert_eq!(read(None, config).unwrap_err().kind(), crate::ErrorKind::Unsupported);
        }
        assert_eq!(read(None, Some("{")).unwrap_err().kind(), crate::ErrorKind::InvalidModel);
    }

    #[test]
    fn generation_tags_become_blocks_that_write_nothing() {
        let template = "a{%- generation -%} b {% endgeneration %}{% set generation = 1 %}";
        assert_eq!(
            without_generation_tags(template),
            "a{%- with -%} b {% endwith %}{% set generation = 1 %}"
        );
    }
}
