//! Where templates lie in a model's files.

use super::super::json::Json;
use crate::{Error, Result};

/// A longer template is none; the longest known one has 20 kB.
const MAX_BYTES: usize = 256 << 10;

/// What the files hold.
#[derive(Debug, PartialEq)]
pub(super) struct Templates {
    pub(super) plain: String,
    /// For conversations with tools, where there are two.
    pub(super) with_tools: Option<String>,
    /// Special tokens with their names.
    pub(super) tokens: Vec<(String, String)>,
}

pub(super) fn read(jinja: Option<&str>, tokenizer_config: Option<&str>) -> Result<Templates> {
    let invalid = |what: String| Error::InvalidModel { file: "tokenizer_config.json".into(), what };
    let config = match tokenizer_config {
        Some(text) => Json::parse(text).map_err(invalid)?,
        None => Json::Null,
    };
    let tokens = ["bos_token", "eos_token", "unk_token", "pad_token"];
    let tokens =
        tokens.iter().filter_map(|name| Some(((*name).to_owned(), token(config.get(name)?)?))).collect();
    let (plain, with_tools) = match (jinja, config.get("chat_template")) {
        (Some(template), _) => (Some(template), None),
        (None, Some(Json::Text(template))) => (Some(&**template), None),
        (None, Some(Json::List(entries))) => {
            let named = |name: &str| {
                let entry =
                    entries.iter().find(|entry| entry.get("name").and_then(Json::as_text) == Some(name))?;
                entry.get("template")?.as_text()
            };
            (named("default"), named("tool_use"))
        }
        _ => (None, None),
    };
    let Some(plain) = plain else {
        let what = "a model without a chat template".into();
        let supported =
            "models with a chat_template.jinja, or with a chat_template in tokenizer_config.json".into();
        return Err(Error::Unsupported { what, supported });
    };
    if plain.len().max(with_tools.map_or(0, str::len)) > MAX_BYTES {
        return Err(invalid(format!("a chat template of more than {MAX_BYTES} bytes")));
    }
    Ok(Templates { plain: plain.to_owned(), with_tools: with_tools.map(str::to_owned), tokens })
}

/// A special token, as a text or as `{"content": ...}`.
pub(in crate::text) fn token(value: &Json) -> Option<String> {
    value.as_text().or_else(|| value.get("content")?.as_text()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_its_own_goes_before_the_settings() {
        let templates = read(Some("file"), Some(r#"{"chat_template": "settings"}"#)).unwrap();
        assert_eq!((&*templates.plain, templates.with_tools), ("file", None));
    }

    #[test]
    fn settings_hold_one_template_or_several_with_names() {
        assert_eq!(read(None, Some(r#"{"chat_template": "one"}"#)).unwrap().plain, "one");
        let two = r#"{"chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]}"#;
        let templates = read(None, Some(two)).unwrap();
        assert_eq!((&*templates.plain, templates.with_tools.as_deref()), ("a", Some("b")));
    }

    #[test]
    fn special_tokens_are_texts_or_objects() {
        let config = r#"{"chat_template": "", "bos_token": {"content": "<s>"}, "eos_token": "</s>", "unk_token": null}"#;
        let tokens = read(None, Some(config)).unwrap().tokens;
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
}
