//! The files below one root.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::file::{File, LONGEST};

/// A directory of `/sys` has this many entries at most; what has more is not what we think.
const MOST_ENTRIES: usize = 256;

/// The files below one root.
#[derive(Debug, Clone)]
pub(super) struct Tree(PathBuf);

impl Tree {
    pub(super) const fn new(root: PathBuf) -> Self {
        Self(root)
    }

    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.0.join(path)
    }

    /// A file that is read again and again.
    pub(super) fn file(&self, path: impl AsRef<Path>) -> File {
        File::open(self.path(path))
    }

    /// The same, if it is there and can be read.
    pub(super) fn readable(&self, path: impl AsRef<Path>) -> Option<File> {
        Some(self.file(path)).filter(File::is_readable)
    }

    pub(super) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// The text of a file that is read once.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let mut bytes = Vec::new();
        fs::File::open(self.path(path)).ok()?.take(LONGEST as u64).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The one line of a file that is read once, without what ends it; `None` if it is empty.
    pub(super) fn line(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = self.text(path)?;
        let line = text.lines().next()?.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!line.is_empty()).then(|| line.chars().filter(|c| !c.is_control()).take(128).collect())
    }

    /// The entries of a directory, in the order of their numbers: `card2` comes before `card10`.
    pub(super) fn entries(&self, path: impl AsRef<Path>) -> Vec<PathBuf> {
        let path = path.as_ref();
        let entries = fs::read_dir(self.path(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).take(MOST_ENTRIES).collect();
        let number = |name: &str| name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok();
        names.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.cmp(b)));
        names.into_iter().map(|name| path.join(name)).collect()
    }
}
