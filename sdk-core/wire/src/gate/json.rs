//! JSON as exo's parser reads it, which is not quite JSON.
//!
//! exo reads with pydantic's own parser. It takes `NaN`, `Infinity` and `-Infinity` as numbers, keeps whole numbers of
//! up to 4,300 characters exact and apart from floats (`1.0` and `1e0` are floats), lets the last of equal keys win,
//! and gives up at 200 levels. Surrogates without their pair, control characters in strings, a byte order mark,
//! trailing commas and anything after the value are errors. The tree is for the gate only and lives as long as the
//! payload.
//!
//! Total: any bytes end in a value or in a fault. Bounded: the depth by [`MAX_DEPTH`], the size by [`MAX_BYTES`].

use std::{borrow::Cow, collections::HashMap, fmt};

/// exo's parser opens at most that many containers inside each other. An empty one may stand one level deeper.
const MAX_DEPTH: usize = 200;
/// The longest whole part of a number, sign included.
const MAX_DIGITS: usize = 4300;
/// We read no more than this. exo has no limit of its own; nothing near it is ever worth reading.
pub(crate) const MAX_BYTES: usize = 64 << 20;
/// Up to this many keys, looking through them beats a table.
const FEW_KEYS: usize = 16;

/// A JSON value, borrowed from the payload where it can be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Int(Int<'a>),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Object(Object<'a>),
}

impl Value<'_> {
    /// What it is, in JSON's words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

/// A whole number of any size, as its digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Int<'a>(&'a str);

impl<'a> Int<'a> {
    /// The number, or the end of the range on its side: no rule of exo's has a bound out there.
    pub(crate) fn clamped(self) -> i128 {
        self.0.parse().unwrap_or(if self.0.starts_with('-') { i128::MIN } else { i128::MAX })
    }

    /// The nearest float; infinite where Python's conversion overflows.
    pub(crate) fn as_float(self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// The digits.
    pub(crate) fn text(self) -> &'a str {
        self.0
    }
}

/// An object's entries, each key once.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object<'a> {
    entries: Vec<(Cow<'a, str>, Value<'a>)>,
    repeated: bool,
}

impl<'a> Object<'a> {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// All entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }

    /// The only entry, where there is exactly one.
    pub(crate) fn only(&self) -> Option<(&str, &Value<'a>)> {
        match self.entries.as_slice() {
            [(key, value)] => Some((key, value)),
            _ => None,
        }
    }

    /// Whether a key was written more than once.
    pub(crate) fn repeats_a_key(&self) -> bool {
        self.repeated
    }

    /// Keeps the last of equal keys.
    fn of(mut entries: Vec<(Cow<'a, str>, Value<'a>)>) -> Self {
        let before = entries.len();
        if before <= FEW_KEYS {
            let mut at = 0;
            while at < entries.len() {
                let again = entries.iter().skip(at + 1).any(|(key, _)| entries.get(at).is_some_and(|(k, _)| k == key));
                if again {
                    entries.remove(at);
                } else {
                    at += 1;
                }
            }
        } else {
            let last: HashMap<Cow<'a, str>, usize> =
                entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
            if last.len() < before {
                let mut at = 0;
                entries.retain(|(key, _)| {
                    at += 1;
                    last.get(key) == Some(&(at - 1))
                });
            }
        }
        let repeated = entries.len() < before;
        Self { entries, repeated }
    }
}

/// Where and why the bytes are not what exo reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at)
    }
}

/// Reads a payload.
pub(crate) fn read(bytes: &[u8]) -> Result<Value<'_>, Fault> {
    if bytes.len() > MAX_BYTES {
        return Err(Fault { at: MAX_BYTES, what: "more than we read" });
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| Fault { at: error.valid_up_to(), what: "the text is not UTF-8" })?;
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    match reader.after_space() {
        None => Ok(value),
        Some(_) => Err(reader.fault("something follows the value")),
    }
}

