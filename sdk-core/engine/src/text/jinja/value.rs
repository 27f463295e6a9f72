//! The values of a template: Python's, as far as JSON and Jinja need them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::meter::VALUE;
use super::{Meter, Outcome};
use crate::text::json::Json;

/// A value. Copies are cheap.
#[derive(Clone, Debug)]
pub(in crate::text) enum Value {
    /// What is not there. It prints as nothing, and has nothing in it.
    Undefined,
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Arc<str>),
    List(Rc<Items>),
    Tuple(Rc<Items>),
    Map(Rc<Pairs>),
    /// The one thing that a template can change.
    Namespace(Rc<Namespace>),
    Loop(Rc<Loop>),
    /// A macro's number in its template, and how many scopes it sees.
    Macro(usize, usize),
    Function(Function),
    /// A method of a value, not called yet.
    Method(Rc<(Value, Arc<str>)>),
}

/// Names and what is under them.
pub(in crate::text) type Namespace = RefCell<Vec<(Arc<str>, Value)>>;

/// What a list holds.
#[derive(Debug)]
pub(in crate::text) struct Items {
    pub(super) items: Vec<Value>,
    depth: u8,
}

/// What a map holds, in the order in which it came.
#[derive(Debug)]
pub(in crate::text) struct Pairs {
    pub(super) pairs: Vec<(Value, Value)>,
    depth: u8,
}

/// A loop, seen from inside.
#[derive(Debug)]
pub(in crate::text) struct Loop {
    pub(super) items: Rc<Items>,
    pub(super) index: Cell<usize>,
    /// How many loops are around it.
    pub(super) depth: usize,
    /// What `changed` was asked the last time.
    pub(super) seen: RefCell<Option<Value>>,
}

/// Functions that every template knows.
#[derive(Clone, Debug)]
pub(in crate::text) enum Function {
    Range,
    Namespace,
    Dict,
    RaiseException,
    StrftimeNow,
    /// The text inside of a `call`.
    Caller(Arc<str>),
}

/// Values in values. JSON that clients send has up to 128; more would need a deep stack to look through.
const MAX_DEPTH: u8 = 150;

impl Value {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// A text that the template made.
    pub(super) fn new_text(text: &str, meter: &Meter) -> Outcome<Self> {
        meter.spend(text.len() + VALUE)?;
        Ok(Self::text(text))
    }

    pub(super) fn list(items: Vec<Self>, meter: &Meter) -> Outcome<Self> {
        Ok(Self::List(Rc::new(Items::new(items, meter)?)))
    }

    pub(super) fn tuple(items: Vec<Self>, meter: &Meter) -> Outcome<Self> {
        Ok(Self::Tuple(Rc::new(Items::new(items, meter)?)))
    }

    pub(super) fn map(pairs: Vec<(Self, Self)>, meter: &Meter) -> Outcome<Self> {
        meter.spend(VALUE + 2 * VALUE * pairs.len())?;
        let depth = depth_of(pairs.iter().flat_map(|(key, value)| [key, value]))?;
        Ok(Self::Map(Rc::new(Pairs { pairs, depth })))
    }

    fn depth(&self) -> Option<u8> {
        match self {
            Self::List(items) | Self::Tuple(items) => Some(items.depth),
            Self::Map(pairs) => Some(pairs.depth),
            // These lead back to themselves or to the template; as data they have no meaning.
            Self::Namespace(_) | Self::Loop(_) | Self::Macro(..) | Self::Function(_) | Self::Method(_) => {
                None
            }
            _ => Some(0),
        }
    }

    /// Whether it is data, and not a part of the template at work.
    pub(super) fn is_data(&self) -> bool {
        self.depth().is_some()
    }

    /// Python's truth.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Undefined | Self::None => false,
            Self::Bool(bool) => *bool,
            Self::Int(int) => *int != 0,
            Self::Float(float) => *float != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) | Self::Tuple(items) => !items.items.is_empty(),
            Self::Map(pairs) => !pairs.pairs.is_empty(),
            _ => true,
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whole numbers; truth is 1 and 0 in Python.
    pub(super) fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(int) => Some(*int),
            Self::Bool(bool) => Some(i128::from(*bool)),
            _ => None,
        }
    }

    pub(super) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(float) => Some(*float),
            _ => self.as_int().map(|int| int as f64),
        }
    }

    /// What kind of thing it is, for errors.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Undefined => "something undefined",
            Self::None => "none",
            Self::Bool(_) => "a truth",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Tuple(_) => "a tuple",
            Self::Map(_) => "a map",
            Self::Namespace(_) => "a namespace",
            Self::Loop(_) => "a loop",
            Self::Macro(..) => "a macro",
            Self::Function(_) | Self::Method(_) => "a function",
        }
    }

    /// What one gets by going through it: characters, items, keys.
    pub(super) fn items(&self, meter: &Meter) -> Outcome<Rc<Items>> {
        match self {
            Self::List(items) | Self::Tuple(items) => Ok(Rc::clone(items)),
            Self::Undefined => Ok(Rc::new(Items { items: Vec::new(), depth: 1 })),
            Self::Map(pairs) => {
                let keys = pairs.pairs.iter().map(|(key, _)| key.clone()).collect();
                Ok(Rc::new(Items::new(keys, meter)?))
            }
            Self::Text(text) => {
                meter.spend(text.len().saturating_mul(VALUE))?;
                let characters = text.chars().map(|c| Self::text(c.encode_utf8(&mut [0; 4]))).collect();
                Ok(Rc::new(Items::new(characters, meter)?))
            }
            other => Err(format!("nobody can go through {}", other.kind()).into()),
        }
    }
}

impl Items {
    pub(super) fn new(items: Vec<Value>, meter: &Meter) -> Outcome<Self> {
        meter.spend(VALUE + VALUE * items.len())?;
        let depth = depth_of(items.iter())?;
        Ok(Self { items, depth })
    }
}

fn depth_of<'v>(mut values: impl Iterator<Item = &'v Value>) -> Outcome<u8> {
    let deepest = values.try_fold(0, |deepest, value| match value.depth() {
        Some(depth) => Ok(depth.max(deepest)),
        None => Err(format!("{} is no data for a list or a map", value.kind())),
    })?;
    if deepest >= MAX_DEPTH {
        return Err(format!("values in values, more than {MAX_DEPTH} deep").into());
    }
    Ok(deepest + 1)
}

impl From<&Json> for Value {
    /// Data of a request. JSON is read with a limit on its depth, below ours.
    fn from(json: &Json) -> Self {
        let depth = |values: &mut dyn Iterator<Item = &Value>| {
            values.filter_map(Value::depth).max().unwrap_or(0).saturating_add(1)
        };
        match json {
            Json::Null => Self::None,
            Json::Bool(bool) => Self::Bool(*bool),
            Json::Int(int) => Self::Int(*int),
            Json::Float(float) => Self::Float(*float),
            Json::Text(text) => Self::text(text),
            Json::List(items) => {
                let items: Vec<Self> = items.iter().map(Self::from).collect();
                let depth = depth(&mut items.iter());
                Self::List(Rc::new(Items { items, depth }))
            }
            Json::Map(pairs) => {
                let pairs: Vec<(Self, Self)> =
                    pairs.iter().map(|(key, value)| (Self::text(key), Self::from(value))).collect();
                let depth = depth(&mut pairs.iter().map(|(_, value)| value));
                Self::Map(Rc::new(Pairs { pairs, depth }))
            }
        }
    }
}
