//! What exo's parser takes and we still never send.
//!
//! exo reads a message, applies it, writes it to a log on disk and, if it is the master, writes it out again for
//! everyone. Each step can fail where the parser did not, and a failure ends the process. Seen in exo's code, most of
//! it tried with exo's own classes:
//!
//! | what the parser takes | what happens then |
//! |---|---|
//! | NaN or an infinity | the master writes `null` for it, and every receiver of that dies |
//! | an integer of 2^64 or more, or under -2^63 | the log on disk (msgpack) has no room for it: the master dies |
//! | `diagnostics` with an entry | the master writes its `evidence` as a list, which no receiver takes for a tuple |
//! | a multiaddr without `/tcp/`, or with a DNS name | its computed fields raise when it is written |
//! | an `ip_address` that is none (`999.1.1.1`, `::g`) | every worker probes it; the HTTP client's error is not caught |
//! | an `ip_address` with a scope or with IPv4 dots in IPv6 | if it answers a probe, the edge made of it is invalid |
//! | `when` of a global event that is no time with an offset | applying it raises |
//! | an empty id | every receiver makes up another id: nobody agrees on the state, nobody sees the ack |
//! | more than about 190 levels | written out with all defaults it is deeper than the parser reads |
//! | an image chunk for a text command, or the reverse | an assertion in the HTTP interface |
//! | other content for an index that was used | an assertion in the master |
//!
//! The last two depend on what was sent before; the member's own state machine answers for them. To these come rules of
//! taste: numbers stay within what they can mean, strings and payloads within a size that a guest may ask of its host.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{
    check::{Fault, Place},
    value::{Object, Value},
};

/// The largest payload that we publish. exo complains in its log above 1 MiB.
pub(crate) const MAX_PAYLOAD: usize = 1 << 20;
/// The longest string that we publish.
const MAX_TEXT: usize = 256 << 10;
/// The longest id.
const MAX_ID: usize = 256;
/// Levels inside each other. What exo writes itself has less than 16.
const MAX_LEVELS: usize = 64;
/// Whole numbers up to here are exact in every language that reads our JSON.
const MAX_INT: i128 = 1 << 53;
/// More bytes than any machine has.
const MAX_BYTES: i128 = 1 << 60;
/// Beyond any count, rate or time that we could mean.
const MAX_FLOAT: f64 = 1e15;

/// Numbers that are not simply zero or more.
const RANGES: [(&str, f64, f64); 12] = [
    ("gpu_usage", 0.0, 1.0),
    ("pcpu_usage", 0.0, 1.0),
    ("ecpu_usage", 0.0, 1.0),
    ("temp", -60.0, 200.0),
    ("sys_power", 0.0, 10_000.0),
    ("prefill_server_port", 1.0, 65_535.0),
    ("seniority", -1.0, 1e6),
    ("logprob", -MAX_FLOAT, 1.0),
    ("temperature", -100.0, 100.0),
    ("presence_penalty", -100.0, 100.0),
    ("frequency_penalty", -100.0, 100.0),
    ("seed", i64::MIN as f64, i64::MAX as f64),
];
/// Parts whose content is somebody else's and has no meaning to exo.
const FREE: [&str; 2] = ["chat_template_messages", "tools"];
/// Ids whose name does not end in `_id`.
const IDS: [&str; 3] = ["origin", "source", "sink"];

/// Judges a message that exo would take. `global` if it is an event of a master.
pub(crate) fn judge(message: &Object<'_>, global: bool) -> Result<(), Fault> {
    Walk { global, free: false, level: 0 }.object(message, &Place::ROOT)
}

#[derive(Clone, Copy)]
struct Walk {
    global: bool,
    free: bool,
    level: usize,
}

impl Walk {
    fn value(self, key: &str, value: &Value<'_>, at: &Place<'_>) -> Result<(), Fault> {
        match value {
            Value::Null | Value::Bool(_) => Ok(()),
            Value::Int(number) => self.int(key, number.clamped(), at),
            Value::Float(number) => self.float(key, *number, at),
            Value::Text(text) => self.text(key, text, at),
            Value::List(_) | Value::Object(_) if self.level >= MAX_LEVELS => Err(at.fault("too many levels")),
            Value::List(items) => {
                if key == "diagnostics" && !items.is_empty() {
                    return Err(at.fault("exo can write diagnostics but not read them"));
                }
                let inner = Self { level: self.level + 1, ..self };
                items.iter().enumerate().try_for_each(|(index, item)| inner.value(key, item, &at.item(index)))
            }
            Value::Object(object) => Self { level: self.level + 1, ..self }.object(object, at),
        }
    }

    fn object(self, object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
        if !self.free {
            whole(object, at)?;
        }
        object.iter().try_for_each(|(key, value)| {
            let place = at.key(key);
            if key.len() > MAX_ID {
                return Err(place.fault("the key is too long"));
            }
            if key.is_empty() && !self.free {
                return Err(place.fault("an empty key: exo makes up another for an empty id"));
            }
            Self { free: self.free || FREE.contains(&key), ..self }.value(key, value, &place)
        })
    }

