//! What comes after `is`.

use super::given::Given;
use super::operators::{self, is_equal};
use super::show::shown;
use super::tree::Comparison;
use super::value::Value;
use super::{Meter, Outcome};

pub(super) fn holds(name: &str, value: &Value, given: Given, meter: &Meter) -> Outcome<bool> {
    let comparison = match name {
        "eq" | "equalto" => Some(Comparison::Equal),
        "ne" => Some(Comparison::Unequal),
        "lt" | "lessthan" => Some(Comparison::Less),
        "le" => Some(Comparison::LessOrEqual),
        "gt" | "greaterthan" => Some(Comparison::Greater),
        "ge" => Some(Comparison::GreaterOrEqual),
        "in" => Some(Comparison::In),
        _ => None,
    };
    if let Some(comparison) = comparison {
        return operators::compare(comparison, value, &given.one("other")?, meter);
    }
    match name {
        "divisibleby" => {
            let divisor = given.one("num")?;
            let rest = value.as_int().zip(divisor.as_int()).and_then(|(value, by)| value.checked_rem(by));
            return rest.map(|rest| rest == 0).ok_or_else(|| "divisibleby takes whole numbers".into());
        }
        "sameas" => {
            let other = given.one("other")?;
            let is_same = std::mem::discriminant(value) == std::mem::discriminant(&other);
            return Ok(is_same && is_equal(value, &other, meter)?);
        }
        _ => given.nothing()?,
    }
    Ok(match name {
        "defined" => !matches!(value, Value::Undefined),
        "undefined" => matches!(value, Value::Undefined),
        "none" => matches!(value, Value::None),
        "string" => matches!(value, Value::Text(_)),
        "mapping" => matches!(value, Value::Map(_)),
        // Python can go through what is undefined, and find nothing.
        "iterable" => {
            use Value::{List, Map, Text, Tuple, Undefined};
            matches!(value, Text(_) | List(_) | Tuple(_) | Map(_) | Undefined | Value::Loop(_))
        }
        "sequence" => {
            use Value::{List, Map, Text, Tuple, Undefined};
            matches!(value, Text(_) | List(_) | Tuple(_) | Map(_) | Undefined)
        }
        "number" => matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_)),
        "integer" => matches!(value, Value::Int(_)),
        "float" => matches!(value, Value::Float(_)),
        "boolean" => matches!(value, Value::Bool(_)),
        "true" => matches!(value, Value::Bool(true)),
        "false" => matches!(value, Value::Bool(false)),
        "callable" => matches!(value, Value::Function(_) | Value::Macro(..) | Value::Method(_)),
        "odd" | "even" => {
            let int = value.as_int().ok_or_else(|| format!("{} is neither odd nor even", value.kind()))?;
            (int % 2 != 0) == (name == "odd")
        }
        "lower" | "upper" => {
            let text = shown(value, meter)?;
            let (has_lower, has_upper) =
                (text.contains(char::is_lowercase), text.contains(char::is_uppercase));
            if name == "lower" { has_lower && !has_upper } else { has_upper && !has_lower }
        }
        other => return Err(format!("a test {other}, which is not known here").into()),
    })
}
