//! Goes through the tokens of a template; what [`expressions`](super::expressions) and
//! [`statements`](super::statements) are read with.

use std::sync::Arc;

use super::Outcome;
use super::failure::Failure;
use super::lex::{Kind, Token};
use super::tree::Target;

/// Expressions in expressions, and statements in statements. Reading and running them takes stack.
const MAX_DEPTH: usize = 40;

/// Reads the tokens of a template, one after the other.
pub(super) struct Parser {
    tokens: std::vec::IntoIter<Token>,
    next: Option<Token>,
    line: u32,
    depth: usize,
}

impl Parser {
    pub(super) fn new(tokens: Vec<Token>) -> Self {
        let mut tokens = tokens.into_iter();
        let next = tokens.next();
        Self { tokens, next, line: 1, depth: 0 }
    }

    pub(super) fn line(&self) -> u32 {
        self.next.as_ref().map_or(self.line, |token| token.line)
    }

    pub(super) fn peek(&self) -> Option<&Kind> {
        self.next.as_ref().map(|token| &token.kind)
    }

    pub(super) fn take(&mut self) -> Option<Kind> {
        let token = std::mem::replace(&mut self.next, self.tokens.next())?;
        self.line = token.line;
        Some(token.kind)
    }

    pub(super) fn is_operator(&self, operator: &str) -> bool {
        matches!(self.peek(), Some(Kind::Operator(other)) if *other == operator)
    }

    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(self.peek(), Some(Kind::Name(other)) if other == name)
    }

    pub(super) fn takes(&mut self, operator: &str) -> bool {
        let is_there = self.is_operator(operator);
        if is_there {
            self.take();
        }
        is_there
    }

    pub(super) fn takes_name(&mut self, name: &str) -> bool {
        let is_there = self.is_name(name);
        if is_there {
            self.take();
        }
        is_there
    }

    pub(super) fn expect(&mut self, operator: &str) -> Outcome<()> {
        if self.takes(operator) { Ok(()) } else { Err(self.unexpected(operator)) }
    }

    pub(super) fn name(&mut self) -> Outcome<Arc<str>> {
        match self.peek() {
            Some(Kind::Name(_)) => {}
            _ => return Err(self.unexpected("a name")),
        }
        match self.take() {
            Some(Kind::Name(name)) => Ok(name.into()),
            _ => Err(self.unexpected("a name")),
        }
    }

    pub(super) fn unexpected(&self, expected: &str) -> Failure {
        let found = match self.peek() {
            None => "the end of the template".into(),
            Some(Kind::Name(name) | Kind::Text(name)) => name.clone(),
            Some(Kind::Operator(operator)) => (*operator).into(),
            Some(Kind::BlockEnd | Kind::PrintEnd) => "the end of the tag".into(),
            Some(_) => "something else".into(),
        };
        Failure::from(format!("{expected} was expected, not {found}")).at(self.line())
    }

    /// Goes one level deeper, if there is one.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.deeper()?;
        let read = read(self);
        self.shallower();
        read
    }

    pub(super) fn deeper(&mut self) -> Outcome<()> {
        if self.depth == MAX_DEPTH {
            return Err(Failure::from(format!("more than {MAX_DEPTH} things in each other")).at(self.line()));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// The token after the next one.
    pub(super) fn peek_second(&self) -> Option<&Kind> {
        self.tokens.as_slice().first().map(|token| &token.kind)
    }

    /// What is assigned to: a name, a part of a namespace, or several names.
    pub(super) fn target(&mut self) -> Outcome<Target> {
        let mut targets = Vec::new();
        loop {
            let target = if self.takes("(") {
                let inside = self.nested(Self::target)?;
                self.expect(")")?;
                inside
            } else {
                let name = self.name()?;
                if self.takes(".") { Target::Part(name, self.name()?) } else { Target::Name(name) }
            };
            targets.push(target);
            if !self.takes(",") || self.is_name("in") || self.is_operator("=") {
                return Ok(if targets.len() == 1 { targets.remove(0) } else { Target::Several(targets) });
            }
        }
    }
}
