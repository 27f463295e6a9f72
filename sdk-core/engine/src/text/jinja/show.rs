//! How Python prints values.

use super::value::Value;
use super::{Meter, Outcome};

/// As Python's `str`.
pub(super) fn show(value: &Value, meter: &Meter, out: &mut String) -> Outcome<()> {
    match value {
        Value::Undefined => Ok(()),
        Value::Text(text) => push(text, meter, out),
        other => represent(other, meter, out),
    }
}

/// The same as a text of its own.
pub(super) fn shown(value: &Value, meter: &Meter) -> Outcome<String> {
    let mut text = String::new();
    show(value, meter, &mut text)?;
    Ok(text)
}

fn push(text: &str, meter: &Meter, out: &mut String) -> Outcome<()> {
    meter.spend(text.len() + 1)?;
    out.push_str(text);
    Ok(())
}

/// As Python's `repr`.
pub(super) fn represent(value: &Value, meter: &Meter, out: &mut String) -> Outcome<()> {
    match value {
        Value::Undefined => push("Undefined", meter, out),
        Value::None => push("None", meter, out),
        Value::Bool(bool) => push(if *bool { "True" } else { "False" }, meter, out),
        Value::Int(int) => push(&int.to_string(), meter, out),
        Value::Float(number) => {
            let text = match *number {
                number if number.is_nan() => "nan".into(),
                f64::INFINITY => "inf".into(),
                f64::NEG_INFINITY => "-inf".into(),
                number => float(number),
            };
            push(&text, meter, out)
        }
        Value::Text(text) => {
            meter.spend(text.len().saturating_mul(2))?;
            push(&quoted(text), meter, out)
        }
        Value::List(items) => all(["[", "]"], &items.items, meter, out),
        Value::Tuple(items) if items.items.len() == 1 => all(["(", ",)"], &items.items, meter, out),
        Value::Tuple(items) => all(["(", ")"], &items.items, meter, out),
        Value::Map(pairs) => {
            push("{", meter, out)?;
            for (number, (key, value)) in pairs.pairs.iter().enumerate() {
                push(if number > 0 { ", " } else { "" }, meter, out)?;
                represent(key, meter, out)?;
                push(": ", meter, out)?;
                represent(value, meter, out)?;
            }
            push("}", meter, out)
        }
        other => Err(format!("{} cannot be printed", other.kind()).into()),
    }
}

fn all([open, close]: [&str; 2], items: &[Value], meter: &Meter, out: &mut String) -> Outcome<()> {
    push(open, meter, out)?;
    for (number, item) in items.iter().enumerate() {
        push(if number > 0 { ", " } else { "" }, meter, out)?;
        represent(item, meter, out)?;
    }
    push(close, meter, out)
}

/// The shortest digits that mean this number, with an exponent from 1e16 on and below 1e-4.
pub(super) fn float(float: f64) -> String {
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
