//! JSON as Python's `json.dumps` writes it.
//!
//! A model saw its tools and calls in training in that spelling: a missing space after a comma is another prompt.

use minijinja::Value;
use minijinja::value::ValueKind;

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

/// Values in values; more is no data.
const MAX_DEPTH: usize = 128;

/// Writes as Python's `json.dumps`.
pub(super) fn dumps(value: &Value, style: &Style) -> Result<String, String> {
    let mut text = String::new();
    write(value, style, 0, &mut text)?;
    Ok(text)
}

fn write(value: &Value, style: &Style, depth: usize, text: &mut String) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("values in values, {MAX_DEPTH} deep"));
    }
    match value.kind() {
        ValueKind::None => text.push_str("null"),
        ValueKind::Bool => text.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => text.push_str(&number(value)),
        ValueKind::String => quote(value.as_str().unwrap_or_default(), style.escapes_unicode, text),
        ValueKind::Map => {
            let mut pairs = Vec::new();
            for key in value.try_iter().map_err(|error| error.to_string())? {
                let item = value.get_item(&key).map_err(|error| error.to_string())?;
                let name = match key.kind() {
                    ValueKind::String => key.as_str().unwrap_or_default().to_owned(),
                    ValueKind::Number => number(&key),
                    ValueKind::Bool => if key.is_true() { "true" } else { "false" }.into(),
                    ValueKind::None => "null".into(),
                    other => return Err(format!("a key that is a {other}")),
                };
                pairs.push((name, item));
            }
            if style.sorts_keys {
                pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
            }
            group(['{', '}'], pairs, style, depth, text, |(name, item), text| {
                quote(&name, style.escapes_unicode, text);
                text.push_str(&style.key_separator);
                write(&item, style, depth + 1, text)
            })?;
        }
        ValueKind::Seq => {
            let items: Vec<Value> = value.try_iter().map_err(|error| error.to_string())?.collect();
            group(['[', ']'], items, style, depth, text, |item, text| write(&item, style, depth + 1, text))?;
        }
        ValueKind::Undefined => return Err("something undefined is no JSON".into()),
        other => return Err(format!("a value of kind {other} is no JSON")),
    }
    Ok(())
}

fn group<T>(
    [open, close]: [char; 2],
    items: Vec<T>,
    style: &Style,
    depth: usize,
    text: &mut String,
    mut each: impl FnMut(T, &mut String) -> Result<(), String>,
) -> Result<(), String> {
    let new_line = |depth: usize, text: &mut String| {
        if let Some(indent) = &style.indent {
            text.push('\n');
            (0..depth).for_each(|_| text.push_str(indent));
        }
    };
    text.push(open);
    let is_empty = items.is_empty();
    for (number, item) in items.into_iter().enumerate() {
        if number > 0 {
            text.push_str(&style.item_separator);
        }
        new_line(depth + 1, text);
        each(item, text)?;
    }
    if !is_empty {
        new_line(depth, text);
    }
    text.push(close);
    Ok(())
}

/// A number as Python prints it.
pub(super) fn number(value: &Value) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    f64::try_from(value.clone()).map_or_else(|_| value.to_string(), float)
}

/// As Python's `repr`: the shortest digits that mean this number, with an exponent from 1e16 on and below 1e-4.
fn float(float: f64) -> String {
    if !float.is_finite() {
        return if float.is_nan() {
            "NaN"
        } else if float > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .into();
    }
    let exponent = format!("{float:e}");
    let (digits, power) = exponent.split_once('e').unwrap_or((&exponent, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    if float != 0.0 && !(-4..16).contains(&power) {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", power.abs());
    }
    let plain = float.to_string();
    if plain.contains('.') { plain } else { plain + ".0" }
}

fn quote(value: &str, escapes_unicode: bool, text: &mut String) {
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
            c if c < ' ' || (escapes_unicode && !(' '..='~').contains(&c)) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let digits = format!("{unit:04x}");
                    text.extend(["\\u", &digits]);
                }
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::Json;

    fn again(json: &str, style: &Style) -> String {
        dumps(&Json::parse(json).unwrap().to_value(), style).unwrap()
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
