//! What comes after `|`.

use std::sync::Arc;

use super::dumps::{Style, dumps};
use super::given::Given;
use super::meter::VALUE;
use super::methods::{capitalised, is_space, replaced, stripped, titled};
use super::run::Run;
use super::show::{show, shown};
use super::value::Value;
use super::{Outcome, checks, operators, printf};

mod lists;

pub(super) fn apply(run: &mut Run<'_>, name: &str, value: &Value, given: Given) -> Outcome<Value> {
    match name {
        "tojson" => tojson(run, value, given),
        "trim" => {
            let [characters] = given.bind(["chars"])?;
            let text = shown(value, run.meter)?;
            Value::new_text(stripped(&text, "strip", characters.as_ref(), run.meter)?, run.meter)
        }
        "string" | "safe" => match value {
            Value::Text(_) => Ok(value.clone()),
            other => Value::new_text(&shown(other, run.meter)?, run.meter),
        },
        "upper" | "lower" | "capitalize" | "title" | "escape" | "e" | "wordcount" => {
            given.nothing()?;
            of_text(run, name, &shown(value, run.meter)?)
        }
        "replace" => {
            let [from, to, count] = given.bind(["old", "new", "count"])?;
            let mut as_text =
                |value: Option<Value>| value.map(|value| apply(run, "string", &value, Given::default()));
            let (from, to) = (as_text(from).transpose()?, as_text(to).transpose()?);
            let text = shown(value, run.meter)?;
            replaced(&text, from.as_ref(), to.as_ref(), count.as_ref(), run.meter)
        }
        "indent" => indent(run, value, given),
        "format" => {
            let format = shown(value, run.meter)?;
            let values = Value::tuple(given.positional, run.meter)?;
            printf::percent(&format, &values, run.meter)
        }
        "default" | "d" => {
            let [otherwise, is_about_truth] = given.bind(["default_value", "boolean"])?;
            let is_about_truth = is_about_truth.is_some_and(|value| value.is_true());
            let is_missing = matches!(value, Value::Undefined) || (is_about_truth && !value.is_true());
            Ok(if is_missing { otherwise.unwrap_or_else(|| Value::text("")) } else { value.clone() })
        }
        "attr" => {
            let name = given.one("name")?;
            run.attribute(value, &Arc::from(name.as_text().ok_or("attr takes a name")?))
        }
        "int" | "float" | "abs" | "round" => number(name, value, given),
        _ => lists::apply(run, name, value, given),
    }
}

fn of_text(run: &Run<'_>, name: &str, text: &str) -> Outcome<Value> {
    let changed = match name {
        "upper" => text.to_uppercase(),
        "lower" => text.to_lowercase(),
        "capitalize" => capitalised(text),
        "title" => titled(text, |c| is_space(c) || "-({[<".contains(c)),
        "wordcount" => {
            return Ok(Value::Int(text.split(is_space).filter(|word| !word.is_empty()).count() as i128));
        }
        _ => {
            run.meter.spend(text.len().saturating_mul(5))?;
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            escaped.replace('\'', "&#39;").replace('"', "&#34;")
        }
    };
    Value::new_text(&changed, run.meter)
}

/// As `transformers` defines it: Python's `json.dumps` with its own defaults.
fn tojson(run: &Run<'_>, value: &Value, given: Given) -> Outcome<Value> {
    let [escapes, indent, separators, sorts] =
        given.bind(["ensure_ascii", "indent", "separators", "sort_keys"])?;
    let said = |value: Option<Value>| value.filter(|value| !matches!(value, Value::None | Value::Undefined));
    let mut style =
        Style { escapes_unicode: escapes.is_some_and(|value| value.is_true()), ..Style::default() };
    style.sorts_keys = sorts.is_some_and(|value| value.is_true());
    if let Some(indent) = said(indent) {
        let spaces =
            || indent.as_int().and_then(|count| usize::try_from(count).ok()).filter(|&count| count <= 64);
        style.indent = Some(match &indent {
            Value::Text(text) => text.to_string(),
            _ => " ".repeat(spaces().ok_or("an indent is a text or a number of spaces")?),
        });
        style.item_separator = ",".into();
    }
    if let Some(separators) = said(separators) {
        let separators = separators.items(run.meter)?;
        let [Value::Text(item), Value::Text(key)] = &*separators.items else {
            return Err("separators are two texts".into());
        };
        (style.item_separator, style.key_separator) = (item.to_string(), key.to_string());
    }
    Value::new_text(&dumps(value, &style, run.meter)?, run.meter)
}

