//! JSON as exo's parser reads it, which is not quite JSON.
//!
//! exo reads with pydantic's own parser. It takes `NaN`, `Infinity` and `-Infinity` as numbers, keeps whole numbers of
//! up to 4,300 characters exact and apart from floats (`1.0` and `1e0` are floats), lets the last of equal keys win,
//! and gives up at 200 levels. Surrogates without their pair, control characters in strings, a byte order mark,
//! trailing commas and anything after the value are errors. The tree is for the gate only and lives as long as the
//! payload.
//!
//! Total: any bytes end in a value or in a fault. Bounded: the depth by [`MAX_DEPTH`], the size by [`MAX_BYTES`].

use std::{borrow::Cow, fmt};

use super::value::{Int, Object, Value};

/// exo's parser opens at most that many containers inside each other. An empty one may stand one level deeper.
const MAX_DEPTH: usize = 200;
/// The longest whole part of a number, sign included.
const MAX_DIGITS: usize = 4300;
/// We read no more than this. exo has no limit of its own; nothing near it is ever worth reading.
pub(crate) const MAX_BYTES: usize = 64 << 20;

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
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Fault { at: error.valid_up_to(), what: "the text is not UTF-8" })?;
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
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.fault("expected a value"));
        }
        self.at += word.len();
        Ok(value)
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
        let digits =
            self.text.get(self.at..self.at + 4).filter(|four| four.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|four| u32::from_str_radix(four, 16).ok());
        let code = code.ok_or_else(|| self.fault("expected four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    fn reads(text: &str) -> bool {
        read(text.as_bytes()).is_ok()
    }

    #[test]
    fn whole_numbers_and_floats_are_told_apart() {
        for float in ["1.0", "5e9", "1E+2", "-0.0", "0e0", "NaN", "Infinity", "-Infinity", "1e999"] {
            assert!(matches!(read(float.as_bytes()), Ok(Value::Float(_))), "{float}");
        }
        for int in ["0", "-0", "7", "-12", "18446744073709551616", &"9".repeat(MAX_DIGITS)] {
            assert!(matches!(read(int.as_bytes()), Ok(Value::Int(_))), "{int}");
        }
    }

    #[test]
    fn what_only_looks_like_a_number_is_none() {
        for bad in
            ["01", "-", "1.", ".5", "+1", "1e", "1e+", "1.e1", "nan", "-NaN", "Inf", "0x1", "1_0", "--1"]
        {
            assert!(!reads(bad), "{bad}");
        }
        assert!(!reads(&"9".repeat(MAX_DIGITS + 1)));
        assert!(!reads(&format!("-{}", "9".repeat(MAX_DIGITS))));
        assert!(!reads(&format!("{}.5", "9".repeat(MAX_DIGITS + 1))));
    }

    #[test]
    fn a_number_of_any_size_is_compared_and_converted_as_python_does() {
        let number = |text: &'static str| match read(text.as_bytes()) {
            Ok(Value::Int(number)) => number,
            other => panic!("{other:?}"),
        };
        assert_eq!(number("-170141183460469231731687303715884105729").clamped(), i128::MIN);
        assert_eq!(number("9223372036854775808").clamped(), 1 << 63);
        assert!(Int(&"9".repeat(309)).as_float().is_infinite());
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        let few = read(br#"{"a":1,"b":2,"a":3}"#).unwrap();
        let many: Vec<String> = (0..40).map(|n| format!("\"{}\":{n}", n % 20)).collect();
        let many = format!("{{{}}}", many.join(","));
        for (value, key, expected) in [(few, "a", 3), (read(many.as_bytes()).unwrap(), "7", 27)] {
            let Value::Object(object) = value else { panic!() };
            assert!(object.repeats_a_key());
            let Some(Value::Int(number)) = object.get(key) else { panic!() };
            assert_eq!(number.clamped(), expected);
            assert_eq!(object.iter().filter(|(name, _)| *name == key).count(), 1);
        }
    }

    #[test]
    fn strings_are_text_and_nothing_else() {
        assert_eq!(read(r#""\ud83d\ude00\u0000\/\"""#.as_bytes()), Ok(Value::Text("😀\0/\"".into())));
        for bad in [
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud800\u0041""#,
            r#""\x41""#,
            r#""\u12""#,
            "\"\t\"",
            "\"",
            "'a'",
        ] {
            assert!(!reads(bad), "{bad}");
        }
        assert!(read(b"\"\xff\"").is_err());
        assert!(reads("\"\u{7f}\u{80}\""), "only control characters under 32 are refused");
    }

    #[test]
    fn nothing_stands_before_or_after_the_value() {
        for bad in
            ["", " ", "\u{feff}1", "1 2", "{} x", "1\0", "[1,]", "{\"a\":1,}", "[,1]", "{a:1}", "//\n1"]
        {
            assert!(!reads(bad), "{bad:?}");
        }
        assert!(reads(" \t\r\n{ } \n"));
        assert!(!reads("1\u{b}"));
    }

    #[test]
    fn two_hundred_levels_are_read_and_an_empty_one_below_them() {
        let nested =
            |levels: usize, inner: &str| format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(reads(&nested(200, "1")));
        assert!(reads(&nested(200, "{}")));
        assert!(!reads(&nested(201, "1")));
        assert!(!reads(&"[".repeat(1_000_000)), "and what never ends costs no stack");
    }
}
