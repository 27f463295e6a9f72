//! One model's directory while a download works on it.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{PARTIAL, memory};
use crate::{
    download::{Disk, Form},
    list::Listed,
};

/// A directory, and the parts in it that are open.
#[derive(Debug)]
pub(crate) struct Shelf {
    directory: PathBuf,
    memory: PathBuf,
    parts: BTreeMap<String, Part>,
    /// Held as long as we write here.
    _lock: File,
}

#[derive(Debug)]
struct Part {
    file: File,
    at: u64,
}

impl Shelf {
    pub(super) fn new(directory: PathBuf, memory: PathBuf, lock: File) -> Self {
        Self { directory, memory, parts: BTreeMap::new(), _lock: lock }
    }

    fn path(&self, name: &str, form: Form) -> PathBuf {
        match form {
            Form::Whole => self.directory.join(name),
            Form::Part => self.directory.join(format!("{name}{PARTIAL}")),
        }
    }
}

impl Disk for Shelf {
    fn place(&self) -> &Path {
        &self.directory
    }

    fn free_bytes(&self) -> Option<u64> {
        super::free_bytes(&self.directory)
    }

    fn size(&self, name: &str, form: Form) -> io::Result<Option<u64>> {
        match fs::metadata(self.path(name, form)) {
            Ok(told) if told.is_file() => Ok(Some(told.len())),
            Ok(_) => Err(io::Error::other(format!("{name} is there and is not a file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, name: &str, form: Form, at: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.path(name, form))?;
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::with_capacity(most);
        file.take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn write(&mut self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(name, Form::Part);
        let part = match self.parts.entry(name.into()) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(closed) => {
                let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
                closed.insert(Part { file, at: u64::MAX })
            }
        };
        if part.at != at {
            // What lies behind was never hashed.
            part.file.set_len(at)?;
            part.file.seek(SeekFrom::Start(at))?;
        }
        // If this fails in the middle, the next call finds itself elsewhere and cuts what was half written.
        part.at = u64::MAX;
        part.file.write_all(bytes)?;
        part.at = at + bytes.len() as u64;
        Ok(())
    }

    fn discard(&mut self, name: &str, form: Form) -> io::Result<()> {
        self.parts.remove(name);
        match fs::remove_file(self.path(name, form)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    fn seal(&mut self, name: &str) -> io::Result<()> {
        let part = self.path(name, Form::Part);
        self.parts.remove(name);
        // A name that outlives its bytes would be a lie after a power cut.
        File::open(&part)?.sync_all()?;
        fs::rename(&part, self.path(name, Form::Whole))?;
        // The same for the name itself; where directories cannot be synced, the next start finds a part and goes on.
        let _ = File::open(&self.directory).and_then(|directory| directory.sync_all());
        Ok(())
    }

    fn recall(&self) -> BTreeMap<String, Listed> {
        memory::recall(&self.memory)
    }

    fn remember(&mut self, files: &BTreeMap<String, Listed>) -> io::Result<()> {
        memory::keep(&self.memory, files)
    }
}
