//! What changed between a build that we know and an export of another one, for people to read.
//!
//! Two questions are answered. *May we still send?* Yes, if the other build takes everything that a guest can say: no
//! field that we write is gone, none is newly demanded, no value is newly refused. *Would we recognise it?* Only if it
//! writes nothing that we have not seen: an unknown event or field means that a member listens only.

use std::{collections::BTreeSet, fmt};

use serde_json::Value as Json;

use super::Build;
use crate::{
    gate::{
        compile::{self, Schemas, compile},
        distil::distil,
        permits,
        rules::{Model, Named, Rule, Rules},
    },
    topic::Topic,
};

/// How an export differs from a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The build that it was compared with.
    pub against: String,
    /// What is new, gone or different, one line each, in order of the classes' names.
    pub changes: Vec<String>,
    /// Why sending would be dangerous; empty if it is not.
    pub dangers: Vec<String>,
}

impl Drift {
    /// Whether everything that a guest can say is still taken.
    pub fn is_safe_to_send(&self) -> bool {
        self.dangers.is_empty()
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.changes.is_empty() {
            writeln!(f, "nothing changed since build {}", self.against)?;
        } else {
            writeln!(f, "changed since build {}:", self.against)?;
            self.changes.iter().try_for_each(|change| writeln!(f, "  {change}"))?;
        }
        if !self.dangers.is_empty() {
            writeln!(f, "\nwhat we send and it would not take:")?;
            self.dangers.iter().try_for_each(|danger| writeln!(f, "  {danger}"))?;
        }
        writeln!(f)?;
        match (self.is_safe_to_send(), self.changes.is_empty()) {
            (true, true) => write!(f, "safe to send: yes. This is a build that we know."),
            (true, false) => write!(
                f,
                "safe to send: yes. But it writes what we do not know, so a member would listen only until the build \
                 is learnt (--learn)."
            ),
            (false, _) => write!(f, "safe to send: NO. A message of ours would end its processes."),
        }
    }
}

/// Compares an export (the format of `json_schemas_by_topic.json`) with a build.
pub fn drift(build: &Build, export: &str) -> Result<Drift, String> {
    let export: Json =
        serde_json::from_str(export).map_err(|error| format!("the export is not JSON: {error}"))?;
    let schemas = distil(&export)?;
    let rules = compile(&schemas)?;
    let known = build.schemas()?;
    let mut changes = topics(&known, &schemas, &export);
    changes.extend(classes(&known, &schemas));
    changes.extend(
        compile::unmet(&schemas)?
            .into_iter()
            .map(|at| format!("! beyond.json speaks of {at}, which is gone")),
    );
    let dangers = Dangers::between(build.rules(), &rules);
    Ok(Drift { against: build.facts().name.clone(), changes, dangers })
}

fn topics(old: &Schemas, new: &Schemas, export: &Json) -> Vec<String> {
    let added = export.as_object().into_iter().flatten().filter(|(topic, _)| Topic::named(topic).is_none());
    let added = added.map(|(topic, _)| format!("+ topic {topic}"));
    let moved = old.topics.iter().filter_map(|(topic, class)| match new.topics.get(topic) {
        Some(other) if other != class => Some(format!("~ topic {topic}: carries {other}, was {class}")),
        _ => None,
    });
    added.chain(moved).collect()
}

fn classes(old: &Schemas, new: &Schemas) -> Vec<String> {
    let names: BTreeSet<&String> = old.classes.keys().chain(new.classes.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        match (old.classes.get(name), new.classes.get(name)) {
            (Some(_), None) => changes.push(format!("- {}", compile::tag(name))),
            (None, Some(class)) => changes.push(format!("+ {}{}", compile::tag(name), fields_of(class))),
            (Some(before), Some(after)) if before != after => {
                let before_after = fields(before, after);
                changes.extend(
                    before_after.into_iter().map(|change| format!("~ {}: {change}", compile::tag(name))),
                );
            }
            _ => {}
        }
    }
    changes
}

fn fields_of(class: &Json) -> String {
    let names: Vec<&str> =
        class["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" {{{}}}", names.join(", ")) }
}

/// What changed inside one class.
fn fields(before: &Json, after: &Json) -> Vec<String> {
    let mut changes = Vec::new();
    let (old, new) = (&before["properties"], &after["properties"]);
    let required = |class: &Json, field: &str| {
        class["required"].as_array().is_some_and(|all| all.contains(&field.into()))
    };
    let names: BTreeSet<&String> =
        [old, new].into_iter().filter_map(Json::as_object).flat_map(serde_json::Map::keys).collect();
    for name in names {
        let need = if required(after, name) { "required" } else { "optional" };
        match (old.get(name), new.get(name)) {
            (None, Some(schema)) => changes.push(format!("+ {name}, {need}: {schema}")),
            (Some(_), None) => changes.push(format!("- {name}")),
            (Some(before_schema), Some(schema)) => {
                if before_schema != schema {
                    changes.push(format!("{name}: {schema}, was {before_schema}"));
                }
                if required(before, name) != required(after, name) {
                    changes.push(format!("{name} is now {need}"));
                }
            }
            (None, None) => {}
        }
    }
    if before["additionalProperties"] != after["additionalProperties"] {
        changes.push(format!(
            "unknown keys: {}, was {}",
            after["additionalProperties"], before["additionalProperties"]
        ));
    }
    if changes.is_empty() {
        changes.push(format!("{after}, was {before}"));
    }
    changes
}

/// Looks for what the old rules let us write and the new ones refuse.
struct Dangers<'a> {
    old: &'a Rules,
    new: &'a Rules,
    seen: BTreeSet<(usize, usize)>,
    found: Vec<String>,
}

