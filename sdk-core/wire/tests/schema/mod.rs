//! A validator for the part of JSON schema that exo's exported schemas use. It shares no code with the gate.

use std::collections::BTreeSet;

use exo_wire::Topic;
use serde_json::{Map, Value};

use crate::vectors;

/// The schemas of all topics.
pub(crate) struct Schemas(Value);

type Verdict = Result<(), String>;

impl Schemas {
    pub(crate) fn of_exo() -> Self {
        Self(serde_json::from_str(&vectors::file("json_schemas_by_topic.json")).unwrap())
    }

    pub(crate) fn check(&self, topic: Topic, value: &Value) -> Verdict {
        let schema = &self.0[topic.name()];
        Checker { definitions: schema["$defs"].as_object() }.check(schema, value, "$")
    }

    /// The classes that a field of a topic's message may be.
    pub(crate) fn variants(&self, topic: Topic, field: &str) -> BTreeSet<String> {
        let classes = self.0[topic.name()]["properties"][field]["anyOf"].as_array().unwrap();
        classes.iter().filter_map(class).map(str::to_owned).collect()
    }
}

fn class(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

struct Checker<'a> {
    definitions: Option<&'a Map<String, Value>>,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, path: &str) -> Verdict {
        if let Some(name) = class(schema) {
            return self.check_class(name, value, path);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return self.check_any(choices, value, path);
        }
        if let Some(words) = schema["enum"].as_array() {
            return if words.contains(value) {
                Ok(())
            } else {
                Err(format!("{path}: {value} is none of {words:?}"))
            };
        }
        if let Some(word) = schema.get("const") {
            return if word == value { Ok(()) } else { Err(format!("{path}: {value} is not {word}")) };
        }
        match (schema["type"].as_str(), value) {
            (Some("object"), Value::Object(fields)) => self.check_object(schema, fields, path),
            (Some("array"), Value::Array(items)) => {
                let mut each = items.iter().enumerate();
                each.try_for_each(|(i, item)| self.check(&schema["items"], item, &format!("{path}[{i}]")))
            }
            (Some("integer"), Value::Number(n)) if !n.is_f64() => check_range(schema, n.as_f64(), path),
            (Some("number"), Value::Number(n)) => check_range(schema, n.as_f64(), path),
            (Some("string"), Value::String(_))
            | (Some("boolean"), Value::Bool(_))
            | (Some("null"), Value::Null) => Ok(()),
            (None, _) if schema.as_object().is_none_or(|schema| !schema.contains_key("type")) => Ok(()),
            (kind, _) => Err(format!("{path}: not a {kind:?}: {value}")),
        }
    }

    /// The exported schemas describe the inside of a tagged value; the tag is the class's name.
    fn check_class(&self, name: &str, value: &Value, path: &str) -> Verdict {
        let schema = self
            .definitions
            .and_then(|all| all.get(name))
            .ok_or_else(|| format!("{path}: no class {name}"))?;
        let tagged = value.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.get(name));
        self.check(schema, tagged.unwrap_or(value), &format!("{path}.{name}"))
    }

    fn check_any(&self, choices: &[Value], value: &Value, path: &str) -> Verdict {
        // A tag chooses, so that the reason is about what was meant.
        let tag =
            value.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.keys().next());
        if let Some(meant) = choices.iter().find(|choice| tag.is_some_and(|tag| class(choice) == Some(tag))) {
            return self.check(meant, value, path);
        }
        let reasons: Vec<_> =
            choices.iter().map_while(|choice| self.check(choice, value, path).err()).collect();
        if reasons.len() < choices.len() { Ok(()) } else { Err(reasons.join("; ")) }
    }

    fn check_object(&self, schema: &Value, fields: &Map<String, Value>, path: &str) -> Verdict {
        let known = schema["properties"].as_object();
        for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(required) {
                return Err(format!("{path}: no {required}"));
            }
        }
        for (key, value) in fields {
            let path = format!("{path}.{key}");
            // The parts of an address, which exo works out and writes beside it.
            let computed = known.is_some_and(|known| known.contains_key("address"));
            match (known.and_then(|known| known.get(key)), &schema["additionalProperties"]) {
                (Some(rule), _) | (None, rule @ Value::Object(_)) => self.check(rule, value, &path)?,
                (None, Value::Bool(false)) => return Err(format!("{path}: unknown key")),
                (None, _) if computed || known.is_none() => {}
                (None, _) => return Err(format!("{path}: exo would ignore it")),
            }
        }
        Ok(())
    }
}

fn check_range(schema: &Value, number: Option<f64>, path: &str) -> Verdict {
    let number = number.ok_or_else(|| format!("{path}: not a number"))?;
    let least = schema["minimum"].as_f64().is_none_or(|least| number >= least);
    let above = schema["exclusiveMinimum"].as_f64().is_none_or(|bound| number > bound);
    let most = schema["maximum"].as_f64().is_none_or(|most| number <= most);
    if least && above && most { Ok(()) } else { Err(format!("{path}: {number} is out of range")) }
}
