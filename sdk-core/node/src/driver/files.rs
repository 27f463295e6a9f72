//! Small files that are ours alone, replaced as a whole.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// The first bytes of a file as text; `None` if there is no such file. What is no text becomes text that nobody wrote.
pub(super) fn read(path: &Path, most: u64) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Writes beside the file and renames it into place: a crash leaves the old file or the new one.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = with_suffix(path, ".new");
    let mut file = private().create(true).truncate(true).write(true).open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// The path with something after its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Files that other users cannot read.
#[cfg(unix)]
pub(super) fn private() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
pub(super) fn private() -> OpenOptions {
    OpenOptions::new()
}

/// A directory for a test, removed with it.
#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::driver) struct Directory(pub(in crate::driver) PathBuf);

    impl Directory {
        pub(in crate::driver) fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("exo-node-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let directory = Directory::new("files");
        let path = directory.0.join("file");
        replace(&path, "a longer text").unwrap();
        replace(&path, "short").unwrap();
        assert_eq!(read(&path, 100).unwrap().as_deref(), Some("short"));
        assert_eq!(read(&path, 2).unwrap().as_deref(), Some("sh"));
        assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 1);
        assert_eq!(read(&directory.0.join("none"), 2).unwrap(), None);
    }
}
