//! A model with its true bytes, and the list that a server gives of it.

use std::{collections::BTreeMap, sync::LazyLock};

use exo_models::{Digest, Listed};
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

pub(crate) const INDEX: &str = "model.safetensors.index.json";
pub(crate) const SHARD: &str = "model-00001-of-00002.safetensors";
pub(crate) const OTHER_SHARD: &str = "model-00002-of-00002.safetensors";

/// Files with their true bytes.
#[derive(Clone, Default)]
pub(crate) struct Model(pub(crate) BTreeMap<String, Vec<u8>>);

impl Model {
    /// Settings, text, an index and two shards; and what nobody needs.
    pub(crate) fn tiny() -> Self {
        static TINY: LazyLock<Model> = LazyLock::new(|| Model::of(3_000_000, 1_000_000));
        TINY.clone()
    }

    /// The same with shards of that many bytes.
    pub(crate) fn of(shard: u32, other: u32) -> Self {
        let index = format!(r#"{{"metadata":{{}},"weight_map":{{"a":"{SHARD}","b":"{OTHER_SHARD}"}}}}"#);
        let bytes = |seed: u32, length: u32| {
            (0..length).map(|i| (i.wrapping_mul(seed) >> 7) as u8).collect::<Vec<u8>>()
        };
        Self::default()
            .with("config.json", b"{\"model_type\":\"llama\"}".to_vec())
            .with("tokenizer.json", b"{\"model\":{}}".to_vec())
            .with("chat_template.jinja", Vec::new())
            .with(INDEX, index.into_bytes())
            .with(SHARD, bytes(2_654_435_761, shard))
            .with(OTHER_SHARD, bytes(40_503, other))
            .with("model-old.safetensors", b"not in the index".to_vec())
            .with("README.md", b"# Tiny".to_vec())
    }

    pub(crate) fn with(mut self, name: &str, bytes: Vec<u8>) -> Self {
        self.0.insert(name.into(), bytes);
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    /// The files that the engine needs of it.
    pub(crate) fn needed(&self) -> Vec<&str> {
        let is_needed = |name: &&str| !["model-old.safetensors", "README.md"].contains(name);
        self.0.keys().map(String::as_str).filter(is_needed).collect()
    }

    /// As Hugging Face lists it.
    pub(crate) fn list(&self) -> Vec<u8> {
        let entry = |(name, bytes): (&String, &Vec<u8>)| {
            let (size, git) = (bytes.len(), hex(&git_sha1(bytes)));
            let lfs = name.ends_with(".safetensors").then(|| {
                format!(
                    r#","lfs":{{"oid":"{}","size":{size},"pointerSize":134}}"#,
                    hex(&Sha256::digest(bytes))
                )
            });
            format!(
                r#"{{"type":"file","oid":"{git}","size":{size},"path":"{name}"{}}}"#,
                lfs.unwrap_or_default()
            )
        };
        format!("[{}]", self.0.iter().map(entry).collect::<Vec<_>>().join(",")).into_bytes()
    }
}

pub(crate) fn git_sha1(bytes: &[u8]) -> Vec<u8> {
    let mut sha = Sha1::new();
    sha.update(format!("blob {}\0", bytes.len()));
    sha.update(bytes);
    sha.finalize().to_vec()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// What the list says of a file.
pub(crate) fn listed(bytes: &[u8]) -> Listed {
    let digest = Digest::from_lfs(&hex(&Sha256::digest(bytes))).unwrap();
    Listed { size: bytes.len() as u64, digest }
}
