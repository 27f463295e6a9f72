//! JSON as Python's `json.dumps` writes it.
//!
//! A model saw its tools and calls in training in that spelling: a missing space after a comma is another prompt.

use super::show;
use super::value::Value;
use super::{Meter, Outcome};
use crate::text::json::Json;

/// How `json.dumps` is asked to write.
#[derive(Clone, Debug)]
pub(super) struct Style {
    pub(super) escapes_unicode: bool,
    pub(super) indent: Option<String>,
    pub(super) item_separator: String,
    pub(super) key_separator: String,
    pub(super) sorts_keys: bool,
}

impl Default for Style {
    /// What templates get: letters of all scripts stay as they are.
    fn default() -> Self {
        Self {
            escapes_unicode: false,
            indent: None,
            item_separator: ", ".into(),
            key_separator: ": ".into(),
            sorts_keys: false,
        }
    }
}

/// Writes JSON as Python does without being asked for more: letters beyond ASCII as escapes.
pub(in crate::text) fn json_as_python(json: &Json) -> Option<String> {
    let style = Style { escapes_unicode: true, ..Style::default() };
    dumps(&Value::from(json), &style, &Meter::unlimited()).ok()
}

/// Writes as Python's `json.dumps`.
pub(super) fn dumps(value: &Value, style: &Style, meter: &Meter) -> Outcome<String> {
    let mut writer = Writer { style, meter, text: String::new() };
    writer.write(value, 0)?;
    Ok(writer.text)
}

struct Writer<'a> {
    style: &'a Style,
    meter: &'a Meter,
    text: String,
}

impl Writer<'_> {
    fn write(&mut self, value: &Value, depth: usize) -> Outcome<()> {
        match value {
            Value::Text(text) => self.quote(text),
            Value::Map(pairs) => {
                let mut pairs: Vec<(String, &Value)> = pairs
                    .pairs
                    .iter()
                    .map(|(key, value)| Ok((key_name(key)?, value)))
                    .collect::<Outcome<_>>()?;
                if self.style.sorts_keys {
                    pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
                }
                self.group(['{', '}'], depth, &pairs, |writer, (name, value)| {
                    writer.quote(name)?;
                    writer.push(&writer.style.key_separator)?;
                    writer.write(value, depth + 1)
                })
            }
            Value::List(items) | Value::Tuple(items) => {
                self.group(['[', ']'], depth, &items.items, |writer, item| writer.write(item, depth + 1))
            }
            other => {
                let text = scalar(other)?;
                self.push(&text)
            }
        }
    }

    fn push(&mut self, text: &str) -> Outcome<()> {
        self.meter.spend(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    fn group<T>(
        &mut self,
        [open, close]: [char; 2],
        depth: usize,
        items: &[T],
        mut each: impl FnMut(&mut Self, &T) -> Outcome<()>,
    ) -> Outcome<()> {
        self.text.push(open);
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.push(&self.style.item_separator)?;
            }
            self.new_line(depth + 1)?;
            each(self, item)?;
        }
        if !items.is_empty() {
            self.new_line(depth)?;
        }
        self.push(close.encode_utf8(&mut [0; 4]))
    }

    fn new_line(&mut self, depth: usize) -> Outcome<()> {
        if let Some(indent) = &self.style.indent {
            self.push("\n")?;
            for _ in 0..depth {
                self.push(indent)?;
            }
        }
        Ok(())
    }

    fn quote(&mut self, value: &str) -> Outcome<()> {
        self.meter.spend(value.len() + 2)?;
        let text = &mut self.text;
        text.push('"');
        for c in value.chars() {
            match c {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\u{8}' => text.push_str("\\b"),
                '\u{c}' => text.push_str("\\f"),
                c if c < ' ' || (self.style.escapes_unicode && !(' '..='~').contains(&c)) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let digits = format!("{unit:04x}");
                        text.extend(["\\u", &digits]);
                    }
                }
                c => text.push(c),
            }
        }
        text.push('"');
        Ok(())
    }
}

fn key_name(key: &Value) -> Outcome<String> {
    match key {
        Value::Text(text) => Ok(text.to_string()),
        other => scalar(other),
    }
}

fn scalar(value: &Value) -> Outcome<String> {
    Ok(match value {
        Value::None => "null".into(),
        Value::Bool(bool) => bool.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Float(float) if float.is_nan() => "NaN".into(),
        Value::Float(f64::INFINITY) => "Infinity".into(),
        Value::Float(f64::NEG_INFINITY) => "-Infinity".into(),
        Value::Float(float) => show::float(*float),
        other => return Err(format!("{} is no JSON", other.kind()).into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(json: &str, style: &Style) -> String {
        dumps(&Value::from(&Json::parse(json).unwrap()), style, &Meter::unlimited()).unwrap()
    }

    #[test]
    fn it_is_written_with_pythons_spaces_order_and_letters() {
        let json = r#"{"z":1,"a":[true,null,"é\u0007\"\\\n"],"e":{},"l":[]}"#;
        assert_eq!(
            again(json, &Style::default()),
            r#"{"z": 1, "a": [true, null, "é\u0007\"\\\n"], "e": {}, "l": []}"#
        );
    }

    #[test]
    fn letters_can_be_escaped_keys_sorted_and_lines_indented() {
        let style = Style { escapes_unicode: true, sorts_keys: true, ..Style::default() };
        assert_eq!(
            again(r#"{"b":"é👩\u007f","a":1}"#, &style),
            r#"{"a": 1, "b": "\u00e9\ud83d\udc69\u007f"}"#
        );
        let style = Style { indent: Some("  ".into()), item_separator: ",".into(), ..Style::default() };
        assert_eq!(
            again(r#"{"a":[1,2],"b":{},"c":[]}"#, &style),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}"
        );
    }

    #[test]
    fn numbers_are_pythons() {
        let numbers = "[1, -7, 1.0, 0.1, 1e5, 1e16, 1.5e300, 1e-4, 0.00001, 18446744073709551615, 0.0]";
        let expected =
            "[1, -7, 1.0, 0.1, 100000.0, 1e+16, 1.5e+300, 0.0001, 1e-05, 18446744073709551615, 0.0]";
        assert_eq!(again(numbers, &Style::default()), expected);
    }
}
