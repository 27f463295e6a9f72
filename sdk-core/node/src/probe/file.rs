//! One file, opened once and read again and again.

use std::{
    fmt, fs,
    io::{self, Read as _, Seek as _},
    path::{Path, PathBuf},
};

/// The most of a file that is read. What matters comes first in all of them.
pub(super) const LONGEST: usize = 8 << 10;

/// Room for one file, used by all.
#[derive(Debug)]
pub(super) struct Buffer(Box<[u8]>);

impl Default for Buffer {
    fn default() -> Self {
        Self(vec![0; LONGEST].into_boxed_slice())
    }
}

/// A file of `/proc` or `/sys`. Reading it again from its start gives what is true then.
#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    open: Result<fs::File, io::ErrorKind>,
}

/// Why a file tells nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trouble<'a> {
    path: &'a Path,
    kind: io::ErrorKind,
}

impl File {
    pub(super) fn open(path: PathBuf) -> Self {
        let open = fs::File::open(&path).map_err(|error| error.kind());
        Self { path, open }
    }

    /// Whether it could be opened.
    pub(super) const fn is_readable(&self) -> bool {
        self.open.is_ok()
    }

    /// What it says now.
    pub(super) fn read<'a>(&'a self, buffer: &'a mut Buffer) -> Result<&'a [u8], Trouble<'a>> {
        let trouble = |kind| Trouble { path: &self.path, kind };
        let mut file = self.open.as_ref().map_err(|kind| trouble(*kind))?;
        file.rewind().map_err(|error| trouble(error.kind()))?;
        let mut length = 0;
        // One call reads a whole file of /sys; one of /proc may come in parts.
        while let Some(room) = buffer.0.get_mut(length..).filter(|room| !room.is_empty()) {
            match file.read(room) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(trouble(error.kind())),
            }
        }
        Ok(buffer.0.get(..length).unwrap_or_default())
    }

    /// The one number that it holds now.
    pub(super) fn number(&self, buffer: &mut Buffer) -> Option<f64> {
        super::parse::number(self.read(buffer).ok()?)
    }

    /// The one whole number that it holds now.
    pub(super) fn whole(&self, buffer: &mut Buffer) -> Option<u64> {
        super::parse::whole(self.read(buffer).ok()?)
    }

    /// Its path, for people.
    pub(super) fn path(&self) -> std::path::Display<'_> {
        self.path.display()
    }
}

impl fmt::Display for Trouble<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.kind {
            io::ErrorKind::NotFound => write!(f, "there is no {path}"),
            io::ErrorKind::PermissionDenied => write!(f, "{path} may not be read"),
            // Drivers answer so while a device sleeps or after it was unplugged.
            kind => write!(f, "{path} cannot be read: {kind}"),
        }
    }
}
