//! Numbers and texts in the source of a template.

use std::str::Chars;

use super::Outcome;
use super::failure::Failure;
use super::lex::Kind;

/// A number, and how long it is. After a dot there is no fraction: `a.0.1` are parts of parts.
pub(super) fn number(rest: &str, is_part: bool) -> Outcome<(Kind, usize)> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let wrong = || Failure::from("a number that is none");
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(after) = rest.strip_prefix(prefix) {
            let length = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
            let plain = after[..length].replace('_', "");
            return i128::from_str_radix(&plain, radix)
                .map(|int| (Kind::Int(int), 2 + length))
                .map_err(|_| wrong());
        }
    }
    let whole = digits(rest);
    let mut length = whole;
    if !is_part {
        if let Some(fraction) = rest[length..].strip_prefix('.').filter(|after| digits(after) > 0) {
            length += 1 + digits(fraction);
        }
        if let Some(power) = rest[length..].strip_prefix(['e', 'E']) {
            let unsigned = power.strip_prefix(['+', '-']).unwrap_or(power);
            if digits(unsigned) > 0 {
                length += 1 + (power.len() - unsigned.len()) + digits(unsigned);
            }
        }
    }
    let plain = rest[..length].replace('_', "");
    let kind =
        if length > whole { plain.parse().ok().map(Kind::Float) } else { plain.parse().ok().map(Kind::Int) };
    kind.map(|kind| (kind, length)).ok_or_else(wrong)
}

/// A text in quotes, with Python's escapes, and how long it is.
pub(super) fn text(rest: &str, quote: char) -> Outcome<(Kind, usize)> {
    let mut text = String::new();
    let mut chars = rest[1..].chars();
    loop {
        match chars.next() {
            None => return Err("a text that does not end".into()),
            Some('\\') => escape(&mut chars, &mut text)?,
            Some(c) if c == quote => break,
            Some(c) => text.push(c),
        }
    }
    Ok((Kind::Text(text), rest.len() - chars.as_str().len()))
}

fn escape(chars: &mut Chars<'_>, text: &mut String) -> Outcome<()> {
    let Some(letter) = chars.next() else { return Err("a text that does not end".into()) };
    let digits = match letter {
        '0'..='7' => {
            let is_octal = |digit: &u8| (b'0'..=b'7').contains(digit);
            let more = chars.as_str().bytes().take(2).take_while(is_octal).count();
            text.extend(coded(&format!("{letter}{}", &chars.as_str()[..more]), 8));
            *chars = chars.as_str()[more..].chars();
            return Ok(());
        }
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => {
            match letter {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                'v' => text.push('\u{b}'),
                'a' => text.push('\u{7}'),
                '\\' | '\'' | '"' => text.push(letter),
                '\n' => {}
                // An escape that Python does not know stands for itself.
                other => text.extend(['\\', other]),
            }
            return Ok(());
        }
    };
    let Some(c) = chars.as_str().get(..digits).and_then(|digits| coded(digits, 16)) else {
        return Err(format!("the escape \\{letter} without a character").into());
    };
    *chars = chars.as_str()[digits..].chars();
    text.push(c);
    Ok(())
}

fn coded(digits: &str, radix: u32) -> Option<char> {
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
}
