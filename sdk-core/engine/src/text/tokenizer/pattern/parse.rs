//! From the text of an expression to its tree.

use super::class::{Class, Item, categories};

/// A part of an expression.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// One character of a class, by its number.
    One(usize),
    All(Vec<Node>),
    Any(Vec<Node>),
    Repeat {
        node: Box<Node>,
        least: usize,
        most: usize,
        kind: Kind,
    },
    Ahead {
        node: Box<Node>,
        is_negated: bool,
    },
    Start,
    End,
}

/// What a repeat does first, and whether it gives back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Greedy,
    Lazy,
    Possessive,
}

/// Groups within groups; no real expression has more than four.
const MAX_DEPTH: usize = 40;
/// A pattern of a real model is below 400 characters.
const MAX_CHARS: usize = 4_000;
/// Each is looked at for each character that is not ASCII; real classes have up to ten.
const MAX_ITEMS: usize = 100;

type Parsed<T> = Result<T, String>;

pub(super) fn parse(source: &str) -> Parsed<(Node, Vec<Class>)> {
    let mut parser =
        Parser { chars: source.chars().collect(), at: 0, classes: Vec::new(), ignores_case: false, depth: 0 };
    if parser.chars.len() > MAX_CHARS {
        return Err(format!("longer than {MAX_CHARS} characters"));
    }
    let node = parser.alternatives()?;
    match parser.peek() {
        None => Ok((node, parser.classes)),
        Some(c) => Err(format!("unexpected {c:?} at {}", parser.at)),
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    classes: Vec<Class>,
    ignores_case: bool,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Parsed<char> {
        let c = self.peek().ok_or("it ends too early")?;
        self.at += 1;
        Ok(c)
    }

    fn takes(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(n, c)| self.chars.get(self.at + n) == Some(&c));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn alternatives(&mut self) -> Parsed<Node> {
        let mut all = vec![self.sequence()?];
        while self.takes("|") {
            all.push(self.sequence()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Any(all) })
    }

    fn sequence(&mut self) -> Parsed<Node> {
        let mut all = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let node = self.atom()?;
            all.push(self.repeats(node)?);
        }
        Ok(Node::All(all))
    }

    fn repeats(&mut self, node: Node) -> Parsed<Node> {
        let (least, most) = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('{') => return self.counted(node),
            _ => return Ok(node),
        };
        self.at += 1;
        self.kind_of(node, least, most)
    }

    fn counted(&mut self, node: Node) -> Parsed<Node> {
        self.at += 1;
        let least = self.number()?.unwrap_or(0);
        let most = if self.takes(",") { self.number()?.unwrap_or(usize::MAX) } else { least };
        if !self.takes("}") || least > most {
            return Err("a count that is none".into());
        }
        self.kind_of(node, least, most)
    }

    fn kind_of(&mut self, node: Node, least: usize, most: usize) -> Parsed<Node> {
        if matches!(node, Node::Ahead { .. } | Node::Start | Node::End) {
            return Err("a repeat of nothing".into());
        }
        let kind = match self.peek() {
            Some('?') => Kind::Lazy,
            Some('+') => Kind::Possessive,
            Some('*' | '{') => return Err("a repeat of a repeat".into()),
            _ => return Ok(Node::Repeat { node: Box::new(node), least, most, kind: Kind::Greedy }),
        };
        self.at += 1;
        Ok(Node::Repeat { node: Box::new(node), least, most, kind })
    }

    fn number(&mut self) -> Parsed<Option<usize>> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        let digits: String = self.chars[start..self.at].iter().collect();
        if digits.is_empty() {
            return Ok(None);
        }
        digits.parse().map(Some).map_err(|_| format!("the count {digits}"))
    }

    fn atom(&mut self) -> Parsed<Node> {
        match self.next()? {
            '(' => self.group(),
            '[' => self.bracket(),
            '.' => Ok(self.class(vec![Item::Range('\n', '\n')], true)),
            '^' => Ok(Node::Start),
            '$' => Ok(Node::End),
            '\\' => {
                let item = self.escape()?;
                Ok(self.class(vec![item], false))
            }
            c @ ('?' | '*' | '+' | '{') => Err(format!("{c:?} with nothing before it")),
            c => Ok(self.class(vec![Item::Range(c, c)], false)),
        }
    }

    fn class(&mut self, items: Vec<Item>, is_negated: bool) -> Node {
        self.classes.push(Class::new(items, is_negated, self.ignores_case));
        Node::One(self.classes.len() - 1)
    }

    fn group(&mut self) -> Parsed<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} groups in each other"));
        }
        let outer = self.ignores_case;
        let mut ahead = None;
        if self.takes("?") {
            if self.takes("i:") {
                self.ignores_case = true;
            } else if self.takes("=") {
                ahead = Some(false);
            } else if self.takes("!") {
                ahead = Some(true);
            } else if !self.takes(":") {
                let rest: String = self.chars[self.at..].iter().take(3).collect();
                return Err(format!("a group that starts with (?{rest}"));
            }
        }
        let node = self.alternatives()?;
        if !self.takes(")") {
            return Err("a group that does not end".into());
        }
        self.ignores_case = outer;
        self.depth -= 1;
        Ok(match ahead {
            Some(is_negated) => Node::Ahead { node: Box::new(node), is_negated },
            None => node,
        })
    }

    fn bracket(&mut self) -> Parsed<Node> {
        let is_negated = self.takes("^");
        let mut items = Vec::new();
        loop {
            let item = match self.next()? {
                ']' if !items.is_empty() => return Ok(self.class(items, is_negated)),
                '[' => return Err("a class in a class".into()),
                '&' if self.peek() == Some('&') => return Err("&& in a class".into()),
                '\\' => self.escape()?,
                c => Item::Range(c, c),
            };
            items.push(self.range_from(item)?);
            if items.len() > MAX_ITEMS {
                return Err(format!("a class of more than {MAX_ITEMS} parts"));
            }
        }
    }

    /// A range, where a hyphen and another end follow.
    fn range_from(&mut self, item: Item) -> Parsed<Item> {
        let Item::Range(first, _) = item else { return Ok(item) };
        if self.peek() != Some('-') || matches!(self.chars.get(self.at + 1), None | Some(']')) {
            return Ok(item);
        }
        self.at += 1;
        let last = match self.next()? {
            '\\' => self.escape()?,
            c => Item::Range(c, c),
        };
        match last {
            Item::Range(last, _) if first <= last => Ok(Item::Range(first, last)),
            _ => Err(format!("a range that starts with {first:?} and has no end")),
        }
    }

    fn escape(&mut self) -> Parsed<Item> {
        let one = |c| Ok(Item::Range(c, c));
        let not = |item| Ok(Item::Not(Box::new(item)));
        let digits = Item::Categories(categories("Nd").unwrap_or(0));
        match self.next()? {
            's' => Ok(Item::Space),
            'S' => not(Item::Space),
            'd' => Ok(digits),
            'D' => not(digits),
            'w' => Ok(Item::word()),
            'W' => not(Item::word()),
            'n' => one('\n'),
            'r' => one('\r'),
            't' => one('\t'),
            'f' => one('\u{c}'),
            'v' => one('\u{b}'),
            'x' | 'u' => self.code(),
            'p' => self.category(),
            'P' => self.category().and_then(not),
            c if c.is_ascii_punctuation() || c == ' ' => one(c),
            c => Err(format!("\\{c}")),
        }
    }

    /// `{1F600}`, or two digits after `\x`, four after `\u`.
    fn code(&mut self) -> Parsed<Item> {
        let count = if self.chars[self.at - 1] == 'x' { 2 } else { 4 };
        let digits: String = if self.takes("{") {
            self.until('}')?
        } else {
            (0..count).map(|_| self.next()).collect::<Parsed<String>>()?
        };
        let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        c.map(|c| Item::Range(c, c)).ok_or_else(|| format!("the code {digits:?}"))
    }

    fn category(&mut self) -> Parsed<Item> {
        let name = if self.takes("{") { self.until('}')? } else { self.next()?.to_string() };
        let (is_negated, plain) = name.strip_prefix('^').map_or((false, &*name), |plain| (true, plain));
        let item = Item::Categories(categories(plain).ok_or_else(|| format!("\\p{{{name}}}"))?);
        Ok(if is_negated { Item::Not(Box::new(item)) } else { item })
    }

    fn until(&mut self, end: char) -> Parsed<String> {
        let mut text = String::new();
        loop {
            match self.next()? {
                c if c == end => return Ok(text),
                c => text.push(c),
            }
        }
    }
}
