//! Filters of lists.

use std::cmp::Ordering;

use super::{
    Given, Outcome, Run, VALUE, Value, apply as apply_filter, at_path, checks, operators, show, shown,
};

pub(super) fn apply(run: &mut Run<'_>, name: &str, value: &Value, given: Given) -> Outcome<Value> {
    match name {
        "length" | "count" => {
            given.nothing()?;
            length(run, value)
        }
        "list" => {
            given.nothing()?;
            Value::list(value.items(run.meter)?.items.clone(), run.meter)
        }
        "first" | "last" => {
            given.nothing()?;
            let items = value.items(run.meter)?;
            let item = if name == "first" { items.items.first() } else { items.items.last() };
            Ok(item.cloned().unwrap_or(Value::Undefined))
        }
        "reverse" => {
            given.nothing()?;
            let items = value.items(run.meter)?;
            if let Value::Text(text) = value {
                return Value::new_text(&text.chars().rev().collect::<String>(), run.meter);
            }
            Value::list(items.items.iter().rev().cloned().collect(), run.meter)
        }
        "join" => join(run, value, given),
        // Jinja asks for the truth of these before it goes through them.
        "map" | "select" | "reject" | "selectattr" | "rejectattr" if !value.is_true() => {
            Value::list(Vec::new(), run.meter)
        }
        "map" => map(run, value, given),
        "select" | "reject" => select(run, value, given, None, name == "select"),
        "selectattr" | "rejectattr" => {
            let (path, given) = given.split_first().map_err(|_| "selectattr takes a name")?;
            select(run, value, given, Some(&path), name == "selectattr")
        }
        "items" | "dictsort" => pairs(run, name, value, given),
        "sort" => sort(run, value, given),
        "unique" => unique(run, value, given),
        "min" | "max" => extreme(run, name, value, given),
        "sum" => {
            let [path, start] = given.bind(["attribute", "start"])?;
            let mut sum = start.unwrap_or(Value::Int(0));
            for item in &value.items(run.meter)?.items {
                let item = path.as_ref().map_or_else(|| Ok(item.clone()), |path| at_path(run, item, path))?;
                sum = operators::compute(super::super::tree::Operator::Add, &sum, &item, run.meter)?;
            }
            Ok(sum)
        }
        "batch" => {
            let [count, fill] = given.bind(["linecount", "fill_with"])?;
            let count = count.as_ref().and_then(Value::as_int).and_then(|count| usize::try_from(count).ok());
            let count = count.filter(|&count| count > 0).ok_or("batch takes a number")?;
            let mut rows = Vec::new();
            for row in value.items(run.meter)?.items.chunks(count) {
                let mut row = row.to_vec();
                if let Some(fill) = &fill {
                    run.meter.spend(count.saturating_mul(VALUE))?;
                    row.resize(count, fill.clone());
                }
                rows.push(Value::list(row, run.meter)?);
            }
            Value::list(rows, run.meter)
        }
        other => Err(format!("a filter {other}, which is not known here").into()),
    }
}

fn length(run: &Run<'_>, value: &Value) -> Outcome<Value> {
    let count = match value {
        Value::Text(text) => {
            run.meter.spend(text.len())?;
            text.chars().count()
        }
        Value::List(items) | Value::Tuple(items) => items.items.len(),
        Value::Map(pairs) => pairs.pairs.len(),
        Value::Undefined => 0,
        other => return Err(format!("{} has no length", other.kind()).into()),
    };
    Ok(Value::Int(count as i128))
}

fn join(run: &Run<'_>, value: &Value, given: Given) -> Outcome<Value> {
    let [separator, path] = given.bind(["d", "attribute"])?;
    let separator = separator.map_or_else(|| Ok(String::new()), |separator| shown(&separator, run.meter))?;
    let mut joined = String::new();
    for (number, item) in value.items(run.meter)?.items.iter().enumerate() {
        if number > 0 {
            run.meter.spend(separator.len())?;
            joined.push_str(&separator);
        }
        match &path {
            Some(path) => show(&at_path(run, item, path)?, run.meter, &mut joined)?,
            None => show(item, run.meter, &mut joined)?,
        }
    }
    Value::new_text(&joined, run.meter)
}

/// A part of each item, or each item through a filter.
fn map(run: &mut Run<'_>, value: &Value, given: Given) -> Outcome<Value> {
    let items = value.items(run.meter)?;
    let mut mapped = Vec::with_capacity(items.items.len());
    match given.split_first() {
        Ok((filter, given)) => {
            let filter = filter.as_text().ok_or("map takes the name of a filter")?;
            for item in &items.items {
                mapped.push(run.nested(|run| apply_filter(run, filter, item, given.clone()))?);
            }
        }
        Err(given) => {
            let [path, otherwise] = given.bind(["attribute", "default"])?;
            let path = path.ok_or("map takes the name of a filter, or an attribute")?;
            for item in &items.items {
                let part = at_path(run, item, &path)?;
                mapped.push(match (&part, &otherwise) {
                    (Value::Undefined, Some(otherwise)) => otherwise.clone(),
                    _ => part,
                });
            }
        }
    }
    Value::list(mapped, run.meter)
}

