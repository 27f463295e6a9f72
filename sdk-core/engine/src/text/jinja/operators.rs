//! What operators do to values, as in Python.

use std::cmp::Ordering;

use super::meter::VALUE;
use super::printf;
use super::tree::{Comparison, Operator};
use super::value::Value;
use super::{Meter, Outcome};

pub(super) fn compute(operator: Operator, left: &Value, right: &Value, meter: &Meter) -> Outcome<Value> {
    let sign = match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::DivideDown => "//",
        Operator::Remainder => "%",
        Operator::Power => "**",
    };
    let impossible = || format!("{} {sign} {} is not possible", left.kind(), right.kind());
    match (operator, left, right) {
        (Operator::Add, Value::Text(left), Value::Text(right)) => {
            Value::new_text(&[&**left, right].concat(), meter)
        }
        (Operator::Add, Value::List(left), Value::List(right)) => {
            Value::list([&*left.items, &*right.items].concat(), meter)
        }
        (Operator::Add, Value::Tuple(left), Value::Tuple(right)) => {
            Value::tuple([&*left.items, &*right.items].concat(), meter)
        }
        (Operator::Multiply, Value::Text(_) | Value::List(_), times)
        | (Operator::Multiply, times, Value::Text(_) | Value::List(_)) => {
            let repeated = if matches!(left, Value::Text(_) | Value::List(_)) { left } else { right };
            let times = times.as_int().ok_or_else(impossible)?;
            repeat(repeated, usize::try_from(times).unwrap_or(0), meter)
        }
        (Operator::Remainder, Value::Text(format), values) => printf::percent(format, values, meter),
        _ => match (left.as_int(), right.as_int()) {
            (Some(left), Some(right)) if operator != Operator::Divide => {
                whole(operator, left, right).ok_or_else(|| impossible().into())
            }
            _ => match (left.as_float(), right.as_float()) {
                (Some(left), Some(right)) => broken(operator, left, right).ok_or_else(|| impossible().into()),
                _ => Err(impossible().into()),
            },
        },
    }
}

fn repeat(value: &Value, times: usize, meter: &Meter) -> Outcome<Value> {
    match value {
        Value::Text(text) => {
            meter.spend(text.len().saturating_add(1).saturating_mul(times))?;
            Value::new_text(&text.repeat(times), meter)
        }
        Value::List(items) => {
            meter.spend(items.items.len().saturating_add(1).saturating_mul(times).saturating_mul(VALUE))?;
            let repeated = (0..times).flat_map(|_| items.items.iter().cloned());
            Value::list(repeated.collect(), meter)
        }
        other => Ok(other.clone()),
    }
}

fn whole(operator: Operator, left: i128, right: i128) -> Option<Value> {
    let int = match operator {
        Operator::Add => left.checked_add(right)?,
        Operator::Subtract => left.checked_sub(right)?,
        Operator::Multiply => left.checked_mul(right)?,
        // Towards minus infinity; the remainder has the sign of the divisor.
        Operator::DivideDown => {
            let quotient = left.checked_div(right)?;
            let is_exact = left.checked_rem(right)? == 0;
            if is_exact || (left < 0) == (right < 0) { quotient } else { quotient - 1 }
        }
        Operator::Remainder => {
            let rest = left.checked_rem(right)?;
            if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }
        }
        Operator::Power => match u32::try_from(right) {
            Ok(power) => left.checked_pow(power)?,
            Err(_) => return Some(Value::Float((left as f64).powf(right as f64))),
        },
        Operator::Divide => return None,
    };
    Some(Value::Int(int))
}

fn broken(operator: Operator, left: f64, right: f64) -> Option<Value> {
    let is_nought = right == 0.0;
    Some(Value::Float(match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide if !is_nought => left / right,
        Operator::DivideDown if !is_nought => (left / right).floor(),
        Operator::Remainder if !is_nought => left - (left / right).floor() * right,
        Operator::Power => left.powf(right),
        _ => return None,
    }))
}

