//! Methods of Python's texts, lists and maps.

use super::given::Given;
use super::meter::VALUE;
use super::operators::{find, is_equal};
use super::value::{Loop, Value};
use super::{Meter, Outcome, printf};

const OF_TEXT: [&str; 29] = [
    "capitalize",
    "count",
    "endswith",
    "find",
    "format",
    "index",
    "isalnum",
    "isalpha",
    "isdecimal",
    "isdigit",
    "islower",
    "isnumeric",
    "isspace",
    "isupper",
    "join",
    "lower",
    "lstrip",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "title",
    "upper",
];
const OF_MAP: [&str; 4] = ["get", "items", "keys", "values"];
const OF_LIST: [&str; 2] = ["count", "index"];
const OF_LOOP: [&str; 2] = ["changed", "cycle"];
/// Methods that change a value in place; `transformers` forbids them too.
const FORBIDDEN: [&str; 11] = [
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
];

/// Whether a value has this method. What a map holds under such a name is reached with brackets.
pub(super) fn has(object: &Value, name: &str) -> bool {
    match object {
        Value::Text(_) => OF_TEXT.contains(&name),
        Value::Map(_) => {
            OF_MAP.contains(&name) || ["clear", "pop", "popitem", "setdefault", "update"].contains(&name)
        }
        Value::List(_) => OF_LIST.contains(&name) || FORBIDDEN.contains(&name),
        Value::Tuple(_) => OF_LIST.contains(&name),
        Value::Loop(_) => OF_LOOP.contains(&name),
        _ => false,
    }
}

pub(super) fn call(object: &Value, name: &str, given: Given, meter: &Meter) -> Outcome<Value> {
    match object {
        Value::Text(text) => of_text(text, name, given, meter),
        Value::Map(pairs) if OF_MAP.contains(&name) => of_map(&pairs.pairs, name, given, meter),
        Value::List(items) | Value::Tuple(items) if OF_LIST.contains(&name) => {
            of_list(&items.items, name, &given.one("value")?, meter)
        }
        Value::Loop(state) => of_loop(state, name, given, meter),
        _ => Err(format!("a template may not change {}", object.kind()).into()),
    }
}

fn of_map(pairs: &[(Value, Value)], name: &str, given: Given, meter: &Meter) -> Outcome<Value> {
    if name == "get" {
        let [key, otherwise] = given.bind(["key", "default"])?;
        let found = find(pairs, &key.ok_or("get takes a key")?, meter)?;
        return Ok(found.cloned().or(otherwise).unwrap_or(Value::None));
    }
    given.nothing()?;
    let parts = pairs.iter().map(|(key, value)| match name {
        "keys" => Ok(key.clone()),
        "values" => Ok(value.clone()),
        _ => Value::tuple(vec![key.clone(), value.clone()], meter),
    });
    Value::list(parts.collect::<Outcome<_>>()?, meter)
}

fn of_list(items: &[Value], name: &str, wanted: &Value, meter: &Meter) -> Outcome<Value> {
    let mut count = 0;
    for (place, item) in items.iter().enumerate() {
        if is_equal(item, wanted, meter)? {
            if name == "index" {
                return Ok(Value::Int(place as i128));
            }
            count += 1;
        }
    }
    if name == "index" { Err("the value is not in the list".into()) } else { Ok(Value::Int(count)) }
}

fn of_loop(state: &Loop, name: &str, given: Given, meter: &Meter) -> Outcome<Value> {
    if name == "cycle" {
        let place = state.index.get().checked_rem(given.positional.len());
        return Ok(place.and_then(|place| given.positional.get(place)).cloned().unwrap_or(Value::Undefined));
    }
    let now = Value::tuple(given.positional, meter)?;
    let before = state.seen.replace(Some(now.clone()));
    Ok(Value::Bool(match before {
        Some(before) => !is_equal(&before, &now, meter)?,
        None => true,
    }))
}