/// Each line further in; the first and empty ones only where that is asked for.
fn indent(run: &Run<'_>, value: &Value, given: Given) -> Outcome<Value> {
    let [width, first, blank] = given.bind(["width", "first", "blank"])?;
    let is_set = |value: Option<Value>| value.is_some_and(|value| value.is_true());
    let (first, blank) = (is_set(first), is_set(blank));
    let margin = match width {
        Some(Value::Text(margin)) => margin.to_string(),
        width => {
            let width =
                width.as_ref().map_or(Some(4), Value::as_int).and_then(|width| usize::try_from(width).ok());
            " ".repeat(width.filter(|&width| width <= 64).ok_or("a width is a text or a number of spaces")?)
        }
    };
    let text = shown(value, run.meter)?;
    let mut indented = String::new();
    for (number, line) in text.split('\n').enumerate() {
        run.meter.spend(line.len() + margin.len())?;
        indented.push_str(if number > 0 { "\n" } else { "" });
        let is_moved = if number == 0 { first } else { blank || !line.is_empty() };
        indented.push_str(if is_moved { &margin } else { "" });
        indented.push_str(line);
    }
    Value::new_text(&indented, run.meter)
}

fn number(name: &str, value: &Value, given: Given) -> Outcome<Value> {
    match name {
        "int" => {
            let [otherwise, _base] = given.bind(["default", "base"])?;
            let int = match value {
                Value::Text(text) => {
                    let text = text.trim_matches(is_space);
                    text.parse().ok().or_else(|| text.parse::<f64>().ok().and_then(towards_nought))
                }
                Value::Float(float) => towards_nought(*float),
                other => other.as_int(),
            };
            Ok(int.map_or_else(|| otherwise.unwrap_or(Value::Int(0)), Value::Int))
        }
        "float" => {
            let [otherwise] = given.bind(["default"])?;
            let float = match value {
                Value::Text(text) => text.trim_matches(is_space).parse().ok(),
                other => other.as_float(),
            };
            Ok(float.map_or_else(|| otherwise.unwrap_or(Value::Float(0.0)), Value::Float))
        }
        "abs" => {
            given.nothing()?;
            match value {
                Value::Float(float) => Ok(Value::Float(float.abs())),
                other => match other.as_int().and_then(i128::checked_abs) {
                    Some(int) => Ok(Value::Int(int)),
                    None => Err(format!("abs of {}", other.kind()).into()),
                },
            }
        }
        _ => {
            let [precision, method] = given.bind(["precision", "method"])?;
            let float = value.as_float().ok_or_else(|| format!("round of {}", value.kind()))?;
            let precision =
                precision.as_ref().map_or(Some(0), Value::as_int).filter(|digits| (0..=15).contains(digits));
            let scale = 10f64.powi(precision.ok_or("round to nought to fifteen digits")? as i32);
            let scaled = float * scale;
            Ok(Value::Float(match method.as_ref().and_then(Value::as_text).unwrap_or("common") {
                "ceil" => scaled.ceil() / scale,
                "floor" => scaled.floor() / scale,
                _ => scaled.round_ties_even() / scale,
            }))
        }
    }
}

fn towards_nought(float: f64) -> Option<i128> {
    float.is_finite().then_some(float as i128)
}

/// The value under a path such as `function.name`.
fn at_path(run: &Run<'_>, value: &Value, path: &Value) -> Outcome<Value> {
    let Value::Text(path) = path else { return run.item(value, path) };
    let mut value = value.clone();
    for part in path.split('.') {
        let key = part.parse().map_or_else(|_| Value::text(part), Value::Int);
        value = run.item(&value, &key)?;
    }
    Ok(value)
}
