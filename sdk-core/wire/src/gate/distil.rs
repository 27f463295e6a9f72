//! From exo's export, one schema a topic with everything repeated, to [`Schemas`] with each class once and without
//! titles, descriptions and defaults.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::compile::Schemas;
use crate::topic::Topic;

/// Words of a schema that no rule comes from.
const PROSE: [&str; 3] = ["title", "description", "default"];

/// Distils an export in the format of `json_schemas_by_topic.json`.
pub(crate) fn distil(export: &Json) -> Result<Schemas, String> {
    let mut schemas = Schemas { topics: BTreeMap::new(), classes: BTreeMap::new() };
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for topic in Topic::ALL {
        let root = export.get(topic.name()).ok_or_else(|| format!("the export has no topic {topic}"))?;
        let root_name =
            root["title"].as_str().ok_or_else(|| format!("the schema of {topic} has no title"))?;
        let mut classes: BTreeMap<String, Json> = root["$defs"].as_object().into_iter().flatten().fold(
            BTreeMap::new(),
            |mut all, (name, schema)| {
                all.insert(name.clone(), bare(schema));
                all
            },
        );
        classes.insert(root_name.to_owned(), bare(root));
        let names: BTreeMap<String, String> = classes
            .keys()
            .map(|name| (name.clone(), unique(name, &fingerprint(name, &classes), &mut seen)))
            .collect();
        for (name, mut schema) in classes {
            rename(&mut schema, &names);
            schemas.classes.insert(names.get(&name).cloned().unwrap_or(name), schema);
        }
        let root = names.get(root_name).cloned().unwrap_or_default();
        schemas.topics.insert(topic.name().to_owned(), root);
    }
    Ok(schemas)
}

/// The name for a class: its own, unless a different class has it already.
fn unique(name: &str, fingerprint: &str, seen: &mut BTreeMap<String, String>) -> String {
    let candidates = std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name}~{n}")));
    for candidate in candidates {
        match seen.get(&candidate) {
            Some(other) if other != fingerprint => {}
            _ => {
                seen.insert(candidate.clone(), fingerprint.to_owned());
                return candidate;
            }
        }
    }
    name.to_owned()
}

/// A class and all that it is made of, as text.
fn fingerprint(name: &str, classes: &BTreeMap<String, Json>) -> String {
    let mut reached: BTreeMap<&str, &Json> = BTreeMap::new();
    let mut next = vec![name];
    while let Some(name) = next.pop() {
        if let Some((name, schema)) = classes.get_key_value(name)
            && reached.insert(name, schema).is_none()
        {
            references(schema, &mut next);
        }
    }
    reached.into_values().map(Json::to_string).collect()
}

fn references<'a>(schema: &'a Json, into: &mut Vec<&'a str>) {
    match schema {
        Json::Object(entries) => {
            into.extend(entries.get("$ref").and_then(Json::as_str));
            entries.values().for_each(|inner| references(inner, into));
        }
        Json::Array(items) => items.iter().for_each(|inner| references(inner, into)),
        _ => {}
    }
}

fn rename(schema: &mut Json, names: &BTreeMap<String, String>) {
    match schema {
        Json::Object(entries) => {
            if let Some(Json::String(reference)) = entries.get_mut("$ref")
                && let Some(name) = names.get(reference)
            {
                reference.clone_from(name);
            }
            entries.values_mut().for_each(|inner| rename(inner, names));
        }
        Json::Array(items) => items.iter_mut().for_each(|inner| rename(inner, names)),
        _ => {}
    }
}

/// A schema without prose; a type alone as its name. The names of properties stay, whatever they are.
fn bare(schema: &Json) -> Json {
    match schema {
        Json::Object(entries) => {
            let kept = entries.iter().filter(|(key, _)| !PROSE.contains(&key.as_str()) && *key != "$defs");
            let kept: Map<String, Json> =
                kept.map(|(key, value)| (key.clone(), bare_entry(key, value))).collect();
            match kept.get("type") {
                Some(alone) if kept.len() == 1 && alone != "object" => alone.clone(),
                _ => Json::Object(kept),
            }
        }
        Json::Array(items) => items.iter().map(bare).collect(),
        other => other.clone(),
    }
}

fn bare_entry(key: &str, value: &Json) -> Json {
    match (key, value) {
        ("properties", Json::Object(properties)) => {
            let bare: Map<String, Json> =
                properties.iter().map(|(name, schema)| (name.clone(), bare(schema))).collect();
            Json::Object(bare)
        }
        ("$ref", Json::String(path)) => Json::String(path.rsplit('/').next().unwrap_or(path).to_owned()),
        _ => bare(value),
    }
}
