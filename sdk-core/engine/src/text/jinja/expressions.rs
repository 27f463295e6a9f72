//! Reads expressions.

use super::Outcome;
use super::failure::Failure;
use super::lex::Kind;
use super::parser::Parser;
use super::tree::{Arguments, Comparison, Expr, Filter, Operator};

/// Parts, calls and filters behind one value.
const MAX_CHAIN: usize = 20;

/// How tightly operators bind.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const ADD: u8 = 5;
const CONCAT: u8 = 6;
const MULTIPLY: u8 = 7;
const POWER: u8 = 8;

#[derive(Clone, Copy, PartialEq)]
enum Infix {
    Or,
    And,
    Compare(Comparison),
    Compute(Operator),
    Concat,
}

impl Parser {
    /// An expression, with `a if b else c`.
    pub(super) fn expression(&mut self) -> Outcome<Expr> {
        self.nested(|parser| {
            let mut then = parser.operators(OR)?;
            if parser.takes_name("if") {
                let test = parser.operators(OR)?;
                let otherwise = if parser.takes_name("else") { Some(parser.expression()?) } else { None };
                then = Expr::Choice(Box::new((then, test, otherwise)));
            }
            Ok(then)
        })
    }

    /// An expression, or several with commas between them, which are a tuple.
    pub(super) fn tuple(&mut self, has_choice: bool) -> Outcome<Expr> {
        let mut items = Vec::new();
        loop {
            items.push(if has_choice {
                self.expression()?
            } else {
                self.nested(|parser| parser.operators(OR))?
            });
            if !self.takes(",") {
                return Ok(if items.len() == 1 { items.remove(0) } else { Expr::Tuple(items) });
            }
            if matches!(self.peek(), None | Some(Kind::BlockEnd | Kind::PrintEnd | Kind::Operator(")"))) {
                return Ok(Expr::Tuple(items));
            }
        }
    }

    fn infix(&self) -> Option<(u8, Infix)> {
        let compare = |comparison| Some((COMPARE, Infix::Compare(comparison)));
        let compute = |level, operator| Some((level, Infix::Compute(operator)));
        match self.peek()? {
            Kind::Name(name) => match &**name {
                "or" => Some((OR, Infix::Or)),
                "and" => Some((AND, Infix::And)),
                "in" => compare(Comparison::In),
                "not" if matches!(self.peek_second(), Some(Kind::Name(name)) if name == "in") => {
                    compare(Comparison::NotIn)
                }
                _ => None,
            },
            Kind::Operator(operator) => match *operator {
                "==" => compare(Comparison::Equal),
                "!=" => compare(Comparison::Unequal),
                "<" => compare(Comparison::Less),
                "<=" => compare(Comparison::LessOrEqual),
                ">" => compare(Comparison::Greater),
                ">=" => compare(Comparison::GreaterOrEqual),
                "+" => compute(ADD, Operator::Add),
                "-" => compute(ADD, Operator::Subtract),
                "~" => Some((CONCAT, Infix::Concat)),
                "*" => compute(MULTIPLY, Operator::Multiply),
                "/" => compute(MULTIPLY, Operator::Divide),
                "//" => compute(MULTIPLY, Operator::DivideDown),
                "%" => compute(MULTIPLY, Operator::Remainder),
                "**" => compute(POWER, Operator::Power),
                _ => None,
            },
            _ => None,
        }
    }

    /// Operands with operators that bind at least this tightly between them.
    fn operators(&mut self, least: u8) -> Outcome<Expr> {
        let mut left = if least <= NOT && self.takes_name("not") {
            Expr::Not(Box::new(self.nested(|parser| parser.operators(NOT))?))
        } else {
            self.operand(true)?
        };
        // Operators in a row are one list, so that a long row makes no deep tree; what stands in brackets is apart.
        let mut last = None;
        while let Some((level, infix)) = self.infix().filter(|(level, _)| *level >= least) {
            self.take();
            if infix == Infix::Compare(Comparison::NotIn) {
                self.take();
            }
            let right = self.operators(level + 1)?;
            let is_row = last == Some(level);
            left = match (infix, left) {
                (Infix::Or, Expr::Or(mut all)) if is_row => {
                    all.push(right);
                    Expr::Or(all)
                }
                (Infix::Or, left) => Expr::Or(vec![left, right]),
                (Infix::And, Expr::And(mut all)) if is_row => {
                    all.push(right);
                    Expr::And(all)
                }
                (Infix::And, left) => Expr::And(vec![left, right]),
                (Infix::Concat, Expr::Concat(mut all)) if is_row => {
                    all.push(right);
                    Expr::Concat(all)
                }
                (Infix::Concat, left) => Expr::Concat(vec![left, right]),
                (Infix::Compare(comparison), Expr::Compare(first, mut more)) if is_row => {
                    more.push((comparison, right));
                    Expr::Compare(first, more)
                }
                (Infix::Compare(comparison), left) => {
                    Expr::Compare(Box::new(left), vec![(comparison, right)])
                }
                (Infix::Compute(operator), Expr::Compute(first, mut more)) if is_row => {
                    more.push((operator, right));
                    Expr::Compute(first, more)
                }
                (Infix::Compute(operator), left) => Expr::Compute(Box::new(left), vec![(operator, right)]),
            };
            last = Some(level);
        }
        Ok(left)
    }

