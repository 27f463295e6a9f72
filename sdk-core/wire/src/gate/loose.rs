//! What exo's open classes convert: `"5"` is a number there, and `1` is true.

use super::{json, value::Value};

/// A whole number, from a boolean, a float without a fraction or a string too. Clamped like
/// [`clamped`](super::value::Int::clamped).
pub(crate) fn int(value: &Value<'_>) -> Option<i128> {
    match value {
        Value::Bool(truth) => Some(i128::from(*truth)),
        Value::Int(number) => Some(number.clamped()),
        Value::Float(number) => {
            let inside = *number > i64::MIN as f64 && *number < i64::MAX as f64;
            (inside && number.fract() == 0.0).then_some(*number as i128)
        }
        Value::Text(text) => int_of_text(text),
        _ => None,
    }
}

/// A number, from a boolean or a string too.
pub(crate) fn float(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::Int(number) => Some(number.as_float()).filter(|float| float.is_finite()),
        Value::Float(number) => Some(*number),
        Value::Text(text) => {
            text.trim().parse().ok().or_else(|| without_underscores(text).and_then(|text| text.parse().ok()))
        }
        _ => None,
    }
}

/// Whether it stands for true or false.
pub(crate) fn is_bool(value: &Value<'_>) -> bool {
    const WORDS: [&str; 12] = ["0", "f", "n", "no", "off", "false", "1", "t", "y", "on", "yes", "true"];
    match value {
        Value::Bool(_) => true,
        Value::Int(number) => matches!(number.clamped(), 0 | 1),
        Value::Float(number) => *number == 0.0 || *number == 1.0,
        Value::Text(text) => WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)),
        _ => false,
    }
}

/// The whole number that a string stands for.
pub(crate) fn int_of_text(text: &str) -> Option<i128> {
    let digits = match json::whole_number(text) {
        Ok(()) => text.to_owned(),
        Err(_) => plain_int(text).filter(|digits| json::whole_number(digits).is_ok())?,
    };
    Some(digits.parse().unwrap_or(if digits.starts_with('-') { i128::MIN } else { i128::MAX }))
}

/// Takes away what Python's `int` overlooks: space around, a plus sign, leading zeros, single underscores and a
/// fraction of zeros. `None` if nothing can come of it.
fn plain_int(text: &str) -> Option<String> {
    let trimmed = text.trim();
    let unsigned = trimmed.strip_prefix('+').unwrap_or(trimmed);
    if unsigned.len() < trimmed.len() && unsigned.starts_with('-') {
        return None;
    }
    let (sign, digits) = unsigned.strip_prefix('-').map_or(("", unsigned), |digits| ("-", digits));
    if !sign.is_empty() && digits.starts_with(['-', '+']) {
        return None;
    }
    let digits = without_leading_zeros(digits)?;
    let digits = match digits.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
        _ => digits,
    };
    let digits = without_underscores(digits).unwrap_or_else(|| digits.to_owned());
    Some(format!("{sign}{digits}"))
}

/// `0_007` is `7`, `00.0` is `0.0`, `000` is `0`; what does not begin like a number is nothing.
fn without_leading_zeros(digits: &str) -> Option<&str> {
    if !digits.starts_with('0') {
        return digits.starts_with(|c: char| c.is_ascii_digit() || c == '-').then_some(digits);
    }
    match digits.find(|c: char| c != '0' && c != '_') {
        None => digits.get(digits.len() - 1..),
        Some(at) => match digits.as_bytes().get(at) {
            Some(b'1'..=b'9' | b'-') => digits.get(at..),
            Some(b'.') => digits.get(at - 1..),
            _ => None,
        },
    }
}

fn without_underscores(text: &str) -> Option<String> {
    let misplaced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (text.contains('_') && !misplaced).then(|| text.replace('_', ""))
}
