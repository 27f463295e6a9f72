//! What is remembered of a model's list of files, so that a restarted app knows what is missing without a network, and
//! whether a part belongs to the file that the list has today.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::{hash::Digest, list::Listed};

#[derive(Default, Serialize, Deserialize)]
struct Memory {
    files: BTreeMap<String, Remembered>,
}

#[derive(Serialize, Deserialize)]
struct Remembered {
    size: u64,
    hash: String,
}

/// What was written last. Nothing, if it was never written or cannot be read: it is only a memory.
pub(super) fn recall(path: &Path) -> BTreeMap<String, Listed> {
    let memory: Memory =
        fs::read_to_string(path).ok().and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    let known = |(name, file): (String, Remembered)| {
        let digest = Digest::from_hex(&file.hash)?;
        crate::is_wanted(&name).then_some((name, Listed { size: file.size, digest }))
    };
    memory.files.into_iter().filter_map(known).collect()
}

/// Writes all of it or leaves what was there.
pub(super) fn keep(path: &Path, files: &BTreeMap<String, Listed>) -> io::Result<()> {
    let remembered = |listed: &Listed| Remembered { size: listed.size, hash: listed.digest.to_string() };
    let memory =
        Memory { files: files.iter().map(|(name, listed)| (name.clone(), remembered(listed))).collect() };
    let new = path.with_extension("new");
    fs::write(&new, serde_json::to_vec(&memory)?)?;
    fs::rename(&new, path)
}
