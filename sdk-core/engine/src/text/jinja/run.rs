//! Runs the statements of a template.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::filters;
use super::given::Given;
use super::meter::STEP;
use super::show::show;
use super::tree::{Expr, Filter, For, Statement, Target, Template, What};
use super::value::{Function, Items, Loop, Value};
use super::{Meter, Outcome};
use crate::text::template::Moment;

/// Statements, expressions and macros in each other while a template runs. Each takes stack, of which the threads of
/// phones have half a megabyte.
const MAX_DEPTH: usize = 400;

/// The text that a template makes of these variables.
pub(in crate::text) fn render(
    template: &Template,
    variables: Vec<(Arc<str>, Value)>,
    now: Moment,
    meter: &Meter,
) -> Outcome<String> {
    let mut run = Run { template, meter, now, scopes: vec![variables, Vec::new()], depth: 0, loops: 0 };
    let mut text = String::new();
    run.all(&template.body, &mut text)?;
    Ok(text)
}

/// A template at work.
pub(super) struct Run<'t> {
    pub(super) template: &'t Template,
    pub(super) meter: &'t Meter,
    pub(super) now: Moment,
    /// Variables: those given, those of the template, and those of each loop and macro inside it.
    scopes: Vec<Vec<(Arc<str>, Value)>>,
    depth: usize,
    loops: usize,
}

/// How statements went.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
}

