//! One file of the model: how much of it is there, what of that was hashed, and how often it failed.

use std::{io, time::Instant};

use super::{Disk, Form, Transfer};
use crate::{
    hash::{Digest, Hasher},
    list::Listed,
};

/// So many new bytes make an attempt a success, whatever ended it.
const GOT_ON_BYTES: u64 = 256 << 10;
/// Hashed in one go while a part is checked: a few milliseconds.
const SLICE_BYTES: u64 = 4 << 20;

/// Where a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not before that moment.
    Waiting(Instant),
    /// A part that was there before is being hashed.
    Checking,
    /// Its bytes come.
    Coming(Transfer),
    /// It has its name.
    Whole,
}

/// What became of a file whose last byte was written.
#[derive(Debug)]
pub(super) enum Finish {
    Sealed,
    /// It began as a part of a run before this one, or of exo, and was of another file.
    Stale,
    Wrong(Digest),
}

/// A file.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) name: String,
    pub(super) listed: Listed,
    pub(super) state: State,
    /// Bytes on the disk.
    pub(super) there: u64,
    /// Of those, from the beginning.
    hashed: u64,
    hasher: Hasher,
    /// Of those on the disk, how many this run brought.
    pub(super) fresh: u64,
    is_inherited: bool,
    /// The most that was ever there; see [`GOT_ON_BYTES`].
    best: u64,
    pub(super) failures: u32,
    pub(super) mismatches: u32,
    /// The version that the server named, if it is sure of it.
    pub(super) etag: Option<String>,
    /// Its server cannot continue a file: ask for all of it.
    pub(super) wants_all: bool,
}

impl Piece {
    /// Looks at what is on the disk. `known` is what a run before this one knew of the file: if it is another one now,
    /// what is there of it goes.
    pub(super) fn survey(
        now: Instant,
        name: &str,
        listed: Listed,
        known: Option<&Listed>,
        disk: &mut dyn Disk,
    ) -> io::Result<Self> {
        let hasher = Hasher::like(&listed.digest, listed.size);
        let mut piece = Self {
            name: name.into(),
            listed,
            state: State::Waiting(now),
            there: 0,
            hashed: 0,
            hasher,
            fresh: 0,
            is_inherited: false,
            best: 0,
            failures: 0,
            mismatches: 0,
            etag: None,
            wants_all: false,
        };
        if known.is_some_and(|known| *known != listed) {
            disk.discard(name, Form::Whole)?;
            disk.discard(name, Form::Part)?;
        }
        if disk.size(name, Form::Whole)? == Some(listed.size) {
            piece.state = State::Whole;
            piece.there = listed.size;
            return Ok(piece);
        }
        match disk.size(name, Form::Part)?.unwrap_or(0) {
            too_much if too_much > listed.size => disk.discard(name, Form::Part)?,
            part => (piece.there, piece.best, piece.is_inherited) = (part, part, part > 0),
        }
        Ok(piece)
    }

    pub(super) fn is_checked(&self) -> bool {
        self.hashed == self.there
    }

    pub(super) fn is_all_there(&self) -> bool {
        self.there == self.listed.size
    }

    /// Hashes some of a part that was there before.
    pub(super) fn check(&mut self, disk: &dyn Disk) -> io::Result<()> {
        let most = (self.there - self.hashed).min(SLICE_BYTES) as usize;
        let bytes = disk.read(&self.name, Form::Part, self.hashed, most)?;
        if bytes.is_empty() && most > 0 {
            // Somebody shortened it meanwhile.
            self.there = self.hashed;
        }
        self.hasher.update(&bytes);
        self.hashed += bytes.len() as u64;
        Ok(())
    }

    /// Writes what still has room: bytes beyond the promised size are nobody's.
    pub(super) fn take(&mut self, bytes: &[u8], disk: &mut dyn Disk) -> io::Result<()> {
        let room = (self.listed.size - self.there).min(bytes.len() as u64) as usize;
        let bytes = &bytes[..room];
        disk.write(&self.name, self.there, bytes)?;
        self.hasher.update(bytes);
        self.there += room as u64;
        self.hashed = self.there;
        self.fresh += room as u64;
        if self.there >= self.best + GOT_ON_BYTES {
            self.best = self.there;
            self.failures = 0;
        }
        Ok(())
    }

    /// From the first byte again.
    pub(super) fn restart(&mut self, disk: &mut dyn Disk) -> io::Result<()> {
        disk.discard(&self.name, Form::Part)?;
        self.hasher = Hasher::like(&self.listed.digest, self.listed.size);
        (self.there, self.hashed, self.fresh) = (0, 0, 0);
        self.is_inherited = false;
        self.etag = None;
        self.wants_all = false;
        Ok(())
    }

    /// All is there: it gets its name if it is right, and goes if it is not.
    pub(super) fn finish(&mut self, disk: &mut dyn Disk) -> io::Result<Finish> {
        let has = self.hasher.digest();
        if has == self.listed.digest {
            if self.listed.size == 0 {
                disk.write(&self.name, 0, &[])?;
            }
            disk.seal(&self.name)?;
            self.state = State::Whole;
            return Ok(Finish::Sealed);
        }
        let was_inherited = self.is_inherited;
        self.restart(disk)?;
        if was_inherited {
            return Ok(Finish::Stale);
        }
        self.mismatches += 1;
        Ok(Finish::Wrong(has))
    }
}