pub(super) fn compare(comparison: Comparison, left: &Value, right: &Value, meter: &Meter) -> Outcome<bool> {
    let ordered = |is_wanted: fn(Ordering) -> bool| Ok(order(left, right, meter)?.is_some_and(is_wanted));
    match comparison {
        Comparison::Equal => is_equal(left, right, meter),
        Comparison::Unequal => Ok(!is_equal(left, right, meter)?),
        Comparison::In => is_in(left, right, meter),
        Comparison::NotIn => Ok(!is_in(left, right, meter)?),
        Comparison::Less => ordered(Ordering::is_lt),
        Comparison::LessOrEqual => ordered(Ordering::is_le),
        Comparison::Greater => ordered(Ordering::is_gt),
        Comparison::GreaterOrEqual => ordered(Ordering::is_ge),
    }
}

pub(super) fn is_equal(left: &Value, right: &Value, meter: &Meter) -> Outcome<bool> {
    meter.spend(1)?;
    Ok(match (left, right) {
        (Value::Undefined, Value::Undefined) | (Value::None, Value::None) => true,
        (Value::Text(left), Value::Text(right)) => {
            meter.spend(left.len().min(right.len()))?;
            left == right
        }
        (Value::List(left), Value::List(right)) | (Value::Tuple(left), Value::Tuple(right)) => {
            if left.items.len() != right.items.len() {
                return Ok(false);
            }
            for (left, right) in left.items.iter().zip(&right.items) {
                if !is_equal(left, right, meter)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(left), Value::Map(right)) => {
            if left.pairs.len() != right.pairs.len() {
                return Ok(false);
            }
            for (key, value) in &left.pairs {
                match find(&right.pairs, key, meter)? {
                    Some(other) if is_equal(value, other, meter)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        _ => match (left.as_int(), right.as_int()) {
            (Some(left), Some(right)) => left == right,
            _ => matches!((left.as_float(), right.as_float()), (Some(left), Some(right)) if left == right),
        },
    })
}

/// What a map has under a key.
pub(super) fn find<'v>(
    pairs: &'v [(Value, Value)],
    key: &Value,
    meter: &Meter,
) -> Outcome<Option<&'v Value>> {
    for (other, value) in pairs {
        if is_equal(other, key, meter)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

pub(super) fn is_in(item: &Value, container: &Value, meter: &Meter) -> Outcome<bool> {
    match (item, container) {
        (Value::Text(part), Value::Text(text)) => {
            meter.spend(text.len())?;
            Ok(text.contains(&**part))
        }
        (_, Value::Map(pairs)) => Ok(find(&pairs.pairs, item, meter)?.is_some()),
        (_, Value::List(items) | Value::Tuple(items)) => {
            for other in &items.items {
                if is_equal(item, other, meter)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (_, Value::Undefined) => Ok(false),
        _ => Err(format!("{} cannot be in {}", item.kind(), container.kind()).into()),
    }
}

/// Which comes first; nothing for numbers that are none.
pub(super) fn order(left: &Value, right: &Value, meter: &Meter) -> Outcome<Option<Ordering>> {
    meter.spend(1)?;
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => {
            meter.spend(left.len().min(right.len()))?;
            Ok(Some(left.cmp(right)))
        }
        (Value::List(left), Value::List(right)) | (Value::Tuple(left), Value::Tuple(right)) => {
            for (left, right) in left.items.iter().zip(&right.items) {
                if !is_equal(left, right, meter)? {
                    return order(left, right, meter);
                }
            }
            Ok(Some(left.items.len().cmp(&right.items.len())))
        }
        _ => match (left.as_int(), right.as_int(), left.as_float(), right.as_float()) {
            (Some(left), Some(right), ..) => Ok(Some(left.cmp(&right))),
            (_, _, Some(left), Some(right)) => Ok(left.partial_cmp(&right)),
            _ => Err(format!("{} and {} have no order", left.kind(), right.kind()).into()),
        },
    }
}