impl<'a> Dangers<'a> {
    fn between(old: &'a Rules, new: &'a Rules) -> Vec<String> {
        let mut dangers = Self { old, new, seen: BTreeSet::new(), found: Vec::new() };
        for ((topic, before), after) in Topic::ALL.into_iter().zip(old.topics).zip(new.topics) {
            if permits::guest_speaks_on(topic) {
                dangers.named(before, after, topic.name());
            }
        }
        dangers.found.sort();
        dangers.found.dedup();
        dangers.found
    }

    fn add(&mut self, at: &str, what: &str) {
        self.found.push(format!("{at}: {what}"));
    }

    fn named(&mut self, old: usize, new: usize, at: &str) {
        if !self.seen.insert((old, new)) {
            return;
        }
        match (self.old.named.get(old), self.new.named.get(new)) {
            (Some(Named::Class(before)), Some(Named::Class(after))) => self.class(before, after),
            (Some(Named::Rule(before)), Some(Named::Rule(after))) => self.rule(before, after, at),
            _ => self.add(at, "is something else now"),
        }
    }

    fn class(&mut self, before: &'a Model, after: &'a Model) {
        let name = &before.name;
        if before.name != after.name {
            self.add(name, &format!("is called {} now", after.name));
        }
        if before.tagged != after.tagged {
            self.add(name, if after.tagged { "has a tag now" } else { "has no tag now" });
        }
        for field in &after.fields {
            if field.required && !before.fields.iter().any(|known| known.name == field.name) {
                self.add(&format!("{name}.{}", field.name), "is demanded, and we do not know it");
            }
        }
        for field in &before.fields {
            let at = format!("{name}.{}", field.name);
            match after.fields.iter().find(|other| other.name == field.name) {
                Some(other) => self.rule(&field.rule, &other.rule, &at),
                None if after.closed => self.add(&at, "is unknown to it"),
                None => {}
            }
        }
    }

    /// Whether everything that the old rule takes, the new one takes.
    fn rule(&mut self, before: &'a Rule, after: &'a Rule, at: &str) {
        match (before, after) {
            (_, Rule::Anything) | (Rule::OneOf(_), Rule::Text) | (Rule::Int { .. }, Rule::Float { .. }) => {}
            (Rule::Named(old), Rule::Named(new)) => self.named(*old, *new, at),
            (Rule::List(old) | Rule::Tuple(old), Rule::List(new) | Rule::Tuple(new)) => {
                self.rule(old, new, at);
            }
            (Rule::Table { value: old, .. }, Rule::Table { value: new, .. }) => self.rule(old, new, at),
            (Rule::Union(choices), _) => {
                for choice in choices {
                    // What is never said cannot go wrong.
                    if self.old_class(choice).is_none_or(|model| permits::guest_says(at, &model.name)) {
                        self.choice(choice, after, at);
                    }
                }
            }
            (_, Rule::Union(_)) => self.choice(before, after, at),
            (Rule::OneOf(old) | Rule::Iterated(old), Rule::OneOf(new) | Rule::Iterated(new)) => {
                let gone: Vec<&str> =
                    old.iter().filter(|name| !new.contains(name)).map(|name| &**name).collect();
                if !gone.is_empty() {
                    self.add(at, &format!("no longer takes {}", gone.join(", ")));
                }
            }
            (Rule::Int { min: old_min, max: old_max }, Rule::Int { min, max }) => {
                if min > old_min || max < old_max {
                    self.add(at, "takes a smaller range");
                }
            }
            (Rule::Float { min: old_min, max: old_max }, Rule::Float { min, max }) => {
                if min > old_min || max < old_max {
                    self.add(at, "takes a smaller range");
                }
            }
            (before, after) if before == after => {}
            _ => self.add(at, "takes another type"),
        }
    }

    /// One of our choices against what it takes now: the class of the same name, or any rule that covers it.
    fn choice(&mut self, before: &'a Rule, after: &'a Rule, at: &str) {
        let choices: &'a [Rule] = match after {
            Rule::Union(choices) => choices,
            other => std::slice::from_ref(other),
        };
        if let Some(class) = self.old_class(before) {
            match choices
                .iter()
                .find(|choice| self.new_class(choice).is_some_and(|other| other.name == class.name))
            {
                Some(same) => self.rule(before, same, at),
                None => self.add(at, &format!("no longer takes {}", class.name)),
            }
            return;
        }
        let covered = choices.iter().any(|choice| {
            let mut attempt =
                Dangers { old: self.old, new: self.new, seen: self.seen.clone(), found: Vec::new() };
            attempt.rule(before, choice, at);
            attempt.found.is_empty()
        });
        if !covered {
            self.add(at, "takes another type");
        }
    }

    fn old_class(&self, rule: &Rule) -> Option<&'a Model> {
        class(self.old, rule)
    }

    fn new_class(&self, rule: &Rule) -> Option<&'a Model> {
        class(self.new, rule)
    }
}

fn class<'a>(rules: &'a Rules, rule: &Rule) -> Option<&'a Model> {
    match rule {
        Rule::Named(index) => match rules.named.get(*index)? {
            Named::Class(model) => Some(model),
            Named::Rule(_) => None,
        },
        _ => None,
    }
}