/// The items, or those with a part, for which a test holds.
fn select(
    run: &mut Run<'_>,
    value: &Value,
    given: Given,
    path: Option<&Value>,
    keeps: bool,
) -> Outcome<Value> {
    let (test, given) = match given.split_first() {
        Ok((test, given)) => (Some(test), given),
        Err(nothing) => (None, nothing),
    };
    let mut left = Vec::new();
    for item in &value.items(run.meter)?.items {
        let tested = path.map_or_else(|| Ok(item.clone()), |path| at_path(run, item, path))?;
        let holds = match &test {
            Some(test) => {
                let test = test.as_text().ok_or("a test has a name")?;
                checks::holds(test, &tested, given.clone(), run.meter)?
            }
            None => tested.is_true(),
        };
        if holds == keeps {
            left.push(item.clone());
        }
    }
    Value::list(left, run.meter)
}

fn pairs(run: &Run<'_>, name: &str, value: &Value, given: Given) -> Outcome<Value> {
    let pairs = match value {
        Value::Map(pairs) => &pairs.pairs[..],
        Value::Undefined => &[],
        other => return Err(format!("{} has no pairs", other.kind()).into()),
    };
    let mut pairs: Vec<&(Value, Value)> = pairs.iter().collect();
    if name == "dictsort" {
        let [minds_case, by, is_reversed] = given.bind(["case_sensitive", "by", "reverse"])?;
        let is_by_value = by.as_ref().and_then(Value::as_text) == Some("value");
        let key = |(key, value): &(Value, Value)| if is_by_value { value.clone() } else { key.clone() };
        let keys = pairs.iter().map(|pair| key(pair)).collect::<Vec<_>>();
        let places = ranked(run, &keys, is_set(minds_case.as_ref()), is_set(is_reversed.as_ref()))?;
        pairs = places.into_iter().map(|place| pairs[place]).collect();
    } else {
        given.nothing()?;
    }
    let tuples =
        pairs.into_iter().map(|(key, value)| Value::tuple(vec![key.clone(), value.clone()], run.meter));
    Value::list(tuples.collect::<Outcome<_>>()?, run.meter)
}

fn is_set(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_true)
}

fn sort(run: &Run<'_>, value: &Value, given: Given) -> Outcome<Value> {
    let [is_reversed, minds_case, path] = given.bind(["reverse", "case_sensitive", "attribute"])?;
    let items = value.items(run.meter)?;
    let key = |item: &Value| path.as_ref().map_or_else(|| Ok(item.clone()), |path| at_path(run, item, path));
    let keys = items.items.iter().map(key).collect::<Outcome<Vec<_>>>()?;
    let places = ranked(run, &keys, is_set(minds_case.as_ref()), is_set(is_reversed.as_ref()))?;
    Value::list(places.into_iter().map(|place| items.items[place].clone()).collect(), run.meter)
}

/// The places of these keys in their order; equals stay as they are.
fn ranked(run: &Run<'_>, keys: &[Value], minds_case: bool, is_reversed: bool) -> Outcome<Vec<usize>> {
    enum Key {
        Text(String),
        Number(f64),
    }
    let mut ranked = Vec::with_capacity(keys.len());
    for (place, key) in keys.iter().enumerate() {
        run.meter.spend(VALUE)?;
        let key = match (key, key.as_float()) {
            (Value::Text(text), _) => {
                run.meter.spend(text.len())?;
                Key::Text(if minds_case { text.to_string() } else { text.to_lowercase() })
            }
            (_, Some(number)) if !number.is_nan() => Key::Number(number),
            (other, _) => return Err(format!("{} cannot be sorted", other.kind()).into()),
        };
        ranked.push((key, place));
    }
    let is_mixed = ranked.windows(2).any(|two| {
        matches!((&two[0].0, &two[1].0), (Key::Text(_), Key::Number(_)) | (Key::Number(_), Key::Text(_)))
    });
    if is_mixed {
        return Err("texts and numbers have no order".into());
    }
    ranked.sort_by(|(a, _), (b, _)| {
        let order = match (a, b) {
            (Key::Text(a), Key::Text(b)) => a.cmp(b),
            (Key::Number(a), Key::Number(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        };
        if is_reversed { order.reverse() } else { order }
    });
    Ok(ranked.into_iter().map(|(_, place)| place).collect())
}

fn unique(run: &Run<'_>, value: &Value, given: Given) -> Outcome<Value> {
    let [minds_case, path] = given.bind(["case_sensitive", "attribute"])?;
    let (mut keys, mut left): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for item in &value.items(run.meter)?.items {
        let mut key = path.as_ref().map_or_else(|| Ok(item.clone()), |path| at_path(run, item, path))?;
        if let (Value::Text(text), false) = (&key, is_set(minds_case.as_ref())) {
            key = Value::new_text(&text.to_lowercase(), run.meter)?;
        }
        let mut is_known = false;
        for other in &keys {
            is_known |= operators::is_equal(other, &key, run.meter)?;
        }
        if !is_known {
            keys.push(key);
            left.push(item.clone());
        }
    }
    Value::list(left, run.meter)
}

fn extreme(run: &Run<'_>, name: &str, value: &Value, given: Given) -> Outcome<Value> {
    given.nothing()?;
    let wanted = if name == "min" { Ordering::Less } else { Ordering::Greater };
    let mut best: Option<Value> = None;
    for item in &value.items(run.meter)?.items {
        let is_better = match &best {
            Some(best) => operators::order(item, best, run.meter)? == Some(wanted),
            None => true,
        };
        if is_better {
            best = Some(item.clone());
        }
    }
    Ok(best.unwrap_or(Value::Undefined))
}
