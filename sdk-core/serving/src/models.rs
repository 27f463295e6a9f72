//! Where models are on this device.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use exo_models::{Found, ModelStore};
use exo_wire::ModelId;
use serde_json::Value;

/// No honest index of weights is larger.
const MAX_INDEX_BYTES: u64 = 64 << 20;

/// Knows the directories of models. Whoever downloads them implements it too.
pub trait Models: Send + Sync {
    /// The directory of a model, if all of it is there.
    fn directory(&self, model: &ModelId) -> Option<PathBuf>;

    /// All models that are there.
    fn at_hand(&self) -> Vec<ModelId>;
}

/// Models in directories, and nothing that would fetch more.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    root: Option<PathBuf>,
    named: BTreeMap<ModelId, PathBuf>,
}

impl Shelf {
    /// The models in a directory as exo keeps them: `mlx-community/Qwen3-0.6B-4bit` is in
    /// `<root>/mlx-community--Qwen3-0.6B-4bit`.
    pub fn in_directory(root: impl Into<PathBuf>) -> Self {
        Self { root: Some(root.into()), named: BTreeMap::new() }
    }

    /// One model more, wherever it is.
    #[must_use]
    pub fn with(mut self, model: ModelId, directory: impl Into<PathBuf>) -> Self {
        self.named.insert(model, directory.into());
        self
    }

    /// The model that a directory of exo's layout is named after.
    pub fn model_of(directory: &Path) -> Option<ModelId> {
        let name = directory.file_name()?.to_str()?;
        ModelId::parse(&name.replacen("--", "/", 1)).ok()
    }
}

impl Models for Shelf {
    fn directory(&self, model: &ModelId) -> Option<PathBuf> {
        match (self.named.get(model), &self.root) {
            (Some(named), _) => Some(named.clone()).filter(|directory| is_complete(directory)),
            (None, Some(root)) => {
                let (store, model) = (ModelStore::new(root), model.as_str().parse().ok()?);
                match store.find(&model).ok()? {
                    Found::Complete { directory, .. } => Some(directory),
                    // Nobody fetches it: its owner put it there, and hears what it lacks when it is loaded.
                    Found::Partial { total: None, .. } => {
                        Some(store.directory(&model)).filter(|it| is_complete(it))
                    }
                    // What was fetched is known by its list: a file that is missing may be one that no other file names.
                    Found::Partial { .. } | Found::Absent => None,
                }
            }
            (None, None) => None,
        }
    }

    fn at_hand(&self) -> Vec<ModelId> {
        let listed = self.root.iter().filter_map(|root| fs::read_dir(root).ok()).flatten();
        let listed = listed.filter_map(|entry| Self::model_of(&entry.ok()?.path()));
        let all: BTreeSet<ModelId> = listed.chain(self.named.keys().cloned()).collect();
        all.into_iter().filter(|model| self.directory(model).is_some()).collect()
    }
}

/// Whether a download was finished: every file that the index of the weights names is there.
fn is_complete(directory: &Path) -> bool {
    let index = directory.join("model.safetensors.index.json");
    if !directory.join("config.json").is_file() {
        return false;
    }
    if !index.exists() {
        return directory.join("model.safetensors").is_file();
    }
    weights_in(&index).is_some_and(|files| {
        // A name with a path in it is nobody's.
        let here = |file: &String| !file.contains(['/', '\\']) && directory.join(file).is_file();
        !files.is_empty() && files.iter().all(here)
    })
}

fn weights_in(index: &Path) -> Option<BTreeSet<String>> {
    if fs::metadata(index).ok()?.len() > MAX_INDEX_BYTES {
        return None;
    }
    let index: Value = serde_json::from_str(&fs::read_to_string(index).ok()?).ok()?;
    index.get("weight_map")?.as_object()?.values().map(|file| file.as_str().map(str::to_owned)).collect()
}

/// The bytes of a directory's files.
pub(crate) fn bytes_in(directory: &Path) -> u64 {
    let listed = fs::read_dir(directory).into_iter().flatten().flatten();
    // Through links too: exo's own cache is made of them.
    listed
        .filter_map(|entry| fs::metadata(entry.path()).ok())
        .map(|it| if it.is_file() { it.len() } else { 0 })
        .sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn root(test: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("exo-serving-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("org--model")).unwrap();
        root
    }

    fn model(name: &str) -> ModelId {
        ModelId::parse(name).unwrap()
    }

    #[test]
    fn a_model_is_where_exo_keeps_it_once_every_file_of_its_index_is_there() {
        let root = root("index");
        let (shelf, directory) = (Shelf::in_directory(&root), root.join("org--model"));
        let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
        assert_eq!(shelf.directory(&model("org/model")), None, "an empty folder");
        write("config.json", "{}");
        write("tokenizer.json", "{}");
        write("model-1.safetensors", "");
        write(
            "model.safetensors.index.json",
            r#"{"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}"#,
        );
        assert_eq!(
            (shelf.directory(&model("org/model")), shelf.at_hand()),
            (None, vec![]),
            "half a download"
        );
        write("model-2.safetensors", "12345");
        assert_eq!(shelf.directory(&model("org/model")), Some(directory.clone()));
        assert_eq!(shelf.at_hand(), [model("org/model")]);
        assert!(bytes_in(&directory) > 5);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn an_index_that_leads_elsewhere_is_no_model() {
        let root = root("elsewhere");
        let directory = root.join("org--model");
        fs::write(directory.join("config.json"), "{}").unwrap();
        fs::write(root.join("stray.safetensors"), "").unwrap();
        for index in [r#"{"weight_map": {"a": "../stray.safetensors"}}"#, r#"{"weight_map": {}}"#, "[", "{}"]
        {
            fs::write(directory.join("model.safetensors.index.json"), index).unwrap();
            assert_eq!(Shelf::in_directory(&root).directory(&model("org/model")), None, "{index}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_directory_may_have_any_name_if_its_model_is_named() {
        let root = root("named");
        let directory = root.join("org--model");
        fs::write(directory.join("config.json"), "{}").unwrap();
        fs::write(directory.join("model.safetensors"), "").unwrap();
        let shelf = Shelf::default().with(model("other/name"), &directory);
        assert_eq!(shelf.directory(&model("other/name")), Some(directory.clone()));
        assert_eq!(shelf.directory(&model("org/model")), None);
        assert_eq!(Shelf::model_of(&directory), Some(model("org/model")));
        fs::remove_dir_all(root).unwrap();
    }
}
