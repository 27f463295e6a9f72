//! Python's two ways to put values into a text: `'%s' % value` and `'{}'.format(value)`. The plain forms of both.

use super::given::Given;
use super::show::{represent, show, shown};
use super::value::Value;
use super::{Meter, Outcome};

/// `format % values`.
pub(super) fn percent(format: &str, values: &Value, meter: &Meter) -> Outcome<Value> {
    let values = match values {
        Value::Tuple(items) => items.items.clone(),
        one => vec![one.clone()],
    };
    let mut values = values.into_iter();
    let mut next = || values.next().ok_or("a format with too few values");
    let mut text = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('%') => text.push('%'),
            Some('s') => show(&next()?, meter, &mut text)?,
            Some('r') => represent(&next()?, meter, &mut text)?,
            Some('d' | 'i') => {
                let value = next()?;
                let int = value.as_int().or(value.as_float().map(|float| float as i128));
                let int = int.ok_or_else(|| format!("%d of {}", value.kind()))?;
                text.push_str(&int.to_string());
            }
            other => return Err(format!("%{} in a format", other.unwrap_or(' ')).into()),
        }
    }
    if values.next().is_some() {
        return Err("a format with too many values".into());
    }
    Value::new_text(&text, meter)
}

/// `format.format(...)`.
pub(super) fn braces(format: &str, given: &Given, meter: &Meter) -> Outcome<Value> {
    let mut text = String::new();
    let (mut rest, mut place) = (format, 0);
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let Some((field, after)) = rest.split_once('}').filter(|_| brace == "{") else {
            return Err("a single brace in a format".into());
        };
        rest = after;
        let value = if field.is_empty() {
            place += 1;
            given.positional.get(place - 1)
        } else if let Ok(number) = field.parse::<usize>() {
            given.positional.get(number)
        } else {
            given.named.iter().find(|(name, _)| &**name == field).map(|(_, value)| value)
        };
        let value = value.ok_or_else(|| format!("{{{field}}} in a format, for which there is no value"))?;
        text.push_str(&shown(value, meter)?);
    }
    text.push_str(rest);
    Value::new_text(&text, meter)
}