fn of_text(text: &str, name: &str, given: Given, meter: &Meter) -> Outcome<Value> {
    meter.spend(text.len() + VALUE)?;
    let made = |text: &str| Value::new_text(text, meter);
    let truth = |is: fn(char) -> bool| Ok(Value::Bool(!text.is_empty() && text.chars().all(is)));
    match name {
        "strip" | "lstrip" | "rstrip" => {
            let [characters] = given.bind(["chars"])?;
            made(stripped(text, name, characters.as_ref(), meter)?)
        }
        "split" | "rsplit" => split(text, name == "rsplit", given, meter),
        "splitlines" => {
            given.nothing()?;
            // A carriage return and a line feed are one end.
            let text = text.replace("\r\n", "\n");
            let lines =
                text.split_inclusive(is_line_end).map(|line| line.strip_suffix(is_line_end).unwrap_or(line));
            Value::list(lines.map(made).collect::<Outcome<_>>()?, meter)
        }
        "startswith" | "endswith" => {
            let affixes = given.one("prefix")?;
            let has = |affix: &Value| -> Outcome<bool> {
                let Value::Text(affix) = affix else {
                    return Err(format!("{name} takes texts, not {}", affix.kind()).into());
                };
                meter.spend(affix.len())?;
                let (start, end) = (text.starts_with(&**affix), text.ends_with(&**affix));
                Ok(if name == "startswith" { start } else { end })
            };
            let Value::Tuple(several) = &affixes else { return has(&affixes).map(Value::Bool) };
            for affix in &several.items {
                if has(affix)? {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        "upper" => made(&text.to_uppercase()),
        "lower" => made(&text.to_lowercase()),
        "capitalize" => made(&capitalised(text)),
        "title" => made(&titled(text, |c| !c.is_alphabetic())),
        "replace" => {
            let [from, to, count] = given.bind(["old", "new", "count"])?;
            replaced(text, from.as_ref(), to.as_ref(), count.as_ref(), meter)
        }
        "removeprefix" | "removesuffix" => {
            let affix = given.one("prefix")?;
            let affix = affix.as_text().ok_or("only texts can be removed")?;
            let left =
                if name == "removeprefix" { text.strip_prefix(affix) } else { text.strip_suffix(affix) };
            made(left.unwrap_or(text))
        }
        "join" => {
            let items = given.one("iterable")?.items(meter)?;
            let mut joined = String::new();
            for (number, item) in items.items.iter().enumerate() {
                let part = item.as_text().ok_or("join takes texts")?;
                meter.spend(text.len() + part.len())?;
                joined.push_str(if number > 0 { text } else { "" });
                joined.push_str(part);
            }
            made(&joined)
        }
        "find" | "rfind" | "index" | "count" => {
            let part = given.one("sub")?;
            let part = part.as_text().ok_or("only a text can be looked for in a text")?;
            search(text, name, part)
        }
        "format" => printf::braces(text, &given, meter),
        "isdigit" | "isdecimal" | "isnumeric" => truth(char::is_numeric),
        "isalpha" => truth(char::is_alphabetic),
        "isalnum" => truth(char::is_alphanumeric),
        "isspace" => truth(is_space),
        "isupper" => Ok(Value::Bool(text.contains(char::is_uppercase) && !text.contains(char::is_lowercase))),
        "islower" => Ok(Value::Bool(text.contains(char::is_lowercase) && !text.contains(char::is_uppercase))),
        other => Err(format!("a text has no method {other}").into()),
    }
}

/// Python counts four separators of old among the spaces.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Without these characters, or without spaces, at the ends that the method's name says.
pub(super) fn stripped<'t>(
    text: &'t str,
    name: &str,
    characters: Option<&Value>,
    meter: &Meter,
) -> Outcome<&'t str> {
    let characters = match characters {
        None | Some(Value::None) => None,
        Some(Value::Text(characters)) => Some(characters),
        Some(other) => return Err(format!("{name} takes a text, not {}", other.kind()).into()),
    };
    meter.spend(text.len().saturating_mul(characters.map_or(1, |characters| characters.len())))?;
    let strips = |c: char| characters.map_or_else(|| is_space(c), |characters| characters.contains(c));
    Ok(match name {
        "lstrip" => text.trim_start_matches(strips),
        "rstrip" => text.trim_end_matches(strips),
        _ => text.trim_matches(strips),
    })
}

fn search(text: &str, name: &str, part: &str) -> Outcome<Value> {
    let at = match name {
        "count" if part.is_empty() => return Ok(Value::Int(text.chars().count() as i128 + 1)),
        "count" => return Ok(Value::Int(text.matches(part).count() as i128)),
        "rfind" => text.rfind(part),
        _ => text.find(part),
    };
    match at {
        Some(at) => Ok(Value::Int(text[..at].chars().count() as i128)),
        None if name == "index" => Err("the text is not in the other".into()),
        None => Ok(Value::Int(-1)),
    }
}

fn split(text: &str, is_from_right: bool, given: Given, meter: &Meter) -> Outcome<Value> {
    let [separator, most] = given.bind(["sep", "maxsplit"])?;
    let most = most.as_ref().and_then(Value::as_int).and_then(|most| usize::try_from(most).ok());
    let pieces = most.map_or(usize::MAX, |most| most.saturating_add(1));
    let parts: Vec<&str> = match &separator {
        None | Some(Value::None) => on_spaces(text, is_from_right, pieces),
        Some(Value::Text(separator)) if separator.is_empty() => return Err("an empty separator".into()),
        Some(Value::Text(separator)) if is_from_right => {
            let mut parts: Vec<&str> = text.rsplitn(pieces, &**separator).collect();
            parts.reverse();
            parts
        }
        Some(Value::Text(separator)) => text.splitn(pieces, &**separator).collect(),
        Some(other) => return Err(format!("{} is no separator", other.kind()).into()),
    };
    Value::list(parts.into_iter().map(|part| Value::new_text(part, meter)).collect::<Outcome<_>>()?, meter)
}

/// Words, and where there are enough of them, the rest with its spaces.
fn on_spaces(text: &str, is_from_right: bool, pieces: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let trimmed = |text| stripped_side(text, is_from_right);
    let mut rest = trimmed(text);
    while parts.len() + 1 < pieces {
        let cut = if is_from_right { rest.rfind(is_space) } else { rest.find(is_space) };
        let Some(cut) = cut else { break };
        let space = rest[cut..].chars().next().map_or(1, char::len_utf8);
        let (before, after) = (&rest[..cut], &rest[cut + space..]);
        let (part, more) = if is_from_right { (after, before) } else { (before, after) };
        parts.push(part);
        rest = trimmed(more);
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    if is_from_right {
        parts.reverse();
    }
    parts
}

fn stripped_side(text: &str, is_right: bool) -> &str {
    if is_right { text.trim_end_matches(is_space) } else { text.trim_start_matches(is_space) }
}

pub(super) fn replaced(
    text: &str,
    from: Option<&Value>,
    to: Option<&Value>,
    count: Option<&Value>,
    meter: &Meter,
) -> Outcome<Value> {
    let (Some(Value::Text(from)), Some(Value::Text(to))) = (from, to) else {
        return Err("replace takes two texts".into());
    };
    let most =
        count.and_then(Value::as_int).and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    let places = if from.is_empty() { text.len() + 1 } else { text.matches(&**from).count() };
    meter.spend(text.len().saturating_add(places.min(most).saturating_mul(to.len())))?;
    Value::new_text(&text.replacen(&**from, to, most), meter)
}

pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + &characters.as_str().to_lowercase()
}

/// Every word with a capital, where words are apart.
pub(super) fn titled(text: &str, is_between: fn(char) -> bool) -> String {
    let mut is_start = true;
    let mut titled = String::with_capacity(text.len());
    for c in text.chars() {
        if is_start {
            titled.extend(c.to_uppercase());
        } else {
            titled.extend(c.to_lowercase());
        }
        is_start = is_between(c);
    }
    titled
}
