//! What templates expect of Python: methods of its strings, lists and dicts, and how it prints values.

use minijinja::value::{Kwargs, Rest, Tuple, ValueKind, from_args};
use minijinja::{Error, ErrorKind, State, Value};

use crate::text::dumps;

/// Methods that a value does not have by itself.
pub(super) fn method(
    _state: &mut State<'_, '_>,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::String => of_text(value.as_str().unwrap_or_default(), name, args),
        ValueKind::Map => of_map(value, name, args),
        ValueKind::Seq | ValueKind::Iterable => of_list(value, name, args),
        _ => Err(unknown(value, name)),
    }
}

fn unknown(value: &Value, name: &str) -> Error {
    Error::new(ErrorKind::UnknownMethod, format!("a {} has no method {name}", value.kind()))
}

fn of_map(map: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    let keys = || map.try_iter();
    match name {
        "get" => {
            let (key, otherwise): (Value, Option<Value>) = from_args(args)?;
            let found = map.get_item(&key)?;
            Ok(if found.is_undefined() { otherwise.unwrap_or_else(|| Value::from(())) } else { found })
        }
        "keys" => Ok(keys()?.collect()),
        "values" => keys()?.map(|key| map.get_item(&key)).collect(),
        "items" => {
            keys()?.map(|key| Ok(Value::from(Tuple::from([key.clone(), map.get_item(&key)?])))).collect()
        }
        _ => Err(unknown(map, name)),
    }
}

fn of_list(list: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    let (item,): (Value,) = from_args(args)?;
    let mut items = list.try_iter()?;
    match name {
        "index" => {
            let found = items.position(|other| other == item);
            found
                .map(Value::from)
                .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "the value is not in the list"))
        }
        "count" => Ok(Value::from(items.filter(|other| *other == item).count())),
        _ => Err(unknown(list, name)),
    }
}

fn of_text(text: &str, name: &str, args: &[Value]) -> Result<Value, Error> {
    let wrong = |what: &str| Error::new(ErrorKind::InvalidOperation, what.to_owned());
    Ok(match name {
        "strip" | "lstrip" | "rstrip" => {
            let (chars,): (Option<&str>,) = from_args(args)?;
            let strips = |c: char| chars.map_or_else(|| is_space(c), |chars| chars.contains(c));
            Value::from(match name {
                "strip" => text.trim_matches(strips),
                "lstrip" => text.trim_start_matches(strips),
                _ => text.trim_end_matches(strips),
            })
        }
        "split" | "rsplit" => split(text, name == "rsplit", args)?,
        "splitlines" => text.lines().map(Value::from).collect(),
        "startswith" | "endswith" => {
            let (affixes,): (Value,) = from_args(args)?;
            let has = |affix: &str| {
                if name == "startswith" { text.starts_with(affix) } else { text.ends_with(affix) }
            };
            Value::from(match affixes.as_str() {
                Some(affix) => has(affix),
                None => affixes.try_iter()?.any(|affix| affix.as_str().is_some_and(has)),
            })
        }
        "upper" => Value::from(text.to_uppercase()),
        "lower" => Value::from(text.to_lowercase()),
        "capitalize" => {
            let mut chars = text.chars();
            let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
            Value::from(first + &chars.as_str().to_lowercase())
        }
        "title" => Value::from(title(text)),
        "replace" => {
            let (from, to, count): (&str, &str, Option<i64>) = from_args(args)?;
            let longest = (text.len() + 1).saturating_mul(to.len() + 1);
            if longest > 64 << 20 {
                return Err(wrong("replace would make a text of more than 64 MiB"));
            }
            match count.and_then(|count| usize::try_from(count).ok()) {
                Some(count) => Value::from(text.replacen(from, to, count)),
                None => Value::from(text.replace(from, to)),
            }
        }
        "removeprefix" => {
            let (prefix,): (&str,) = from_args(args)?;
            Value::from(text.strip_prefix(prefix).unwrap_or(text))
        }
        "removesuffix" => {
            let (suffix,): (&str,) = from_args(args)?;
            Value::from(text.strip_suffix(suffix).unwrap_or(text))
        }
        "join" => {
            let (items,): (Value,) = from_args(args)?;
            let mut joined = String::new();
            for (number, item) in items.try_iter()?.enumerate() {
                joined.push_str(if number > 0 { text } else { "" });
                joined.push_str(item.as_str().ok_or_else(|| wrong("join takes texts"))?);
            }
            Value::from(joined)
        }
        "find" | "rfind" | "index" => {
            let (part,): (&str,) = from_args(args)?;
            let at = if name == "rfind" { text.rfind(part) } else { text.find(part) };
            match at {
                Some(at) => Value::from(text[..at].chars().count()),
                None if name == "index" => return Err(wrong("substring not found")),
                None => Value::from(-1),
            }
        }
        "count" => {
            let (part,): (&str,) = from_args(args)?;
            Value::from(if part.is_empty() { text.chars().count() + 1 } else { text.matches(part).count() })
        }
        "isdigit" | "isdecimal" | "isnumeric" => {
            Value::from(!text.is_empty() && text.chars().all(char::is_numeric))
        }
        "isalpha" => Value::from(!text.is_empty() && text.chars().all(char::is_alphabetic)),
        "isalnum" => Value::from(!text.is_empty() && text.chars().all(char::is_alphanumeric)),
        "isspace" => Value::from(!text.is_empty() && text.chars().all(is_space)),
        "isupper" => {
            Value::from(text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase))
        }
        "islower" => {
            Value::from(text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase))
        }
        _ => return Err(unknown(&Value::from(text), name)),
    })
}

