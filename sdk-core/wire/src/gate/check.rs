//! Whether a value follows the rules, and where it does not.

use std::fmt;

use super::{
    json::{Object, Value},
    loose, multiaddr,
    rules::{Invariant, Model, Named, Rule, Rules},
};

/// With whose eyes a value is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eyes {
    /// Everything that exo's parser takes, with all its tolerance.
    ExosParser,
    /// What exo takes and also writes itself, apart from fields left out that have a default: real names, each key once,
    /// tags in place, nothing converted, no unknown key.
    AsWritten,
    /// As exo writes it: every field is there.
    AsExoWrites,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) why: String,
}

/// A place in a message; written out only when something is wrong there.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    above: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    pub(crate) const ROOT: Place<'static> = Place { above: None, step: Step::Root };

    pub(crate) fn key(&'a self, key: &'a str) -> Place<'a> {
        Place { above: Some(self), step: Step::Key(key) }
    }

    pub(crate) fn item(&'a self, index: usize) -> Place<'a> {
        Place { above: Some(self), step: Step::Item(index) }
    }

    pub(crate) fn fault(&self, why: impl Into<String>) -> Fault {
        Fault { path: self.to_string(), why: why.into() }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            above.fmt(f)?;
        }
        match self.step {
            Step::Root => f.write_str("$"),
            Step::Key(key) => write!(f, ".{}", key.chars().take(64).collect::<String>()),
            Step::Item(index) => write!(f, "[{index}]"),
        }
    }
}

/// Judges values by the rules of one build.
pub(crate) struct Check<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) eyes: Eyes,
}

