//! Whether a value follows the rules, and where it does not.

use std::fmt;

use super::{
    invariants, loose, multiaddr,
    rules::{Model, Named, Rule, Rules},
    value::{Object, Value},
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

impl Fault {
    fn depth(&self) -> usize {
        self.path.bytes().filter(|byte| matches!(byte, b'.' | b'[')).count()
    }
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
                    Some(camel) if tolerant => {
                        **camel == *key || (*field.name == *key && object.get(camel).is_none())
                    }
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
        model.holds.iter().try_for_each(|invariant| invariants::hold(*invariant, object, at))
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
            (Rule::OneOf(names), Value::Text(text)) if is_one_of(names, text) => Ok(()),
            (Rule::OneOf(names), Value::Text(_)) => {
                Err(at.fault(format!("expected one of {}", names.join(", "))))
            }
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
            (Rule::Iterated(_), Value::Text(text)) if self.eyes == Eyes::ExosParser && text.is_empty() => {
                Ok(())
            }
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
                choices.iter().find(|choice| {
                    self.class(choice).is_some_and(|model| model.tagged && *model.name == *key)
                })
            }),
            _ => None,
        };
        let complaint = match likely.map(|choice| self.rule(choice, value, loose, at)) {
            Some(Ok(())) => return Ok(()),
            Some(Err(fault)) => Some(fault),
            None => None,
        };
        let told = complaint.or_else(|| self.unknown_tag(choices, value, at));
        let mut deepest: Option<Fault> = None;
        for choice in choices {
            match self.rule(choice, value, loose, at) {
                Ok(()) => return Ok(()),
                // Without a tag the choice that came furthest was meant.
                Err(fault) if matches!(choice, Rule::Null) || told.is_some() => drop(fault),
                Err(fault) if deepest.as_ref().is_some_and(|other| other.depth() >= fault.depth()) => {}
                Err(fault) => deepest = Some(fault),
            }
        }
        Err(told
            .or(deepest)
            .unwrap_or_else(|| at.fault(format!("nothing that exo takes is {}", value.kind()))))
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
