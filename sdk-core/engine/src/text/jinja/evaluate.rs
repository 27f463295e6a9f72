//! Works out the values of expressions.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::failure::Failure;
use super::given::Given;
use super::meter::VALUE;
use super::run::Run;
use super::show::{show, shown};
use super::slices::{cut, place};
use super::tree::{Arguments, Expr, Filter};
use super::value::{Function, Loop, Value};
use super::{Outcome, checks, filters, methods, operators};

impl<'t> Run<'t> {
    pub(super) fn value(&mut self, expr: &'t Expr) -> Outcome<Value> {
        self.nested(|run| run.value_of(expr))
    }

    fn value_of(&mut self, expr: &'t Expr) -> Outcome<Value> {
        match expr {
            Expr::None => Ok(Value::None),
            Expr::Bool(bool) => Ok(Value::Bool(*bool)),
            Expr::Int(int) => Ok(Value::Int(*int)),
            Expr::Float(float) => Ok(Value::Float(*float)),
            Expr::Text(text) => Ok(Value::Text(Arc::clone(text))),
            Expr::Name(name) => Ok(match self.variable(name)? {
                Some(value) => value,
                None => function(name),
            }),
            Expr::List(items) => Value::list(self.values(items)?, self.meter),
            Expr::Tuple(items) => Value::tuple(self.values(items)?, self.meter),
            Expr::Map(pairs) => self.map(pairs),
            Expr::Attribute(object, name) => {
                let object = self.value(object)?;
                self.attribute(&object, name)
            }
            Expr::Item(object, key) => {
                let (object, key) = (self.value(object)?, self.value(key)?);
                self.item(&object, &key)
            }
            Expr::Slice(object, bounds) => self.slice(object, bounds),
            Expr::Call(callee, arguments) => self.call(callee, arguments),
            Expr::Filter(value, Filter { name, arguments }) => {
                let value = self.value(value)?;
                let given = self.given(arguments)?;
                filters::apply(self, name, &value, given)
            }
            Expr::Check(value, Filter { name, arguments }) => {
                let value = self.value(value)?;
                let given = self.given(arguments)?;
                checks::holds(name, &value, given, self.meter).map(Value::Bool)
            }
            Expr::Not(value) => Ok(Value::Bool(!self.value(value)?.is_true())),
            Expr::Negative(value) => match self.value(value)? {
                Value::Float(float) => Ok(Value::Float(-float)),
                other => match other.as_int().and_then(i128::checked_neg) {
                    Some(int) => Ok(Value::Int(int)),
                    None => Err(format!("minus {} is not possible", other.kind()).into()),
                },
            },
            Expr::Positive(value) => self.value(value),
            // The value that decides, as in Python.
            Expr::And(all) => self.first_that(all, false),
            Expr::Or(all) => self.first_that(all, true),
            Expr::Compute(first, more) => {
                let mut value = self.value(first)?;
                for (operator, right) in more {
                    let right = self.value(right)?;
                    value = operators::compute(*operator, &value, &right, self.meter)?;
                }
                Ok(value)
            }
            Expr::Concat(parts) => {
                let mut text = String::new();
                for part in parts {
                    show(&self.value(part)?, self.meter, &mut text)?;
                }
                Value::new_text(&text, self.meter)
            }
            Expr::Compare(first, more) => {
                let mut left = self.value(first)?;
                for (comparison, right) in more {
                    let right = self.value(right)?;
                    if !operators::compare(*comparison, &left, &right, self.meter)? {
                        return Ok(Value::Bool(false));
                    }
                    left = right;
                }
                Ok(Value::Bool(true))
            }
            Expr::Choice(choice) => {
                let (then, test, otherwise) = &**choice;
                if self.value(test)?.is_true() {
                    return self.value(then);
                }
                otherwise.as_ref().map_or(Ok(Value::Undefined), |otherwise| self.value(otherwise))
            }
        }
    }

    fn values(&mut self, exprs: &'t [Expr]) -> Outcome<Vec<Value>> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn map(&mut self, exprs: &'t [(Expr, Expr)]) -> Outcome<Value> {
        let mut pairs = Vec::with_capacity(exprs.len());
        for (key, value) in exprs {
            let pair = (self.value(key)?, self.value(value)?);
            insert(&mut pairs, pair, self)?;
        }
        Value::map(pairs, self.meter)
    }

