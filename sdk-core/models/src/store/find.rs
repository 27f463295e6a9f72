//! Whether a model is there: complete, in part, or not at all.
//!
//! Sizes and names are looked at, not hashes: a file gets its final name only after its hash was right, with us as with
//! exo.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::{PARTIAL, memory};
use crate::{
    Error, Result,
    choice::{ESSENTIAL, INDEX, MAX_INDEX_BYTES, is_wanted, shards},
    list::is_weights,
};

/// What is on the disk of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// All that the engine needs.
    Complete {
        /// The directory to load.
        directory: PathBuf,
        /// Bytes of its files.
        bytes: u64,
    },
    /// Some of it; a download goes on from here.
    Partial {
        /// Bytes that are there.
        bytes: u64,
        /// Bytes that there will be, if a download learned that already.
        total: Option<u64>,
    },
    /// Nothing.
    Absent,
}

pub(super) fn look(directory: &Path, memory: &Path) -> Result<Found> {
    let sizes = sizes(directory).map_err(|error| Error::io(directory, &error))?;
    let bytes = sizes.values().sum();
    if sizes.is_empty() {
        return Ok(Found::Absent);
    }
    let promised = memory::recall(memory);
    let is_complete = if promised.is_empty() {
        looks_whole(directory, &sizes)
    } else {
        promised.iter().all(|(name, listed)| sizes.get(name) == Some(&listed.size))
    };
    Ok(if is_complete {
        let whole = sizes.iter().filter(|(name, _)| !name.ends_with(PARTIAL)).map(|(_, size)| size).sum();
        Found::Complete { directory: directory.into(), bytes: whole }
    } else {
        let total = promised.values().map(|listed| listed.size).sum();
        Found::Partial { bytes, total: (!promised.is_empty()).then_some(total) }
    })
}

/// Sizes of the files that the engine may read, and of their parts.
fn sizes(directory: &Path) -> io::Result<BTreeMap<String, u64>> {
    let mut sizes = BTreeMap::new();
    let listing = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(sizes),
        listing => listing?,
    };
    for item in listing {
        let Ok(name) = item?.file_name().into_string() else { continue };
        // Through links too: people keep weights elsewhere. One that leads nowhere is not there.
        let Ok(told) = fs::metadata(directory.join(&name)) else { continue };
        if told.is_file() && is_wanted(name.strip_suffix(PARTIAL).unwrap_or(&name)) {
            sizes.insert(name, told.len());
        }
    }
    Ok(sizes)
}

/// A directory that somebody else filled: exo asks for the index and all its shards, and so do we. A model without an
/// index has one file.
fn looks_whole(directory: &Path, sizes: &BTreeMap<String, u64>) -> bool {
    let is_there = |name: &str| sizes.contains_key(name);
    if !ESSENTIAL.into_iter().all(is_there) {
        return false;
    }
    if !is_there(INDEX) {
        let is_on_its_way = |name: &String| name.strip_suffix(PARTIAL).is_some_and(is_weights);
        return is_there("model.safetensors") && !sizes.keys().any(is_on_its_way);
    }
    let mut index = Vec::new();
    let read =
        File::open(directory.join(INDEX)).and_then(|file| file.take(MAX_INDEX_BYTES).read_to_end(&mut index));
    read.is_ok() && shards(&index).is_ok_and(|shards| shards.iter().all(|shard| is_there(shard)))
}
