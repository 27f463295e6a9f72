//! The platform's own HTTP client, behind one trait.
//!
//! Phones have one that knows the user's proxy, certificates and data saver: `URLSession`, `HttpURLConnection`,
//! Cronet. A second one with TLS of its own would make the library larger and know none of that. So this crate
//! asks, and the platform fetches.
//!
//! **Bytes are pushed.** [`Fetcher::get`] runs on a thread that it may block, and gives the answer piece by piece to a
//! [`Receiver`], whose calls return when there is room: that is all the back-pressure there is, and it works in every
//! language. It crosses UniFFI as a foreign trait (`get`, `cancel`) and one object (`Receiver`), with chunks by pointer
//! as [ADR 0011] has it for bulk bytes. The other way, files that the platform writes, hashes every byte a second time
//! from the disk, learns of a wrong answer only when all of it came, and cannot resume `URLSession`'s parts without
//! `URLSession`.
//!
//! **A background `URLSession` needs no second way.** It downloads into a file of its own while the app sleeps. Move
//! that file to [`crate::ModelStore::part`] and fetch again: it is hashed like every part that a run before left, and
//! gets its name if it is whole and right.
//!
//! [ADR 0011]: https://github.com/exo-explore/exo-mobile/blob/main/docs/adr/0011-the-surface-for-other-languages.md

use std::{fmt, sync::Arc};

/// One `GET`.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// Which; the name for [`Fetcher::cancel`].
    pub id: u64,
    /// Where.
    pub url: String,
    /// What to send with it, beside what a client sends by itself. `Accept-Encoding: identity` is among them: ranges
    /// and sizes are those of the file.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for Request {
    /// Without the headers: a token may be among them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GET {} (#{})", self.url, self.id)
    }
}

/// How an answer begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// 200, 206, 404, ...
    pub status: u16,
    /// Where the answer came from in the end, after redirects.
    pub url: String,
    /// Names in any case. Of the same name twice, the first counts.
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// Whether more is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    /// Yes.
    Continue,
    /// No: close the connection and return.
    Stop,
}

/// Takes an answer. Its calls block while there is no room.
pub trait Receiver: Send + Sync {
    /// First, and once.
    fn head(&self, head: Head) -> Flow;
    /// Then the body, in pieces of any size; 64 to 256 KiB are good.
    fn chunk(&self, bytes: &[u8]) -> Flow;
}

/// Why there is no answer, or not all of it: what the platform said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unfetched(pub String);

/// The platform's HTTP client.
///
/// It follows redirects: at most ten, never from `https` to `http`, and with `Authorization` only to the host that it
/// was meant for. It keeps no cache: models are large, and verified here.
pub trait Fetcher: Send + Sync {
    /// Fetches, and blocks until the body ended or [`Flow::Stop`] was heard. Called from several threads at once.
    ///
    /// The receiver is shared so that clients in other languages can hold it; what it gets after this returned is passed
    /// over. Any status is an answer; an error is for what prevented one, or cut it short.
    fn get(&self, request: &Request, into: &Arc<dyn Receiver>) -> Result<(), Unfetched>;

    /// Nobody waits for this request any more: whatever it blocks on may be closed. A client that cannot do that does
    /// nothing, and has a time limit on its reads.
    fn cancel(&self, id: u64) {
        let _ = id;
    }
}