    /// A value with what is done to it: parts, calls, filters, checks.
    fn operand(&mut self, has_filters: bool) -> Outcome<Expr> {
        let sign = ["-", "+"].into_iter().find(|sign| self.is_operator(sign));
        let mut value = match sign {
            Some(sign) => {
                self.take();
                let value = Box::new(self.nested(|parser| parser.operand(false))?);
                if sign == "-" { Expr::Negative(value) } else { Expr::Positive(value) }
            }
            None => self.primary()?,
        };
        for _ in 0..=MAX_CHAIN {
            value = if self.takes(".") {
                self.part(value)?
            } else if self.takes("[") {
                self.subscript(value)?
            } else if self.is_operator("(") {
                Expr::Call(Box::new(value), self.arguments()?)
            } else if has_filters && self.takes("|") {
                Expr::Filter(Box::new(value), self.filter()?)
            } else if has_filters && self.takes_name("is") {
                self.check(value)?
            } else {
                return Ok(value);
            };
        }
        Err(Failure::from(format!("more than {MAX_CHAIN} parts and filters in a row")).at(self.line()))
    }

    fn part(&mut self, value: Expr) -> Outcome<Expr> {
        if let Some(Kind::Int(index)) = self.peek() {
            let index = *index;
            self.take();
            return Ok(Expr::Item(Box::new(value), Box::new(Expr::Int(index))));
        }
        Ok(Expr::Attribute(Box::new(value), self.name()?))
    }

    fn subscript(&mut self, value: Expr) -> Outcome<Expr> {
        let mut bounds = [None, None, None];
        let mut place = 0;
        loop {
            if self.takes("]") {
                break;
            } else if self.takes(":") {
                place += 1;
                if place == bounds.len() {
                    return Err(self.unexpected("]"));
                }
            } else if bounds[place].is_none() {
                bounds[place] = Some(self.expression()?);
            } else {
                return Err(self.unexpected("]"));
            }
        }
        match (place, bounds) {
            (0, [Some(item), ..]) => Ok(Expr::Item(Box::new(value), Box::new(item))),
            (0, _) => Err(Failure::from("an empty pair of brackets").at(self.line())),
            (_, bounds) => Ok(Expr::Slice(Box::new(value), Box::new(bounds))),
        }
    }

    pub(super) fn arguments(&mut self) -> Outcome<Arguments> {
        let mut arguments = Arguments::default();
        self.expect("(")?;
        while !self.takes(")") {
            match self.expression()? {
                Expr::Name(name) if self.takes("=") => arguments.named.push((name, self.expression()?)),
                value if arguments.named.is_empty() => arguments.positional.push(value),
                _ => {
                    return Err(
                        Failure::from("an argument without a name after one with a name").at(self.line())
                    );
                }
            }
            if !self.takes(",") && !self.is_operator(")") {
                return Err(self.unexpected("a comma or )"));
            }
        }
        Ok(arguments)
    }

    pub(super) fn filter(&mut self) -> Outcome<Filter> {
        let name = self.name()?;
        let arguments = if self.is_operator("(") { self.arguments()? } else { Arguments::default() };
        Ok(Filter { name, arguments })
    }

    /// After `is`. One argument may stand without brackets.
    fn check(&mut self, value: Expr) -> Outcome<Expr> {
        let is_negated = self.takes_name("not");
        let name = self.name()?;
        let ends = ["else", "or", "and", "is", "if", "not", "in"];
        let arguments = match self.peek() {
            Some(Kind::Operator("(")) => self.arguments()?,
            Some(Kind::Name(name)) if ends.contains(&&**name) => Arguments::default(),
            Some(
                Kind::Name(_) | Kind::Text(_) | Kind::Int(_) | Kind::Float(_) | Kind::Operator("[" | "{"),
            ) => {
                let mut value = self.primary()?;
                while self.takes(".") {
                    value = self.part(value)?;
                }
                Arguments { positional: vec![value], named: Vec::new() }
            }
            _ => Arguments::default(),
        };
        let check = Expr::Check(Box::new(value), Filter { name, arguments });
        Ok(if is_negated { Expr::Not(Box::new(check)) } else { check })
    }

    fn primary(&mut self) -> Outcome<Expr> {
        let is_known = matches!(
            self.peek(),
            Some(
                Kind::Name(_)
                    | Kind::Text(_)
                    | Kind::Int(_)
                    | Kind::Float(_)
                    | Kind::Operator("(" | "[" | "{")
            )
        );
        if !is_known {
            return Err(self.unexpected("a value"));
        }
        match self.take() {
            Some(Kind::Int(int)) => Ok(Expr::Int(int)),
            Some(Kind::Float(float)) => Ok(Expr::Float(float)),
            Some(Kind::Text(mut text)) => {
                // Texts side by side are one.
                while let Some(Kind::Text(more)) = self.peek() {
                    text.push_str(more);
                    self.take();
                }
                Ok(Expr::Text(text.into()))
            }
            Some(Kind::Name(name)) => Ok(match &*name {
                "true" | "True" => Expr::Bool(true),
                "false" | "False" => Expr::Bool(false),
                "none" | "None" => Expr::None,
                _ => Expr::Name(name.into()),
            }),
            Some(Kind::Operator("(")) => {
                let inside = if self.is_operator(")") { Expr::Tuple(Vec::new()) } else { self.tuple(true)? };
                self.expect(")")?;
                Ok(inside)
            }
            Some(Kind::Operator("[")) => {
                let mut items = Vec::new();
                while !self.takes("]") {
                    items.push(self.expression()?);
                    if !self.takes(",") && !self.is_operator("]") {
                        return Err(self.unexpected("a comma or ]"));
                    }
                }
                Ok(Expr::List(items))
            }
            _ => self.map(),
        }
    }

    fn map(&mut self) -> Outcome<Expr> {
        let mut pairs = Vec::new();
        while !self.takes("}") {
            let key = self.expression()?;
            self.expect(":")?;
            pairs.push((key, self.expression()?));
            if !self.takes(",") && !self.is_operator("}") {
                return Err(self.unexpected("a comma or }"));
            }
        }
        Ok(Expr::Map(pairs))
    }
}
