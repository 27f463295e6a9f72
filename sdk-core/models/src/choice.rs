//! Which files of a model the engine needs: its settings, its text, and the shards that its index names.
//!
//! exo takes a whole repository. A phone has less room, and repositories hold the same weights twice (in another
//! format, or as they were before conversion), pictures, and code that nobody here runs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{
    json,
    list::{FileList, is_weights},
};

/// The file that tells which tensor lies in which shard. exo believes that a model is there only if this is.
pub(crate) const INDEX: &str = "model.safetensors.index.json";
/// Without these nothing can be run.
pub(crate) const ESSENTIAL: [&str; 2] = ["config.json", "tokenizer.json"];
/// Enough for a hundred thousand tensors.
pub(crate) const MAX_INDEX_BYTES: u64 = 32 << 20;

const NAMED: [&str; 8] = [
    "config.json",
    "generation_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "preprocessor_config.json",
    INDEX,
];
const MAX_NAME_BYTES: usize = 128;

/// Whether the engine may need a file of this name. What it may need is a plain name: it has no separator, does not
/// begin with a dot, and is not the name of a part.
pub fn is_wanted(name: &str) -> bool {
    is_plain(name) && (NAMED.contains(&name) || is_text(name) || is_model_weights(name))
}

fn is_plain(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
        && !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

fn is_text(name: &str) -> bool {
    let known = [".json", ".jinja", ".model", ".txt"];
    (name.starts_with("tokenizer") || name.starts_with("chat_template"))
        && known.iter().any(|end| name.ends_with(end))
}

/// The engine and MLX read `model*.safetensors`. Anything else (`consolidated`, `adapters`) is another thing.
fn is_model_weights(name: &str) -> bool {
    name.starts_with("model") && is_weights(name)
}

#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

/// The shards that an index names, or what is wrong with it.
pub fn shards(index: &[u8]) -> Result<BTreeSet<String>, String> {
    let index: Index = json::read(index).map_err(|error| format!("{INDEX} cannot be read: {error}"))?;
    let shards: BTreeSet<String> = index.weight_map.into_values().collect();
    match shards.iter().find(|name| !(is_plain(name) && is_model_weights(name))) {
        Some(strange) => {
            Err(format!("{INDEX} names {:?}, which is no shard", crate::error::shortened(strange, 80)))
        }
        None if shards.is_empty() => Err(format!("{INDEX} names no shard")),
        None => Ok(shards),
    }
}

/// Everything to fetch: small files first, so that what cannot be run is known early.
pub(crate) fn chosen(list: &FileList, index: Option<&BTreeSet<String>>) -> Result<Vec<String>, String> {
    if let Some(missing) = ESSENTIAL.iter().find(|name| list.get(name).is_none()) {
        return Err(format!("it has no {missing}"));
    }
    let (weights, mut chosen): (Vec<String>, Vec<String>) =
        list.iter().map(|(name, _)| name.to_owned()).partition(|name| is_weights(name));
    match index {
        Some(shards) => {
            if let Some(missing) = shards.iter().find(|name| list.get(name).is_none()) {
                return Err(format!("{INDEX} names {missing}, which is not there"));
            }
            chosen.extend(shards.iter().cloned());
        }
        None if weights.is_empty() => return Err("it has no model*.safetensors".into()),
        None => chosen.extend(weights),
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> FileList {
        let entry =
            |name| format!(r#"{{"type":"file","size":1,"oid":"{}","path":"{name}"}}"#, "a".repeat(40));
        let entries: Vec<String> = names.iter().map(entry).collect();
        let mut list = FileList::default();
        list.add_page(format!("[{}]", entries.join(",")).as_bytes()).unwrap();
        list
    }

    #[test]
    fn the_engine_gets_what_it_reads_and_nothing_else() {
        for name in [
            "config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "chat_template.jinja",
            "model.safetensors",
            INDEX,
        ] {
            assert!(is_wanted(name), "{name}");
        }
        for name in [
            "README.md",
            "pytorch_model.bin",
            "consolidated.safetensors",
            "modeling.py",
            ".gitattributes",
            "model.safetensors.partial",
            "tokenizer.py",
            "model/x.safetensors",
            "tokenizer.json/",
            "",
        ] {
            assert!(!is_wanted(name), "{name}");
        }
    }

    #[test]
    fn only_the_shards_that_the_index_names_are_fetched() {
        let list =
            list(&["config.json", "tokenizer.json", INDEX, "model-1.safetensors", "model-old.safetensors"]);
        let index =
            shards(br#"{"metadata":{},"weight_map":{"a":"model-1.safetensors","b":"model-1.safetensors"}}"#)
                .unwrap();
        let chosen = chosen(&list, Some(&index)).unwrap();
        assert_eq!(chosen, ["config.json", INDEX, "tokenizer.json", "model-1.safetensors"]);
    }

    #[test]
    fn an_index_that_names_something_else_is_refused() {
        for shard in [
            "../x.safetensors",
            "/etc/passwd",
            "config.json",
            "x.safetensors",
            "model.safetensors\\u0000",
            "",
        ] {
            assert!(shards(format!(r#"{{"weight_map":{{"a":"{shard}"}}}}"#).as_bytes()).is_err(), "{shard}");
        }
        assert!(shards(b"{}").is_err() && shards(br#"{"weight_map":{}}"#).is_err());
    }

    #[test]
    fn a_model_that_cannot_run_is_known_before_its_weights_come() {
        let why = |names: &[&str]| chosen(&list(names), None).unwrap_err();
        assert!(why(&["tokenizer.json", "model.safetensors"]).contains("config.json"));
        assert!(why(&["config.json", "tokenizer.json"]).contains("safetensors"));
        let shards = ["model-9.safetensors".to_owned()].into();
        assert!(chosen(&list(&["config.json", "tokenizer.json"]), Some(&shards)).is_err());
    }
}