    fn first_that(&mut self, exprs: &'t [Expr], is_true: bool) -> Outcome<Value> {
        let mut value = Value::Undefined;
        for expr in exprs {
            value = self.value(expr)?;
            if value.is_true() == is_true {
                break;
            }
        }
        Ok(value)
    }

    pub(super) fn given(&mut self, arguments: &'t Arguments) -> Outcome<Given> {
        let positional = self.values(&arguments.positional)?;
        let named = arguments
            .named
            .iter()
            .map(|(name, value)| Ok((Arc::clone(name), self.value(value)?)))
            .collect::<Outcome<_>>()?;
        Ok(Given { positional, named })
    }

    /// `object.name`: methods first, then what is in it.
    pub(super) fn attribute(&self, object: &Value, name: &Arc<str>) -> Outcome<Value> {
        if methods::has(object, name) {
            return Ok(Value::Method(Rc::new((object.clone(), Arc::clone(name)))));
        }
        Ok(match object {
            Value::Undefined => return Err(format!("something undefined has no {name}").into()),
            Value::Map(pairs) => {
                let found = operators::find(&pairs.pairs, &Value::Text(Arc::clone(name)), self.meter)?;
                found.cloned().unwrap_or(Value::Undefined)
            }
            Value::Namespace(parts) => {
                let parts = parts.borrow();
                self.meter.spend(parts.len())?;
                let found = parts.iter().find(|(other, _)| other == name);
                found.map_or(Value::Undefined, |(_, value)| value.clone())
            }
            Value::Loop(state) => of_loop(state, name),
            _ => Value::Undefined,
        })
    }

    /// `object[key]`: what is in it, and only then its methods.
    pub(super) fn item(&self, object: &Value, key: &Value) -> Outcome<Value> {
        if let Value::Map(pairs) = object
            && let Some(value) = operators::find(&pairs.pairs, key, self.meter)?
        {
            return Ok(value.clone());
        }
        match (object, key, key.as_int()) {
            (Value::List(items) | Value::Tuple(items), _, Some(index)) => {
                let place = place(index, items.items.len());
                Ok(place.and_then(|place| items.items.get(place)).cloned().unwrap_or(Value::Undefined))
            }
            (Value::Text(text), _, Some(index)) => {
                self.meter.spend(text.len())?;
                let count = if index < 0 { text.chars().count() } else { usize::MAX };
                let c = place(index, count).and_then(|place| text.chars().nth(place));
                Ok(c.map_or(Value::Undefined, |c| Value::text(c.encode_utf8(&mut [0; 4]))))
            }
            (_, Value::Text(name), _) => self.attribute(object, name),
            (Value::Undefined, ..) => Err("something undefined has no parts".into()),
            _ => Ok(Value::Undefined),
        }
    }

