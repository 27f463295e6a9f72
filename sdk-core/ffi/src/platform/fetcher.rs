//! The platform's HTTP client, which fetches models.

use std::{fmt, sync::Arc};

use exo_models::{Flow, Head, Receiver, Request, Unfetched};

use crate::{Result, bytes::RECEIVERS};

/// A header of HTTP.
#[derive(Clone, PartialEq, Eq, uniffi::Record)]
pub struct HttpHeader {
    /// In any case.
    pub name: String,
    /// What it says.
    pub value: String,
}

impl fmt::Debug for HttpHeader {
    /// Without the value: it may be a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// One `GET`.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct FetchRequest {
    /// Which; the name for [`Fetcher::cancel`]. Never used twice, so that several downloads may share a client.
    pub id: u64,
    /// Where.
    pub url: String,
    /// What to send with it, beside what a client sends by itself.
    pub headers: Vec<HttpHeader>,
}

/// The platform's HTTP client: it knows the owner's proxy, certificates and data saver.
///
/// It follows redirects: at most ten, never from `https` to `http`, and with `Authorization` only to the host that it
/// was meant for. It keeps no cache: models are large, and verified here.
#[uniffi::export(foreign)]
pub trait Fetcher: Send + Sync {
    /// Fetches, and blocks until the body ended or the receiver wants no more. Called from several threads at once.
    ///
    /// Any status is an answer; an error is for what prevented one, or cut it short.
    fn get(&self, request: FetchRequest, into: Arc<FetchReceiver>) -> Result<()>;

    /// Nobody waits for this request any more: whatever it blocks on may be closed.
    fn cancel(&self, id: u64) -> Result<()>;
}

/// Takes the answer of a server. Its calls block while there is no room: that is how a server is slowed down.
#[derive(uniffi::Object)]
pub struct FetchReceiver {
    receiver: Arc<dyn Receiver>,
    handle: u64,
}

#[uniffi::export]
impl FetchReceiver {
    /// How the answer begins: first, and once. `url` is where it came from in the end. Whether more is wanted.
    pub fn head(&self, status: u16, url: String, headers: Vec<HttpHeader>) -> Result<bool> {
        let headers = headers.into_iter().map(|header| (header.name, header.value)).collect();
        Ok(self.receiver.head(Head { status, url, headers }) == Flow::Continue)
    }

    /// How the functions for bulk bytes know it: the body goes through them, in pieces of 64 to 256 KiB.
    pub fn handle(&self) -> Result<u64> {
        Ok(self.handle)
    }
}

impl Drop for FetchReceiver {
    fn drop(&mut self) {
        RECEIVERS.forget(self.handle);
    }
}

impl fmt::Debug for FetchReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchReceiver").field("handle", &self.handle).finish_non_exhaustive()
    }
}

/// The app's client, as the core asks it.
pub(crate) struct AppsClient(pub(crate) Arc<dyn Fetcher>);

impl exo_models::Fetcher for AppsClient {
    fn get(&self, request: &Request, into: &Arc<dyn Receiver>) -> std::result::Result<(), Unfetched> {
        let receiver =
            Arc::new(FetchReceiver { handle: RECEIVERS.register(into.clone()), receiver: into.clone() });
        let header =
            |(name, value): &(String, String)| HttpHeader { name: name.clone(), value: value.clone() };
        let headers = request.headers.iter().map(header).collect();
        let asked = FetchRequest { id: request.id, url: request.url.clone(), headers };
        self.0.get(asked, receiver).map_err(|error| Unfetched(error.to_string()))
    }

    fn cancel(&self, id: u64) {
        // A client that cannot has a time limit on its reads.
        let _ = self.0.cancel(id);
    }
}