/// Python counts four separators of old among the spaces.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

fn split(text: &str, is_from_right: bool, args: &[Value]) -> Result<Value, Error> {
    let (separator, most): (Option<&str>, Option<i64>) = from_args(args)?;
    let pieces =
        most.and_then(|most| usize::try_from(most).ok()).map_or(usize::MAX, |most| most.saturating_add(1));
    let Some(separator) = separator else {
        if pieces != usize::MAX {
            return Err(Error::new(ErrorKind::InvalidOperation, "split with a limit wants a separator"));
        }
        return Ok(text.split(is_space).filter(|part| !part.is_empty()).map(Value::from).collect());
    };
    if separator.is_empty() {
        return Err(Error::new(ErrorKind::InvalidOperation, "empty separator"));
    }
    if is_from_right {
        let mut parts: Vec<Value> = text.rsplitn(pieces, separator).map(Value::from).collect();
        parts.reverse();
        return Ok(Value::from(parts));
    }
    Ok(text.splitn(pieces, separator).map(Value::from).collect())
}

fn title(text: &str) -> String {
    let mut was_letter = false;
    let mut titled = String::with_capacity(text.len());
    for c in text.chars() {
        if was_letter {
            titled.extend(c.to_lowercase());
        } else {
            titled.extend(c.to_uppercase());
        }
        was_letter = c.is_alphabetic();
    }
    titled
}

/// The filter `tojson`, as transformers defines it.
#[expect(clippy::needless_pass_by_value, reason = "as the engine calls a filter")]
pub(super) fn tojson(value: &Value, positional: Rest<Value>, options: Kwargs) -> Result<String, Error> {
    let wrong = |what: String| Error::new(ErrorKind::InvalidOperation, what);
    let mut style = dumps::Style::default();
    let option = |place: usize, name: &str| -> Result<Option<Value>, Error> {
        let named: Option<Value> = options.get(name)?;
        Ok(positional.get(place).cloned().or(named).filter(|value| !value.is_none() && !value.is_undefined()))
    };
    style.escapes_unicode = option(0, "ensure_ascii")?.is_some_and(|value| value.is_true());
    if let Some(indent) = option(1, "indent")? {
        style.indent = Some(match indent.as_str() {
            Some(text) => text.to_owned(),
            None => " ".repeat(
                indent
                    .as_usize()
                    .filter(|&count| count <= 64)
                    .ok_or_else(|| wrong("a strange indent".into()))?,
            ),
        });
        style.item_separator = ",".into();
    }
    if let Some(separators) = option(2, "separators")? {
        let texts: Vec<Value> = separators.try_iter()?.collect();
        let [item, key] = &*texts else { return Err(wrong("separators are two texts".into())) };
        (style.item_separator, style.key_separator) = (item.to_string(), key.to_string());
    }
    style.sorts_keys = option(3, "sort_keys")?.is_some_and(|value| value.is_true());
    options.assert_all_used()?;
    dumps::dumps(value, &style).map_err(wrong)
}

/// A value as Python's `str` shows it.
pub(super) fn shown(value: &Value) -> String {
    match value.kind() {
        ValueKind::Undefined => String::new(),
        ValueKind::String => value.as_str().unwrap_or_default().to_owned(),
        _ => represented(value, 0),
    }
}

/// A value as Python's `repr` shows it.
fn represented(value: &Value, depth: usize) -> String {
    let each = |value: &Value| represented(value, depth + 1);
    if depth > 64 {
        return "...".into();
    }
    match value.kind() {
        ValueKind::None => "None".into(),
        ValueKind::Bool => if value.is_true() { "True" } else { "False" }.into(),
        ValueKind::Number => dumps::number(value),
        ValueKind::String => quoted(value.as_str().unwrap_or_default()),
        ValueKind::Seq => {
            let items: Vec<String> =
                value.try_iter().map(|items| items.map(|item| each(&item)).collect()).unwrap_or_default();
            match (value.is_tuple(), &*items) {
                (true, [one]) => format!("({one},)"),
                (true, _) => format!("({})", items.join(", ")),
                (false, _) => format!("[{}]", items.join(", ")),
            }
        }
        ValueKind::Map => {
            let pair = |key: Value| {
                format!(
                    "{}: {}",
                    each(&key),
                    value.get_item(&key).map(|item| each(&item)).unwrap_or_default()
                )
            };
            let pairs: Vec<String> =
                value.try_iter().map(|keys| keys.map(pair).collect()).unwrap_or_default();
            format!("{{{}}}", pairs.join(", "))
        }
        _ => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c == quote => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let digits = format!("{:02x}", u32::from(c));
                quoted.extend(["\\x", &digits]);
            }
            c => quoted.push(c),
        }
    }
    quoted.push(quote);
    quoted
}
