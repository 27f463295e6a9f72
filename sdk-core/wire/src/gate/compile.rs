//! From JSON schemas to rules.
//!
//! exo's classes can be exported as JSON schemas. They say most of what the parser demands; `builds/beyond.json` says
//! the rest, each line with its reason. What holds for all of exo's classes is written here:
//!
//! * `additionalProperties: false` marks a closed class, anything else an open one (see [`Model::closed`]);
//! * a closed class that stands in a union is tagged, unless the list says that it is plain.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::rules::{Field, Invariant, Model, Named, Rule, Rules};
use crate::topic::Topic;

const BEYOND: &str = include_str!("../../builds/beyond.json");

/// The schemas of one build, each class once.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub(crate) struct Schemas {
    /// The class of each topic's messages.
    pub(crate) topics: BTreeMap<String, String>,
    /// All classes. Where two have one name, the second is called `Name~2`.
    pub(crate) classes: BTreeMap<String, Json>,
}

#[derive(Debug, Deserialize)]
struct Beyond {
    at: String,
    rule: String,
    #[serde(default)]
    keys: Vec<Box<str>>,
}

/// The tag of a class: its name without the mark that keeps namesakes apart.
pub(crate) fn tag(class: &str) -> &str {
    class.split('~').next().unwrap_or(class)
}

/// Rules from schemas, or what in them could not be understood.
pub(crate) fn compile(schemas: &Schemas) -> Result<Rules, String> {
    let beyond: Vec<Beyond> = serde_json::from_str(BEYOND).map_err(|error| error.to_string())?;
    let names: Vec<&str> = schemas.classes.keys().map(String::as_str).collect();
    let mut in_unions = BTreeSet::new();
    schemas.classes.values().for_each(|schema| union_members(schema, &mut in_unions));
    let compiler = Compiler { schemas, names, in_unions, beyond };
    let named = compiler.names.iter().map(|name| compiler.named(name)).collect::<Result<_, _>>()?;
    let mut topics = [0; Topic::ALL.len()];
    for (place, topic) in topics.iter_mut().zip(Topic::ALL) {
        let class = schemas.topics.get(topic.name()).ok_or_else(|| format!("there is no topic {topic}"))?;
        *place = compiler.index(class)?;
    }
    Ok(Rules { named, topics })
}

/// Places that `beyond.json` speaks of and these schemas do not have.
pub(crate) fn unmet(schemas: &Schemas) -> Result<Vec<String>, String> {
    let beyond: Vec<Beyond> = serde_json::from_str(BEYOND).map_err(|error| error.to_string())?;
    let has = |at: &str| {
        let (class, field) = at.split_once('.').map_or((at, None), |(class, field)| (class, Some(field)));
        let schema = schemas.classes.get(class);
        schema.is_some_and(|schema| field.is_none_or(|field| schema["properties"].get(field).is_some()))
    };
    Ok(beyond.into_iter().map(|line| line.at).filter(|at| !has(at)).collect())
}

struct Compiler<'a> {
    schemas: &'a Schemas,
    names: Vec<&'a str>,
    in_unions: BTreeSet<&'a str>,
    beyond: Vec<Beyond>,
}