/// Reads a whole number as exo's JSON would, and nothing else: also the inside of a string that stands for one.
pub(crate) fn whole_number(text: &str) -> Result<(), Fault> {
    let mut reader = Reader { text, at: 0 };
    match reader.number()? {
        Value::Int(_) if reader.at == text.len() => Ok(()),
        _ => Err(reader.fault("not a whole number")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn fault(&self, what: &'static str) -> Fault {
        Fault { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn after_space(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.peek()
    }

    fn slice(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Fault> {
        match self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            true => {
                self.at += word.len();
                Ok(value)
            }
            false => Err(self.fault("expected a value")),
        }
    }

    /// `depth` is the number of containers that are open around the value.
    fn value(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        match self.after_space() {
            None => Err(self.fault("the text ends where a value should stand")),
            Some(b'n') => self.word("null", Value::Null),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'N') => self.word("NaN", Value::Float(f64::NAN)),
            Some(b'I') => self.word("Infinity", Value::Float(f64::INFINITY)),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'[') => self.list(depth),
            Some(b'{') => self.object(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.fault("expected a value")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        if self.after_space() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(items));
        }
        self.descend(depth)?;
        loop {
            items.push(self.value(depth + 1)?);
            match self.after_space() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.fault("expected `,` or `]`")),
            }
        }
        self.at += 1;
        Ok(Value::List(items))
    }

    fn object(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        self.at += 1;
        let mut entries = Vec::new();
        if self.after_space() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(Object::default()));
        }
        self.descend(depth)?;
        loop {
            if self.after_space() != Some(b'"') {
                return Err(self.fault("expected a key"));
            }
            let key = self.string()?;
            if self.after_space() != Some(b':') {
                return Err(self.fault("expected `:`"));
            }
            self.at += 1;
            entries.push((key, self.value(depth + 1)?));
            match self.after_space() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.fault("expected `,` or `}`")),
            }
        }
        self.at += 1;
        Ok(Value::Object(Object::of(entries)))
    }

    fn descend(&self, depth: usize) -> Result<(), Fault> {
        if depth >= MAX_DEPTH { Err(self.fault("too many levels")) } else { Ok(()) }
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<Value<'a>, Fault> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
            if self.peek() == Some(b'I') {
                return self.word("Infinity", Value::Float(f64::NEG_INFINITY));
            }
        }
        match self.peek() {
            Some(b'0') => {
                self.at += 1;
                if matches!(self.peek(), Some(b'0'..=b'9')) {
                    return Err(self.fault("a number begins with 0"));
                }
            }
            Some(b'1'..=b'9') => {
                self.digits();
            }
            _ => return Err(self.fault("expected a digit")),
        }
        if self.at - from > MAX_DIGITS {
            return Err(self.fault("a number with too many digits"));
        }
        if !matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            return Ok(Value::Int(Int(self.slice(from))));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.fault("expected a digit"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.fault("expected a digit"));
            }
        }
        self.slice(from).parse().map(Value::Float).map_err(|_| self.fault("not a number"))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let mut built = String::new();
        let mut from = self.at;
        loop {
            match self.peek() {
                None => return Err(self.fault("the text ends inside a string")),
                Some(b'"') => {
                    let rest = self.slice(from);
                    self.at += 1;
                    if built.is_empty() {
                        return Ok(Cow::Borrowed(rest));
                    }
                    built.push_str(rest);
                    return Ok(Cow::Owned(built));
                }
                Some(b'\\') => {
                    built.push_str(self.slice(from));
                    self.at += 1;
                    built.push(self.escape()?);
                    from = self.at;
                }
                Some(0..=0x1f) => return Err(self.fault("a control character inside a string")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let plain = match self.peek() {
            Some(b'u') => {
                self.at += 1;
                return self.escaped_code_point();
            }
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.fault("unknown escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    fn escaped_code_point(&mut self) -> Result<char, Fault> {
        let first = self.four_hex_digits()?;
        let code = match first {
            0xD800..=0xDBFF => {
                if self.text.get(self.at..self.at + 2) != Some("\\u") {
                    return Err(self.fault("half of a surrogate pair"));
                }
                self.at += 2;
                match self.four_hex_digits()? {
                    second @ 0xDC00..=0xDFFF => ((first - 0xD800) << 10 | (second - 0xDC00)) + 0x1_0000,
                    _ => return Err(self.fault("half of a surrogate pair")),
                }
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| self.fault("half of a surrogate pair"))
    }

    fn four_hex_digits(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4).filter(|four| four.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|four| u32::from_str_radix(four, 16).ok());
        let code = code.ok_or_else(|| self.fault("expected four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}