    fn slice(&mut self, object: &'t Expr, bounds: &'t [Option<Expr>; 3]) -> Outcome<Value> {
        let object = self.value(object)?;
        let mut numbers = [None; 3];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            if let Some(bound) = bound {
                let value = self.value(bound)?;
                *number = match value {
                    Value::None => None,
                    value => Some(value.as_int().ok_or_else(|| format!("a bound that is {}", value.kind()))?),
                };
            }
        }
        let sliced = |items: &[Value]| {
            cut(items.len(), numbers)
                .map(|places| places.into_iter().map(|place| items[place].clone()).collect::<Vec<_>>())
        };
        match &object {
            Value::List(items) => Value::list(sliced(&items.items)?, self.meter),
            Value::Tuple(items) => Value::tuple(sliced(&items.items)?, self.meter),
            Value::Text(text) => {
                self.meter.spend(text.len().saturating_mul(8))?;
                let characters: Vec<char> = text.chars().collect();
                let places = cut(characters.len(), numbers)?;
                let text: String = places.into_iter().map(|place| characters[place]).collect();
                Value::new_text(&text, self.meter)
            }
            other => Err(format!("{} cannot be sliced", other.kind()).into()),
        }
    }

    fn call(&mut self, callee: &'t Expr, arguments: &'t Arguments) -> Outcome<Value> {
        let callee = self.value(callee)?;
        let given = self.given(arguments)?;
        match callee {
            Value::Method(method) => methods::call(&method.0, &method.1, given, self.meter),
            Value::Macro(index, sees) => self.call_macro(index, sees, given, None),
            Value::Function(function) => self.call_function(&function, given),
            other => Err(format!("{} cannot be called", other.kind()).into()),
        }
    }

    fn call_function(&mut self, function: &Function, given: Given) -> Outcome<Value> {
        match function {
            Function::Range => self.range(&given),
            Function::Namespace | Function::Dict => {
                let is_map = matches!(function, Function::Dict);
                let mut pairs = Vec::new();
                for value in &given.positional {
                    let Value::Map(more) = value else { return Err("only a map can be copied".into()) };
                    pairs.extend(more.pairs.iter().cloned());
                }
                for (name, value) in given.named {
                    insert(&mut pairs, (Value::Text(name), value), self)?;
                }
                // Also a namespace holds data alone.
                let map = Value::map(pairs.clone(), self.meter)?;
                if is_map {
                    return Ok(map);
                }
                let name = |key: Value| key.as_text().map(Arc::from);
                let parts = pairs.into_iter().filter_map(|(key, value)| Some((name(key)?, value)));
                Ok(Value::Namespace(Rc::new(RefCell::new(parts.collect()))))
            }
            Function::RaiseException => Err(Failure::Raised(shown(&given.one("message")?, self.meter)?)),
            Function::StrftimeNow => {
                let format = given.one("format")?;
                let format = format.as_text().ok_or("strftime_now takes a text")?;
                self.meter.spend(format.len().saturating_mul(VALUE))?;
                Value::new_text(&self.now.format(format)?, self.meter)
            }
            Function::Caller(text) => {
                given.nothing()?;
                Ok(Value::Text(Arc::clone(text)))
            }
        }
    }

    fn range(&mut self, given: &Given) -> Outcome<Value> {
        let bounds: Option<Vec<i128>> = given.positional.iter().map(Value::as_int).collect();
        let (start, stop, step) = match bounds.as_deref() {
            Some([stop]) => (0, *stop, 1),
            Some([start, stop]) => (*start, *stop, 1),
            Some([start, stop, step]) if *step != 0 => (*start, *stop, *step),
            _ => return Err("range takes one to three whole numbers".into()),
        };
        let span = if step > 0 { stop.saturating_sub(start) } else { start.saturating_sub(stop) };
        let count =
            usize::try_from(span.max(0).unsigned_abs().div_ceil(step.unsigned_abs())).unwrap_or(usize::MAX);
        self.meter.spend(count.saturating_mul(VALUE))?;
        let numbers = (0..count).map(|number| Value::Int(start + number as i128 * step));
        Value::list(numbers.collect(), self.meter)
    }
}

/// Names that every template knows.
fn function(name: &str) -> Value {
    Value::Function(match name {
        "range" => Function::Range,
        "namespace" => Function::Namespace,
        "dict" => Function::Dict,
        "raise_exception" => Function::RaiseException,
        "strftime_now" => Function::StrftimeNow,
        _ => return Value::Undefined,
    })
}

/// A key that comes again keeps its place and takes the new value.
fn insert(pairs: &mut Vec<(Value, Value)>, (key, value): (Value, Value), run: &Run<'_>) -> Outcome<()> {
    for (other, old) in pairs.iter_mut() {
        if operators::is_equal(other, &key, run.meter)? {
            *old = value;
            return Ok(());
        }
    }
    pairs.push((key, value));
    Ok(())
}

fn of_loop(state: &Loop, name: &str) -> Value {
    let (index, length) = (state.index.get(), state.items.items.len());
    let count = |count: usize| Value::Int(count as i128);
    let item = |place: Option<usize>| place.and_then(|place| state.items.items.get(place));
    match name {
        "index" => count(index + 1),
        "index0" => count(index),
        "revindex" => count(length - index),
        "revindex0" => count(length - index - 1),
        "first" => Value::Bool(index == 0),
        "last" => Value::Bool(index + 1 == length),
        "length" => count(length),
        "depth" => count(state.depth + 1),
        "depth0" => count(state.depth),
        "previtem" => item(index.checked_sub(1)).cloned().unwrap_or(Value::Undefined),
        "nextitem" => item(Some(index + 1)).cloned().unwrap_or(Value::Undefined),
        _ => Value::Undefined,
    }
}