impl Compiler<'_> {
    fn index(&self, class: &str) -> Result<usize, String> {
        self.names.binary_search(&class).map_err(|_| format!("there is no class {class}"))
    }

    fn says<'b>(&'b self, at: &'b str) -> impl Iterator<Item = &'b Beyond> {
        self.beyond.iter().filter(move |line| line.at == at)
    }

    fn named(&self, class: &str) -> Result<Named, String> {
        let schema = self.schemas.classes.get(class).unwrap_or(&Json::Null);
        match schema["type"].as_str() {
            Some("object") => self.model(class, schema).map(Named::Class),
            _ => self.rule(schema).map(Named::Rule),
        }
    }

    fn model(&self, class: &str, schema: &Json) -> Result<Model, String> {
        let name = tag(class);
        let closed = schema["additionalProperties"] == Json::Bool(false);
        let required: Vec<&str> = strings(&schema["required"]);
        let mut model = Model {
            name: name.into(),
            tagged: closed && self.in_unions.contains(class),
            closed,
            fields: Vec::new(),
            also_written: Vec::new(),
            holds: Vec::new(),
        };
        for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("{name}.{field}");
            let mut rule = self.rule(schema).map_err(|error| format!("{at}: {error}"))?;
            for line in self.says(&at) {
                rule = refined(rule, &line.rule).ok_or_else(|| format!("{at} cannot be {}", line.rule))?;
            }
            let camel =
                Some(camel(field)).filter(|camel| closed && camel != field).map(String::into_boxed_str);
            let required = required.contains(&field.as_str());
            model.fields.push(Field { name: field.as_str().into(), camel, required, rule });
        }
        for line in self.says(name) {
            match line.rule.as_str() {
                "plain" => model.tagged = false,
                "tagged" => model.tagged = true,
                "also_written" => model.also_written.clone_from(&line.keys),
                "runners_have_shards" => model.holds.push(Invariant::RunnersHaveShards),
                "bound_runner_has_shard" => model.holds.push(Invariant::BoundRunnerHasShard),
                "id_names_a_file" => model.holds.push(Invariant::IdNamesAFile),
                other => return Err(format!("{name} cannot be {other}")),
            }
        }
        Ok(model)
    }

    fn rule(&self, schema: &Json) -> Result<Rule, String> {
        if let Some(class) = schema["$ref"].as_str() {
            let index = self.index(class_of(class))?;
            let class = self.names.get(index).and_then(|name| self.schemas.classes.get(*name));
            return match class {
                Some(named) if named.get("enum").is_some() => self.rule(named),
                _ => Ok(Rule::Named(index)),
            };
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return Ok(Rule::Union(
                choices.iter().map(|choice| self.rule(choice)).collect::<Result<_, _>>()?,
            ));
        }
        if schema.get("enum").is_some() {
            return Ok(Rule::OneOf(strings(&schema["enum"]).into_iter().map(Box::from).collect()));
        }
        if let Some(only) = schema["const"].as_str() {
            return Ok(Rule::OneOf([only.into()].into()));
        }
        // A type alone is written as its name.
        Ok(match schema.as_str().or(schema["type"].as_str()) {
            Some("null") => Rule::Null,
            Some("boolean") => Rule::Bool,
            Some("string") => Rule::Text,
            Some("integer") => Rule::Int {
                min: whole(&schema["minimum"])
                    .or_else(|| whole(&schema["exclusiveMinimum"]).map(|n| n.saturating_add(1)))
                    .unwrap_or(i128::MIN),
                max: whole(&schema["maximum"])
                    .or_else(|| whole(&schema["exclusiveMaximum"]).map(|n| n.saturating_sub(1)))
                    .unwrap_or(i128::MAX),
            },
            Some("number") => Rule::Float {
                min: schema["minimum"].as_f64().unwrap_or(f64::NEG_INFINITY),
                max: schema["maximum"].as_f64().unwrap_or(f64::INFINITY),
            },
            Some("array") => Rule::List(Box::new(self.rule(&schema["items"])?)),
            Some("object") => Rule::Table {
                whole_number_keys: false,
                value: Box::new(self.rule(&schema["additionalProperties"])?),
            },
            None if schema.is_null() || schema == &Json::Bool(true) => Rule::Anything,
            None if schema.as_object().is_some_and(serde_json::Map::is_empty) => Rule::Anything,
            _ => return Err(format!("what is {schema}?")),
        })
    }
}

/// Collects the classes that stand in a union with others.
fn union_members<'a>(schema: &'a Json, into: &mut BTreeSet<&'a str>) {
    match schema {
        Json::Object(entries) => {
            let choices = entries.get("anyOf").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
            let classes: Vec<&str> = choices.iter().filter_map(|choice| choice["$ref"].as_str()).collect();
            if classes.len() > 1 {
                into.extend(classes.into_iter().map(class_of));
            }
            entries.values().for_each(|inner| union_members(inner, into));
        }
        Json::Array(items) => items.iter().for_each(|inner| union_members(inner, into)),
        _ => {}
    }
}

/// The rule that a line of `beyond.json` makes of what the schema says.
fn refined(rule: Rule, how: &str) -> Option<Rule> {
    match (how, rule) {
        ("port", Rule::Int { .. }) => Some(Rule::Int { min: 0, max: 65535 }),
        ("multiaddr", Rule::Text) => Some(Rule::Multiaddr),
        ("tuple", Rule::List(item)) => Some(Rule::Tuple(item)),
        ("iterated", Rule::List(item)) => match *item {
            Rule::OneOf(names) => Some(Rule::Iterated(names)),
            _ => None,
        },
        ("or_null", rule) => Some(Rule::Union([rule, Rule::Null].into())),
        ("whole_number_keys", Rule::Table { value, .. }) => {
            Some(Rule::Table { whole_number_keys: true, value })
        }
        _ => None,
    }
}

fn class_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

fn strings(list: &Json) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

fn whole(number: &Json) -> Option<i128> {
    number.as_i64().map(i128::from)
}

/// The second name of a field: `ram_total` is also `ramTotal`.
pub(crate) fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}
