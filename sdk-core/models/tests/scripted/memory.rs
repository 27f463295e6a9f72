//! A disk in memory, which can be full.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use exo_models::{Disk, Form, Listed};

use super::Model;

/// A directory in memory.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) files: BTreeMap<(String, Form), Vec<u8>>,
    pub(crate) known: BTreeMap<String, Listed>,
    pub(crate) free: Option<u64>,
    /// Writes fail as if it were full once so many bytes were written.
    pub(crate) full_after: Option<u64>,
    pub(crate) written: u64,
}

impl Memory {
    pub(crate) fn whole(&self, name: &str) -> Option<&[u8]> {
        self.files.get(&(name.into(), Form::Whole)).map(Vec::as_slice)
    }

    pub(crate) fn part(&self, name: &str) -> Option<&[u8]> {
        self.files.get(&(name.into(), Form::Part)).map(Vec::as_slice)
    }

    pub(crate) fn put_part(&mut self, name: &str, bytes: &[u8]) {
        self.files.insert((name.into(), Form::Part), bytes.to_vec());
    }

    /// What this crate promises, whatever a server does.
    pub(crate) fn assert_names_are_true(&self, model: &Model) {
        for ((name, form), bytes) in &self.files {
            if *form == Form::Whole {
                assert!(
                    model.0.get(name) == Some(bytes),
                    "{name} has its final name and other bytes than were promised"
                );
            }
        }
    }
}

impl Disk for Memory {
    fn place(&self) -> &Path {
        Path::new("/models/tiny")
    }

    fn free_bytes(&self) -> Option<u64> {
        self.free
    }

    fn size(&self, name: &str, form: Form) -> io::Result<Option<u64>> {
        Ok(self.files.get(&(name.into(), form)).map(|bytes| bytes.len() as u64))
    }

    fn read(&self, name: &str, form: Form, at: u64, most: usize) -> io::Result<Vec<u8>> {
        let bytes = self.files.get(&(name.into(), form)).ok_or(io::ErrorKind::NotFound)?;
        let from = bytes.len().min(at as usize);
        Ok(bytes[from..bytes.len().min(from + most)].to_vec())
    }

    fn write(&mut self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        if self.full_after.is_some_and(|most| self.written > most) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let file = self.files.entry((name.into(), Form::Part)).or_default();
        assert!(at <= file.len() as u64, "a hole in {name}");
        file.truncate(at as usize);
        file.extend_from_slice(bytes);
        Ok(())
    }

    fn discard(&mut self, name: &str, form: Form) -> io::Result<()> {
        self.files.remove(&(name.into(), form));
        Ok(())
    }

    fn seal(&mut self, name: &str) -> io::Result<()> {
        let bytes = self.files.remove(&(name.into(), Form::Part)).ok_or(io::ErrorKind::NotFound)?;
        self.files.insert((name.into(), Form::Whole), bytes);
        Ok(())
    }

    fn recall(&self) -> BTreeMap<String, Listed> {
        self.known.clone()
    }

    fn remember(&mut self, files: &BTreeMap<String, Listed>) -> io::Result<()> {
        self.known.clone_from(files);
        Ok(())
    }
}

pub(crate) fn a_place() -> PathBuf {
    Memory::default().place().into()
}
