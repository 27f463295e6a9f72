//! From the source of a template to tokens.
//!
//! Which line ends and spaces around tags belong to the text is half of what makes a prompt right. The rules are those
//! of Jinja with `trim_blocks` and `lstrip_blocks`: a block swallows the spaces before it on its line and the line end
//! behind it; `-` swallows all spaces on its side, `+` none.

use super::Outcome;
use super::failure::Failure;
use super::literals::{number, text};
use super::methods::is_space;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Text outside of tags.
    Data(String),
    BlockStart,
    BlockEnd,
    PrintStart,
    PrintEnd,
    Name(String),
    Text(String),
    Int(i128),
    Float(f64),
    Operator(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: u32,
}

/// The longest first.
const OPERATORS: [&str; 27] = [
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<",
    "=", ".", ":", "|", ",", ";", "!",
];

pub(super) fn tokens(source: &str) -> Outcome<Vec<Token>> {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let source = source.strip_suffix('\n').unwrap_or(&source);
    let mut lexer = Lexer { source, at: 0, line: 1, starts_line: true, tokens: Vec::new() };
    while lexer.at < source.len() {
        lexer.text_and_tag().map_err(|failure| failure.at(lexer.line))?;
    }
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    line: u32,
    /// Whether what comes next starts a line, although the text before it was swallowed.
    starts_line: bool,
    tokens: Vec<Token>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn skip(&mut self, bytes: usize) {
        self.line += self.rest()[..bytes].matches('\n').count() as u32;
        self.at += bytes;
    }

    fn push(&mut self, kind: Kind) {
        self.tokens.push(Token { kind, line: self.line });
    }

    fn text_and_tag(&mut self) -> Outcome<()> {
        let rest = self.rest();
        let tag = rest.match_indices('{').find(|(at, _)| rest[at + 1..].starts_with(['%', '{', '#']));
        let Some((start, _)) = tag else {
            self.push(Kind::Data(rest.to_owned()));
            self.skip(rest.len());
            return Ok(());
        };
        let (text, tag) = (&rest[..start], &rest[start..]);
        let is_print = tag.starts_with("{{");
        let text = match tag.as_bytes().get(2) {
            Some(b'-') => text.trim_end_matches(is_space),
            Some(b'+') => text,
            _ if is_print => text,
            _ => self.without_indent(text),
        };
        if !text.is_empty() {
            self.push(Kind::Data(text.to_owned()));
        }
        self.skip(start);
        let sign = usize::from(matches!(tag.as_bytes().get(2), Some(b'-' | b'+')));
        if tag.starts_with("{#") {
            return self.comment();
        }
        self.skip(2 + sign);
        if !is_print && let Some(length) = raw_start(self.rest()) {
            self.skip(length);
            return self.raw();
        }
        self.push(if is_print { Kind::PrintStart } else { Kind::BlockStart });
        self.inside(is_print)
    }

    /// Takes the spaces off the end if they are all there is on their line.
    fn without_indent<'t>(&self, text: &'t str) -> &'t str {
        let line = text.rfind('\n').map_or(0, |at| at + 1);
        let is_start = line > 0 || self.starts_line;
        if is_start && text[line..].chars().all(is_space) { &text[..line] } else { text }
    }

    /// Swallows what the end of a tag swallows: `mark` is the end without its sign.
    fn end(&mut self, mark: &str, trims_line: bool) {
        let sign = if self.rest().starts_with(mark) { "" } else { &self.rest()[..1] };
        let length = sign.len() + mark.len();
        let after = &self.rest()[length..];
        let swallowed = match sign {
            "-" => after.len() - after.trim_start_matches(is_space).len(),
            "" if trims_line && after.starts_with('\n') => 1,
            _ => 0,
        };
        self.starts_line = after[..swallowed].ends_with('\n');
        self.skip(length + swallowed);
    }

    fn comment(&mut self) -> Outcome<()> {
        let Some(end) = self.rest()[2..].find("#}") else { return Err("a comment that does not end".into()) };
        let inside = &self.rest()[2..2 + end];
        // `{#-#}` has one sign, at its start.
        let sign = usize::from(inside.len() > 1 && inside.ends_with(['-', '+']));
        self.skip(2 + end - sign);
        self.end("#}", true);
        Ok(())
    }

    fn raw(&mut self) -> Outcome<()> {
        let rest = self.rest();
        let end = rest.match_indices("{%").find_map(|(at, _)| Some((at, raw_end(&rest[at..])?)));
        let Some((at, (is_stripped, length))) = end else { return Err("a raw that does not end".into()) };
        let text = if is_stripped {
            rest[..at].trim_end_matches(is_space)
        } else {
            self.without_indent(&rest[..at])
        };
        if !text.is_empty() {
            self.push(Kind::Data(text.to_owned()));
        }
        self.skip(at + length);
        self.end("%}", true);
        Ok(())
    }

    /// The tokens of a tag, and its end.
    fn inside(&mut self, is_print: bool) -> Outcome<()> {
        let mark = if is_print { "}}" } else { "%}" };
        let mut open = Vec::new();
        loop {
            let rest = self.rest();
            self.skip(rest.len() - rest.trim_start_matches(is_space).len());
            let rest = self.rest();
            let unsigned =
                rest.strip_prefix('-').or(rest.strip_prefix('+').filter(|_| !is_print)).unwrap_or(rest);
            if open.is_empty() && (rest.starts_with(mark) || unsigned.starts_with(mark)) {
                self.push(if is_print { Kind::PrintEnd } else { Kind::BlockEnd });
                self.end(mark, !is_print);
                return Ok(());
            }
            let (kind, length) = self.token(rest)?;
            if let Kind::Operator(operator) = kind {
                match operator {
                    "(" => open.push(")"),
                    "[" => open.push("]"),
                    "{" => open.push("}"),
                    ")" | "]" | "}" if open.pop() != Some(operator) => {
                        return Err(format!("a {operator} that nothing opened").into());
                    }
                    _ => {}
                }
            }
            self.push(kind);
            self.skip(length);
        }
    }

    fn token(&self, rest: &str) -> Outcome<(Kind, usize)> {
        let Some(first) = rest.chars().next() else { return Err("a tag that does not end".into()) };
        if first == '"' || first == '\'' {
            return text(rest, first);
        }
        if first.is_ascii_digit() {
            return number(rest, self.source[..self.at].ends_with('.'));
        }
        if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            return Ok((Kind::Name(rest[..length].to_owned()), length));
        }
        let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
        let operator = operator.ok_or_else(|| Failure::from(format!("an unexpected {first:?}")))?;
        Ok((Kind::Operator(operator), operator.len()))
    }
}

/// The length of `raw %}`, if that is what comes.
fn raw_start(rest: &str) -> Option<usize> {
    let after = rest.trim_start_matches(is_space).strip_prefix("raw")?.trim_start_matches(is_space);
    let after =
        after.strip_prefix("%}").or_else(|| Some(after.strip_prefix("-%}")?.trim_start_matches(is_space)))?;
    Some(rest.len() - after.len())
}

/// Whether `{%- endraw` swallows spaces, and its length without the end of the tag.
fn raw_end(rest: &str) -> Option<(bool, usize)> {
    let inside = rest.strip_prefix("{%")?;
    let is_stripped = inside.starts_with('-');
    let inside = inside.strip_prefix(['-', '+']).unwrap_or(inside);
    let after = inside.trim_start_matches(is_space).strip_prefix("endraw")?.trim_start_matches(is_space);
    let is_end = after.starts_with("%}") || after.starts_with("-%}") || after.starts_with("+%}");
    is_end.then_some((is_stripped, rest.len() - after.len()))
}