    fn int(self, key: &str, number: i128, at: &Place<'_>) -> Result<(), Fault> {
        let (min, max) = match range(key) {
            _ if self.free => (i128::from(i64::MIN), i128::from(i64::MAX)),
            Some((min, max)) => (min as i128, max as i128),
            None if key == "in_bytes" => (0, MAX_BYTES),
            None => (0, MAX_INT),
        };
        within(number >= min && number <= max, at)
    }

    fn float(self, key: &str, number: f64, at: &Place<'_>) -> Result<(), Fault> {
        let (min, max) = match range(key) {
            _ if self.free => (f64::MIN, f64::MAX),
            Some(range) => range,
            None => (0.0, MAX_FLOAT),
        };
        // NaN is in no range.
        within(number >= min && number <= max, at)
    }

    fn text(self, key: &str, text: &str, at: &Place<'_>) -> Result<(), Fault> {
        let wrong = match key {
            _ if text.len() > MAX_TEXT => "the string is too long",
            _ if self.free => return Ok(()),
            _ if is_id(key) && (text.is_empty() || text.len() > MAX_ID) => "an id has 1 to 256 bytes",
            _ if is_id(key) && text.chars().any(char::is_control) => "an id has no control characters",
            "address" if !is_reachable(text) => "not /ip4/A/tcp/P or /ip6/A/tcp/P with a whole address",
            "ip_address" if !is_probed_safely(text) => "not an IP address that exo can probe",
            "os_version" if text.starts_with(|c: char| c.is_ascii_digit()) => {
                "exo's dashboard takes it for macOS"
            }
            "when" if self.global && !is_stamp(text) => "not a time such as 2026-06-22 13:38:54.123456+00:00",
            _ => return Ok(()),
        };
        Err(at.fault(wrong))
    }
}

/// What has to hold between the fields of an object.
fn whole(object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
    if let (Some(source), Some(sink)) = (object.get("source"), object.get("sink"))
        && source == sink
    {
        return Err(at.fault("an edge from a node to itself"));
    }
    Ok(())
}

fn within(inside: bool, at: &Place<'_>) -> Result<(), Fault> {
    if inside { Ok(()) } else { Err(at.fault("a number that means nothing here")) }
}

fn range(key: &str) -> Option<(f64, f64)> {
    RANGES.iter().find(|(name, ..)| *name == key).map(|(_, min, max)| (*min, *max))
}

fn is_id(key: &str) -> bool {
    key.ends_with("_id") || IDS.contains(&key)
}

fn is_reachable(address: &str) -> bool {
    let mut parts = address.split('/');
    let family = (parts.next(), parts.next());
    let ip = parts.next().unwrap_or_default();
    let whole = match family {
        (Some(""), Some("ip4")) => ip.parse::<Ipv4Addr>().is_ok(),
        (Some(""), Some("ip6")) => ip.parse::<Ipv6Addr>().is_ok() && !ip.contains('.'),
        _ => false,
    };
    let port = match (parts.next(), parts.next(), parts.next()) {
        (Some("tcp"), Some(port), None) => port.parse::<u16>().is_ok_and(|port| port != 0),
        _ => false,
    };
    whole && port
}

fn is_probed_safely(address: &str) -> bool {
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => true,
        Ok(IpAddr::V6(_)) => !address.contains('.'),
        Err(_) => false,
    }
}

/// `YYYY-MM-DD HH:MM:SS`, a fraction of up to six digits or not, and `+00:00`.
fn is_stamp(text: &str) -> bool {
    let Some(text) = text.strip_suffix("+00:00") else { return false };
    let (seconds, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let form = seconds.len() == 19
        && seconds.bytes().zip("0000-00-00 00:00:00".bytes()).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            b' ' => byte == b' ' || byte == b'T',
            separator => byte == separator,
        });
    let number = |range: std::ops::Range<usize>| seconds.get(range).and_then(|part| part.parse::<u16>().ok());
    form && fraction.is_none_or(|rest| (1..=6).contains(&rest.len()) && digits(rest))
        && number(0..4).is_some_and(|year| year >= 1)
        && number(5..7).is_some_and(|month| (1..=12).contains(&month))
        && number(8..10)
            .is_some_and(|day| (1..=28).contains(&day) || day_exists(number(0..4), number(5..7), day))
        && number(11..13).is_some_and(|hour| hour < 24)
        && number(14..16).is_some_and(|minute| minute < 60)
        && number(17..19).is_some_and(|second| second < 60)
}

fn day_exists(year: Option<u16>, month: Option<u16>, day: u16) -> bool {
    let (Some(year), Some(month)) = (year, month) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u16::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=days).contains(&day)
}