impl Check<'_> {
    /// Judges a value that has to be of a class.
    pub(crate) fn model(&self, model: &Model, value: &Value<'_>, at: &Place<'_>) -> Result<(), Fault> {
        let Value::Object(object) = value else {
            return Err(at.fault(format!("expected an object ({}), found {}", model.name, value.kind())));
        };
        if model.tagged {
            return match object.only() {
                Some((key, inner)) if *key == *model.name => self.body(model, inner, &at.key(key)),
                _ if self.eyes == Eyes::ExosParser => self.fields(model, object, at),
                _ => Err(at.fault(format!("expected the tag {}", model.name))),
            };
        }
        self.fields(model, object, at)
    }

    fn body(&self, model: &Model, value: &Value<'_>, at: &Place<'_>) -> Result<(), Fault> {
        match value {
            Value::Object(object) => self.fields(model, object, at),
            other => Err(at.fault(format!("expected an object ({}), found {}", model.name, other.kind()))),
        }
    }

    fn fields(&self, model: &Model, object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
        let tolerant = self.eyes == Eyes::ExosParser;
        if !tolerant && object.repeats_a_key() {
            return Err(at.fault("a key is written twice"));
        }
        if model.closed || !tolerant {
            for (key, _) in object.iter() {
                // Where both names of a field are there, exo reads the second one and calls the first unknown.
                let known = model.fields.iter().any(|field| match &field.camel {
                    Some(camel) if tolerant => **camel == *key || (*field.name == *key && object.get(camel).is_none()),
                    _ => *field.name == *key,
                });
                let written = !tolerant && model.also_written.iter().any(|also| **also == *key);
                if !known && !written {
                    return Err(at.key(key).fault(format!("{} has no such field", model.name)));
                }
            }
        }
        for field in &model.fields {
            let camel = field.camel.as_deref().filter(|_| tolerant);
            let found = camel.and_then(|camel| object.get(camel)).or_else(|| object.get(&field.name));
            match found {
                Some(value) => self.rule(&field.rule, value, !model.closed, &at.key(&field.name))?,
                None if field.required || self.eyes == Eyes::AsExoWrites => {
                    return Err(at.key(&field.name).fault(format!("{} needs this field", model.name)));
                }
                None => {}
            }
        }
        model.holds.iter().try_for_each(|invariant| self.invariant(*invariant, object, at))
    }

    /// `loose` is true inside an open class, which converts.
    fn rule(&self, rule: &Rule, value: &Value<'_>, loose: bool, at: &Place<'_>) -> Result<(), Fault> {
        let loose = loose && self.eyes == Eyes::ExosParser;
        let expected = |what: &str| Err(at.fault(format!("expected {what}, found {}", value.kind())));
        match (rule, value) {
            (Rule::Anything, _)
            | (Rule::Null, Value::Null)
            | (Rule::Bool, Value::Bool(_))
            | (Rule::Text, Value::Text(_)) => Ok(()),
            (Rule::Bool, _) if loose && loose::is_bool(value) => Ok(()),
            (Rule::Multiaddr, Value::Text(text)) if multiaddr::is_taken(text) => Ok(()),
            (Rule::Multiaddr, Value::Text(_)) => Err(at.fault("not a multiaddr of a form that exo knows")),
            (Rule::Int { min, max }, _) => {
                let number = match value {
                    Value::Int(number) => Some(number.clamped()),
                    _ if loose => loose::int(value),
                    _ => None,
                };
                match number {
                    Some(number) if (*min..=*max).contains(&number) => Ok(()),
                    Some(_) => Err(at.fault(format!("a number outside {}", Range(*min, *max)))),
                    None => expected("an integer"),
                }
            }
            (Rule::Float { min, max }, _) => {
                let number = match value {
                    Value::Float(number) => Some(*number),
                    Value::Int(number) => Some(number.as_float()).filter(|float| float.is_finite()),
                    _ if loose => loose::float(value),
                    _ => None,
                };
                match number {
                    // A bound refuses NaN, and infinity only where it says so; no bound refuses nothing.
                    Some(number) if *min == f64::NEG_INFINITY || number >= *min => match number {
                        number if *max == f64::INFINITY || number <= *max => Ok(()),
                        _ => Err(at.fault(format!("a number over {max}"))),
                    },
                    Some(_) => Err(at.fault(format!("a number under {min}"))),
                    None => expected("a number"),
                }
            }
            (Rule::OneOf(names), Value::Text(text)) => match is_one_of(names, text) {
                true => Ok(()),
                false => Err(at.fault(format!("expected one of {}", names.join(", ")))),
            },
            (Rule::List(item), Value::List(items)) => self.items(item, items, loose, at),
            (Rule::Tuple(item), Value::List(items)) if self.eyes != Eyes::ExosParser => {
                self.items(item, items, loose, at)
            }
            (Rule::Tuple(_), _) => Err(at.fault("exo writes this field but cannot read it")),
            (Rule::Iterated(names), Value::List(items)) => {
                let named = |item: &Value<'_>| matches!(item, Value::Text(text) if is_one_of(names, text));
                match items.iter().position(|item| !named(item)) {
                    None => Ok(()),
                    Some(index) => Err(at.item(index).fault(format!("expected one of {}", names.join(", ")))),
                }
            }
            (Rule::Iterated(names), Value::Object(object)) if self.eyes == Eyes::ExosParser => {
                match object.iter().find(|(key, _)| !is_one_of(names, key)) {
                    None => Ok(()),
                    Some((key, _)) => Err(at.key(key).fault(format!("expected one of {}", names.join(", ")))),
                }
            }
            (Rule::Iterated(_), Value::Text(text)) if self.eyes == Eyes::ExosParser && text.is_empty() => Ok(()),
            (Rule::Table { whole_number_keys, value: rule }, Value::Object(object)) => {
                for (key, value) in object.iter() {
                    let place = at.key(key);
                    if *whole_number_keys && loose::int_of_text(key).is_none() {
                        return Err(place.fault("expected a whole number as key"));
                    }
                    self.rule(rule, value, loose, &place)?;
                }
                Ok(())
            }
            (Rule::Named(index), _) => match self.rules.named.get(*index) {
                Some(Named::Class(model)) => self.model(model, value, at),
                Some(Named::Rule(rule)) => self.rule(rule, value, loose, at),
                None => Err(at.fault("the rules have a hole here")),
            },
            (Rule::Union(choices), _) => self.union(choices, value, loose, at),
            (Rule::Null, _) => expected("null"),
            (Rule::Bool, _) => expected("a boolean"),
            (Rule::Text | Rule::Multiaddr | Rule::OneOf(_), _) => expected("a string"),
            (Rule::List(_) | Rule::Iterated(_), _) => expected("a list"),
            (Rule::Table { .. }, _) => expected("an object"),
        }
    }

    fn items(&self, rule: &Rule, items: &[Value<'_>], loose: bool, at: &Place<'_>) -> Result<(), Fault> {
        items.iter().enumerate().try_for_each(|(index, item)| self.rule(rule, item, loose, &at.item(index)))
    }

    /// exo tries every choice. The tag tells us the likely one, and whose complaint is worth repeating.
    fn union(&self, choices: &[Rule], value: &Value<'_>, loose: bool, at: &Place<'_>) -> Result<(), Fault> {
        let likely = match value {
            Value::Object(object) => object.only().and_then(|(key, _)| {
                choices.iter().find(|choice| self.class(choice).is_some_and(|model| model.tagged && *model.name == *key))
            }),
            _ => None,
        };
        let complaint = match likely.map(|choice| self.rule(choice, value, loose, at)) {
            Some(Ok(())) => return Ok(()),
            Some(Err(fault)) => Some(fault),
            None => None,
        };
        let mut closest = complaint.or_else(|| self.unknown_tag(choices, value, at));
        for choice in choices {
            match self.rule(choice, value, loose, at) {
                Ok(()) => return Ok(()),
                Err(fault) => closest = closest.or(Some(fault).filter(|_| !matches!(choice, Rule::Null))),
            }
        }
        Err(closest.unwrap_or_else(|| at.fault(format!("nothing that exo takes is {}", value.kind()))))
    }

    fn unknown_tag(&self, choices: &[Rule], value: &Value<'_>, at: &Place<'_>) -> Option<Fault> {
        let Value::Object(object) = value else { return None };
        let (key, _) = object.only()?;
        let tags = choices.iter().filter_map(|choice| self.class(choice)).filter(|model| model.tagged);
        (tags.count() > 1 && key.starts_with(|c: char| c.is_ascii_uppercase()))
            .then(|| at.key(key).fault("exo knows no such tag here"))
    }

    fn class(&self, rule: &Rule) -> Option<&Model> {
        match rule {
            Rule::Named(index) => match self.rules.named.get(*index)? {
                Named::Class(model) => Some(model),
                Named::Rule(_) => None,
            },
            _ => None,
        }
    }

    fn invariant(&self, invariant: Invariant, object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
        match invariant {
            Invariant::RunnersHaveShards => {
                let shards = field(object, "runner_to_shard");
                let Some(Value::Object(runners)) = field(object, "node_to_runner") else { return Ok(()) };
                for (node, runner) in runners.iter() {
                    if let Value::Text(runner) = runner {
                        if !has_shard(shards, runner) {
                            return Err(at.key("node_to_runner").key(node).fault("a runner without a shard"));
                        }
                    }
                }
                Ok(())
            }
            Invariant::BoundRunnerHasShard => {
                let (Some(Value::Object(instance)), Some(Value::Text(runner))) =
                    (field(object, "instance"), field(object, "bound_runner_id"))
                else {
                    return Ok(());
                };
                let body = match instance.only() {
                    Some((_, Value::Object(body))) => body,
                    _ => instance,
                };
                let Some(Value::Object(assignments)) = field(body, "shard_assignments") else { return Ok(()) };
                match has_shard(field(assignments, "runner_to_shard"), runner) {
                    true => Ok(()),
                    false => Err(at.key("bound_runner_id").fault("a runner without a shard")),
                }
            }
        }
    }
}

/// The field of a closed class that was judged already, by either name.
fn field<'a, 'v>(object: &'a Object<'v>, name: &str) -> Option<&'a Value<'v>> {
    object.get(&super::compile::camel(name)).or_else(|| object.get(name))
}

/// exo makes a new random id of an empty one, so an empty runner id is never found again.
fn has_shard(shards: Option<&Value<'_>>, runner: &str) -> bool {
    matches!(shards, Some(Value::Object(shards)) if !runner.is_empty() && shards.get(runner).is_some())
}

fn is_one_of(names: &[Box<str>], text: &str) -> bool {
    names.iter().any(|name| **name == *text)
}

struct Range(i128, i128);

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 != i128::MIN {
            self.0.fmt(f)?;
        }
        f.write_str("..")?;
        if self.1 != i128::MAX {
            write!(f, "={}", self.1)?;
        }
        Ok(())
    }
}
