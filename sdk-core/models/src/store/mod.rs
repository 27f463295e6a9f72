//! The directory where models lie, in exo's own layout.
//!
//! ```text
//! ROOT/mlx-community--Qwen3-0.6B-4bit/config.json             a file that is whole
//! ROOT/mlx-community--Qwen3-0.6B-4bit/model.safetensors.partial   a file on its way, as exo names it
//! ROOT/caches/mlx-community--Qwen3-0.6B-4bit/...              what is remembered about it, beside exo's own lists
//! ```
//! On a computer ROOT is exo's (`~/.local/share/exo/models`, `~/.exo/models`), so nothing is fetched twice. exo resumes
//! our parts, and we resume exo's.

mod find;
mod memory;
mod shelf;

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

pub use find::Found;
pub(crate) use shelf::Shelf;

use crate::{Error, ModelId, Result, choice::is_wanted};

/// What exo puts behind the name of a file on its way.
const PARTIAL: &str = ".partial";

/// A directory of models.
#[derive(Clone, Debug)]
pub struct ModelStore {
    root: PathBuf,
}

impl ModelStore {
    /// The store in that directory, which need not be there yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where a model lies, or will.
    pub fn directory(&self, model: &ModelId) -> PathBuf {
        self.root.join(model.directory())
    }

    /// Where a file of a model lies while it is on its way. `None` for a file that the engine does not read.
    ///
    /// A platform that fetched the file by other means puts it here; the next download verifies it.
    pub fn part(&self, model: &ModelId, file: &str) -> Option<PathBuf> {
        is_wanted(file).then(|| self.directory(model).join(format!("{file}{PARTIAL}")))
    }

    /// Whether the model is there.
    pub fn find(&self, model: &ModelId) -> Result<Found> {
        find::look(&self.directory(model), &self.memory(model))
    }

    /// Bytes that the file system has for us; `None` where it does not tell.
    pub fn free_bytes(&self) -> Option<u64> {
        // The root may not be there yet: the nearest directory that is has the same file system.
        self.root.ancestors().find_map(free_bytes)
    }

    /// Takes the model off the disk, with its parts and what was remembered. `false` if there was nothing.
    pub fn delete(&self, model: &ModelId) -> Result<bool> {
        if !(self.directory(model).exists() || self.cache(model).exists()) {
            return Ok(false);
        }
        let held = self.lock(model)?;
        let was_there = remove(&self.directory(model))?;
        drop(held);
        Ok(remove(&self.cache(model))? || was_there)
    }

    /// The model's directory, for one download alone.
    pub(crate) fn open(&self, model: &ModelId) -> Result<Shelf> {
        let lock = self.lock(model)?;
        let directory = self.directory(model);
        fs::create_dir_all(&directory).map_err(|error| Error::io(&directory, &error))?;
        Ok(Shelf::new(directory, self.memory(model), lock))
    }

    fn cache(&self, model: &ModelId) -> PathBuf {
        self.root.join("caches").join(model.directory())
    }

    fn memory(&self, model: &ModelId) -> PathBuf {
        self.cache(model).join("exo-mobile--files.json")
    }

    fn lock(&self, model: &ModelId) -> Result<File> {
        let cache = self.cache(model);
        fs::create_dir_all(&cache).map_err(|error| Error::io(&cache, &error))?;
        let path = cache.join("exo-mobile.lock");
        let file = File::create(&path).map_err(|error| Error::io(&path, &error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Error::Busy { model: model.to_string() }),
            // A file system without locks is no reason to go without a model: hashes tell if two wrote.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        }
    }
}

fn remove(directory: &Path) -> Result<bool> {
    match fs::remove_dir_all(directory) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io(directory, &error)),
    }
}

#[cfg(unix)]
fn free_bytes(path: &Path) -> Option<u64> {
    let told = rustix::fs::statvfs(path).ok()?;
    Some(told.f_bavail.saturating_mul(told.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests;
