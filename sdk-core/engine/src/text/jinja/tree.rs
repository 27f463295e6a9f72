//! What a template is after it was read.

use std::sync::Arc;

use super::{Outcome, statements};

/// A template.
#[derive(Debug)]
pub(in crate::text) struct Template {
    pub(super) body: Vec<Statement>,
    pub(super) macros: Vec<Macro>,
}

impl Template {
    /// Reads a template, with the settings of `transformers`.
    pub(in crate::text) fn parse(source: &str) -> Outcome<Self> {
        statements::parse(source)
    }
}

#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Arc<str>,
    pub(super) parameters: Vec<(Arc<str>, Option<Expr>)>,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug)]
pub(super) struct Statement {
    pub(super) line: u32,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Text(String),
    Print(Expr),
    If {
        branches: Vec<(Expr, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    For(Box<For>),
    Set(Target, Expr),
    SetBlock {
        target: Target,
        filters: Vec<Filter>,
        body: Vec<Statement>,
    },
    Macro(usize),
    /// Prints a call of a macro that can ask for the text inside.
    Call {
        call: Expr,
        body: Vec<Statement>,
    },
    Filter {
        filters: Vec<Filter>,
        body: Vec<Statement>,
    },
    /// Variables of its own.
    With {
        set: Vec<(Target, Expr)>,
        body: Vec<Statement>,
    },
    Break,
    Continue,
}

#[derive(Debug)]
pub(super) struct For {
    pub(super) target: Target,
    pub(super) items: Expr,
    pub(super) only_if: Option<Expr>,
    pub(super) body: Vec<Statement>,
    pub(super) otherwise: Vec<Statement>,
}

/// What is assigned to.
#[derive(Debug)]
pub(super) enum Target {
    Name(Arc<str>),
    /// A part of a namespace.
    Part(Arc<str>, Arc<str>),
    Several(Vec<Target>),
}

#[derive(Debug)]
pub(super) struct Filter {
    pub(super) name: Arc<str>,
    pub(super) arguments: Arguments,
}

#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Expr>,
    pub(super) named: Vec<(Arc<str>, Expr)>,
}

#[derive(Debug)]
pub(super) enum Expr {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Arc<str>),
    Name(Arc<str>),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Attribute(Box<Expr>, Arc<str>),
    Item(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Box<[Option<Expr>; 3]>),
    Call(Box<Expr>, Arguments),
    Filter(Box<Expr>, Filter),
    Check(Box<Expr>, Filter),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Positive(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// A value, and what is done to it from left to right.
    Compute(Box<Expr>, Vec<(Operator, Expr)>),
    Concat(Vec<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// What it is if the test holds, the test, and what it is otherwise.
    Choice(Box<(Expr, Expr, Option<Expr>)>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    DivideDown,
    Remainder,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}
