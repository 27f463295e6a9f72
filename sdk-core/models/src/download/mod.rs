//! One model on its way, as a machine: values in, values out.
//!
//! ```text
//! list of files -> index of the shards -> room on the disk -> files, several at once -> done
//! ```
//! [`Download::handle`] takes what happened and the time, [`Download::poll`] gives what to do, [`Download::deadline`]
//! says when to come back. The machine has no socket, thread or clock. It does write: every input comes with the
//! [`Disk`], because a byte must be hashed and written before the next one is asked for.
//!
//! What is believed of a server:
//! * The list of files, within bounds. Files are what it promised in size and hash, or they do not get their names.
//! * Nothing else. A length, a range, a type that contradicts the list is a failed attempt; bytes beyond the promised
//!   size are not taken; silence and dribble end a transfer.
//!
//! What passes is tried again, later and later: a cut, a stall, a server that is busy. What does not pass ends the
//! download with a kind that stays the same. Parts stay on the disk in every case but one: a part whose hash is wrong.

mod answer;
mod machine;
mod pace;
mod piece;
mod progress;

use std::{collections::BTreeMap, io, path::Path, time::Duration};

pub use machine::Download;
pub use progress::Progress;

use crate::{Error, Head, Listed, Request};

/// The number of a request: see [`Request::id`].
pub type Transfer = u64;

/// How patient and how greedy a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Files at once. A phone's radio is full with few.
    pub parallel: usize,
    /// Failed attempts in a row, without getting on, until a file is given up.
    pub attempts: u32,
    /// Silence after which a transfer is given up.
    pub stall: Duration,
    /// Bytes of the disk that are left to the rest of the phone.
    pub reserve: u64,
    /// Spreads the attempts of many phones over time.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { parallel: 4, attempts: 8, stall: Duration::from_secs(30), reserve: 256 << 20, seed: 0 }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Download::deadline`].
    Tick,
    /// An answer begins.
    Head(Transfer, &'a Head),
    /// More of it.
    Chunk(Transfer, &'a [u8]),
    /// It ended, as the server meant it to.
    End(Transfer),
    /// There is none, or it was cut: what the client said.
    Broken(Transfer, &'a str),
    /// The caller had enough.
    Cancel,
}

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// Fetch this.
    Get(Request),
    /// Nobody waits for that one any more.
    Drop(Transfer),
    /// It is over; nothing follows.
    Ended(Result<(), Error>),
}

/// In which form a file is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// On its way.
    Part,
    /// With its final name.
    Whole,
}

/// A model's directory, as the machine needs it. Names are plain: [`crate::is_wanted`] holds for each.
pub trait Disk {
    /// For messages.
    fn place(&self) -> &Path;
    /// Bytes that may be written; `None` if nobody knows.
    fn free_bytes(&self) -> Option<u64>;
    /// A file's size; `None` if it is not there.
    fn size(&self, name: &str, form: Form) -> io::Result<Option<u64>>;
    /// At most so many bytes from there on; fewer only at the end.
    fn read(&self, name: &str, form: Form, at: u64, most: usize) -> io::Result<Vec<u8>>;
    /// Writes into the part, which ends there afterwards.
    fn write(&mut self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()>;
    /// Takes it off the disk, if it is there.
    fn discard(&mut self, name: &str, form: Form) -> io::Result<()>;
    /// Makes the part last, and gives it its final name.
    fn seal(&mut self, name: &str) -> io::Result<()>;
    /// The files that a run before this one knew.
    fn recall(&self) -> BTreeMap<String, Listed>;
    /// For the next run.
    fn remember(&mut self, files: &BTreeMap<String, Listed>) -> io::Result<()>;
}