impl<'t> Run<'t> {
    /// Counts what is inside of what.
    pub(super) fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.meter.spend(STEP)?;
        if self.depth == MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} things in each other").into());
        }
        self.depth += 1;
        let outcome = inside(self);
        self.depth -= 1;
        outcome
    }

    fn all(&mut self, statements: &'t [Statement], out: &mut String) -> Outcome<Flow> {
        self.nested(|run| {
            for statement in statements {
                let flow =
                    run.statement(&statement.what, out).map_err(|failure| failure.at(statement.line))?;
                if flow != Flow::On {
                    return Ok(flow);
                }
            }
            Ok(Flow::On)
        })
    }

    fn statement(&mut self, what: &'t What, out: &mut String) -> Outcome<Flow> {
        self.meter.spend(STEP)?;
        match what {
            What::Text(text) => {
                self.meter.spend(text.len())?;
                out.push_str(text);
            }
            What::Print(value) => {
                let value = self.value(value)?;
                show(&value, self.meter, out)?;
            }
            What::If { branches, otherwise } => {
                for (test, body) in branches {
                    if self.value(test)?.is_true() {
                        return self.all(body, out);
                    }
                }
                return self.all(otherwise, out);
            }
            What::For(repetition) => return self.repetition(repetition, out),
            What::Set(target, value) => {
                let value = self.value(value)?;
                self.assign(target, value)?;
            }
            What::SetBlock { target, filters, body } => {
                let text = self.captured(filters, body)?;
                self.assign(target, text)?;
            }
            What::Filter { filters, body } => {
                let text = self.captured(filters, body)?;
                show(&text, self.meter, out)?;
            }
            What::Macro(index) => {
                let defined = Value::Macro(*index, self.scopes.len());
                self.set(&self.template.macros[*index].name, defined)?;
            }
            What::Call { call, body } => self.call_with_body(call, body, out)?,
            What::With { set, body } => {
                let values = set.iter().map(|(_, value)| self.value(value)).collect::<Outcome<Vec<_>>>()?;
                self.scopes.push(Vec::new());
                for ((target, _), value) in set.iter().zip(values) {
                    self.assign(target, value)?;
                }
                let flow = self.all(body, out)?;
                self.scopes.pop();
                return Ok(flow);
            }
            What::Break => return Ok(Flow::Break),
            What::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::On)
    }

    fn repetition(&mut self, repetition: &'t For, out: &mut String) -> Outcome<Flow> {
        let For { target, items, only_if, body, otherwise } = repetition;
        let mut items = self.value(items)?.items(self.meter)?;
        if let Some(test) = only_if {
            let mut left = Vec::new();
            for item in &items.items {
                self.scopes.push(Vec::new());
                self.assign(target, item.clone())?;
                if self.value(test)?.is_true() {
                    left.push(item.clone());
                }
                self.scopes.pop();
            }
            items = Rc::new(Items::new(left, self.meter)?);
        }
        if items.items.is_empty() {
            return self.all(otherwise, out);
        }
        let state = Loop {
            items: Rc::clone(&items),
            index: Cell::new(0),
            depth: self.loops,
            seen: RefCell::new(None),
        };
        let state = Rc::new(state);
        self.loops += 1;
        for (index, item) in items.items.iter().enumerate() {
            self.meter.spend(STEP)?;
            state.index.set(index);
            self.scopes.push(vec![("loop".into(), Value::Loop(Rc::clone(&state)))]);
            self.assign(target, item.clone())?;
            let flow = self.all(body, out)?;
            self.scopes.pop();
            if flow == Flow::Break {
                break;
            }
        }
        self.loops -= 1;
        Ok(Flow::On)
    }

    /// What a body writes, as a text.
    fn text_of(&mut self, body: &'t [Statement]) -> Outcome<Value> {
        let mut text = String::new();
        if self.all(body, &mut text)? != Flow::On {
            return Err("a break or continue that leaves a text".into());
        }
        Value::new_text(&text, self.meter)
    }

    /// What a body of its own variables writes, through filters.
    fn captured(&mut self, filters: &'t [Filter], body: &'t [Statement]) -> Outcome<Value> {
        self.scopes.push(Vec::new());
        let mut text = self.text_of(body)?;
        self.scopes.pop();
        for Filter { name, arguments } in filters {
            let given = self.given(arguments)?;
            text = filters::apply(self, name, &text, given)?;
        }
        Ok(text)
    }

    fn call_with_body(&mut self, call: &'t Expr, body: &'t [Statement], out: &mut String) -> Outcome<()> {
        let Expr::Call(callee, arguments) = call else { return Err("a call of nothing".into()) };
        let callee = self.value(callee)?;
        let Value::Macro(index, sees) = callee else {
            return Err(format!("{} is no macro", callee.kind()).into());
        };
        let text = self.captured(&[], body)?;
        let given = self.given(arguments)?;
        let caller = Value::Function(Function::Caller(text.as_text().unwrap_or_default().into()));
        let said = self.call_macro(index, sees, given, Some(caller))?;
        show(&said, self.meter, out)
    }

    /// A macro sees its own arguments, and what was around it when it was defined.
    pub(super) fn call_macro(
        &mut self,
        index: usize,
        sees: usize,
        given: Given,
        caller: Option<Value>,
    ) -> Outcome<Value> {
        let called = &self.template.macros[index];
        let hidden = self.scopes.split_off(sees.min(self.scopes.len()));
        self.scopes.push(caller.map(|caller| ("caller".into(), caller)).into_iter().collect());
        if given.positional.len() > called.parameters.len() {
            return Err(format!("too many arguments for the macro {}", called.name).into());
        }
        if let Some((name, _)) =
            given.named.iter().find(|(name, _)| called.parameters.iter().all(|(known, _)| known != name))
        {
            return Err(format!("the macro {} has no parameter {name}", called.name).into());
        }
        let mut positional = given.positional.into_iter();
        for (name, default) in &called.parameters {
            let named = given.named.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
            let value = match (positional.next().or(named), default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.value(default)?,
                (None, None) => Value::Undefined,
            };
            self.set(name, value)?;
        }
        let text = self.text_of(&called.body)?;
        self.scopes.pop();
        self.scopes.extend(hidden);
        Ok(text)
    }

    /// A variable, from the innermost scope outwards.
    pub(super) fn variable(&self, name: &str) -> Outcome<Option<Value>> {
        for scope in self.scopes.iter().rev() {
            self.meter.spend(scope.len())?;
            if let Some((_, value)) = scope.iter().find(|(other, _)| &**other == name) {
                return Ok(Some(value.clone()));
            }
        }
        Ok(None)
    }

    fn set(&mut self, name: &Arc<str>, value: Value) -> Outcome<()> {
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        self.meter.spend(scope.len())?;
        match scope.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => scope.push((Arc::clone(name), value)),
        }
        Ok(())
    }

    fn assign(&mut self, target: &Target, value: Value) -> Outcome<()> {
        match target {
            Target::Name(name) => self.set(name, value),
            Target::Part(name, part) => {
                let Some(Value::Namespace(parts)) = self.variable(name)? else {
                    return Err(format!("{name} is no namespace").into());
                };
                if !value.is_data() {
                    return Err(format!("a namespace holds data, not {}", value.kind()).into());
                }
                let mut parts = parts.borrow_mut();
                self.meter.spend(parts.len())?;
                match parts.iter_mut().find(|(other, _)| other == part) {
                    Some((_, old)) => *old = value,
                    None => parts.push((Arc::clone(part), value)),
                }
                Ok(())
            }
            Target::Several(targets) => {
                let items = value.items(self.meter)?;
                if items.items.len() != targets.len() {
                    let counts = (items.items.len(), targets.len());
                    return Err(format!("{} values for {} names", counts.0, counts.1).into());
                }
                targets
                    .iter()
                    .zip(&items.items)
                    .try_for_each(|(target, item)| self.assign(target, item.clone()))
            }
        }
    }
}
