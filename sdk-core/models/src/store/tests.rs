use std::collections::BTreeMap;

use super::*;
use crate::{
    Digest, Listed,
    download::{Disk, Form},
};

/// A store in a directory of its own, which goes with it.
struct Scratch(ModelStore);

impl Scratch {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("exo-models-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        Self(ModelStore::new(root.join("not/there/yet")))
    }

    fn holding(self, files: &[(&str, &str)]) -> Self {
        let directory = self.0.directory(&model());
        fs::create_dir_all(&directory).unwrap();
        for (name, text) in files {
            fs::write(directory.join(name), text).unwrap();
        }
        self
    }

    fn found(&self) -> Found {
        self.0.find(&model()).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(root) = self.0.root.ancestors().nth(3) {
            let _ = fs::remove_dir_all(root);
        }
    }
}

fn model() -> ModelId {
    "mlx-community/Tiny".parse().unwrap()
}

const INDEX_OF_TWO: &str =
    r#"{"metadata":null,"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}}"#;

#[test]
fn a_store_that_is_not_there_has_nothing_and_still_knows_its_room() {
    let scratch = Scratch::new("nothing");
    assert_eq!(scratch.found(), Found::Absent);
    assert!(!scratch.0.delete(&model()).unwrap());
    assert!(scratch.0.free_bytes().is_none_or(|free| free > 0));
    assert!(!scratch.0.root.exists(), "asking makes nothing");
}

#[test]
fn what_exo_fetched_is_found_where_exo_put_it() {
    let files =
        [("config.json", "{}"), ("tokenizer.json", "{}"), ("model.safetensors.index.json", INDEX_OF_TWO)];
    let scratch =
        Scratch::new("exo").holding(&files).holding(&[("model-1.safetensors", "11"), ("README.md", "...")]);
    assert!(scratch.0.directory(&model()).ends_with("mlx-community--Tiny"));
    assert!(matches!(scratch.found(), Found::Partial { total: None, .. }), "a shard is missing");
    let scratch = scratch.holding(&[("model-2.safetensors.partial", "2")]);
    assert!(matches!(scratch.found(), Found::Partial { .. }), "a shard is on its way");
    let scratch = scratch.holding(&[("model-2.safetensors", "22")]);
    let bytes = 4 + INDEX_OF_TWO.len() as u64 + 4;
    assert_eq!(scratch.found(), Found::Complete { directory: scratch.0.directory(&model()), bytes });
}

#[test]
fn a_model_of_one_file_needs_no_index() {
    let scratch = Scratch::new("single").holding(&[("config.json", "{}"), ("model.safetensors", "1")]);
    assert!(matches!(scratch.found(), Found::Partial { .. }), "it has no tokenizer");
    let scratch = scratch.holding(&[("tokenizer.json", "{}")]);
    assert!(matches!(scratch.found(), Found::Complete { .. }));
}

#[test]
fn an_index_that_cannot_be_read_completes_nothing() {
    let files = [("config.json", "{}"), ("tokenizer.json", "{}"), ("model.safetensors", "1")];
    let scratch = Scratch::new("index").holding(&files).holding(&[("model.safetensors.index.json", "{")]);
    assert!(matches!(scratch.found(), Found::Partial { .. }));
}

#[test]
fn what_a_download_promised_decides_whether_a_model_is_complete() {
    let scratch = Scratch::new("promised").holding(&[
        ("config.json", "{}"),
        ("tokenizer.json", "{}"),
        ("model.safetensors", "1"),
    ]);
    let listed = |size| Listed { size, digest: Digest::from_git(&"a".repeat(40)).unwrap() };
    let mut shelf = scratch.0.open(&model()).unwrap();
    let files: BTreeMap<String, Listed> =
        [("config.json".to_owned(), listed(2)), ("model.safetensors".to_owned(), listed(9))].into();
    shelf.remember(&files).unwrap();
    assert_eq!(shelf.recall(), files);
    drop(shelf);
    assert_eq!(scratch.found(), Found::Partial { bytes: 5, total: Some(11) });
    let scratch = scratch.holding(&[("model.safetensors", "123456789")]);
    assert!(matches!(scratch.found(), Found::Complete { bytes: 13, .. }));
}

#[test]
fn a_part_is_written_continued_shortened_and_named() {
    let scratch = Scratch::new("part");
    let mut shelf = scratch.0.open(&model()).unwrap();
    shelf.write("config.json", 0, b"hello ").unwrap();
    shelf.write("config.json", 6, b"world").unwrap();
    assert_eq!(shelf.read("config.json", Form::Part, 6, 99).unwrap(), b"world");
    shelf.write("config.json", 5, b"!").unwrap();
    assert_eq!(shelf.size("config.json", Form::Part).unwrap(), Some(6));
    assert_eq!(scratch.0.part(&model(), "config.json"), Some(shelf.place().join("config.json.partial")));
    shelf.seal("config.json").unwrap();
    assert_eq!(shelf.size("config.json", Form::Part).unwrap(), None);
    assert_eq!(fs::read(shelf.place().join("config.json")).unwrap(), b"hello!");
    shelf.discard("config.json", Form::Whole).unwrap();
    shelf.discard("config.json", Form::Whole).unwrap();
    assert_eq!(shelf.size("config.json", Form::Whole).unwrap(), None);
}

#[test]
fn a_part_lies_only_where_the_engine_would_look() {
    let scratch = Scratch::new("outside");
    for name in ["../config.json", "/etc/passwd", "config.json/../../x", "", "README.md"] {
        assert_eq!(scratch.0.part(&model(), name), None, "{name}");
    }
}

#[test]
fn a_model_is_fetched_by_one_and_not_deleted_meanwhile() {
    let scratch = Scratch::new("busy");
    let shelf = scratch.0.open(&model()).unwrap();
    assert_eq!(scratch.0.open(&model()).unwrap_err().kind(), crate::ErrorKind::Busy);
    assert_eq!(scratch.0.delete(&model()).unwrap_err().kind(), crate::ErrorKind::Busy);
    assert!(scratch.0.open(&"other/model".parse().unwrap()).is_ok());
    drop(shelf);
    assert!(scratch.0.delete(&model()).unwrap());
    assert!(!scratch.0.directory(&model()).exists());
    assert_eq!(scratch.found(), Found::Absent);
}
