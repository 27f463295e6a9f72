//! Models come to a phone: where they lie, how they are fetched, and what is believed of a server.
//!
//! * [`ModelId`] and [`ModelStore`]: a directory in exo's own layout, so that what exo fetched is found and what we
//!   fetched is found by exo.
//! * [`Download`]: one model on its way, as a machine without sockets, threads or a clock.
//! * [`Fetcher`]: the HTTP client of the platform; this crate has none, and no TLS.
//! * [`fetch`]: the three together, on threads, for whoever wants a model and may wait.
//!
//! Every byte of a server is hostile. Whatever it sends, a file that has its final name has the size and the hash that
//! the list of files promised; everything else keeps the name of a part (`.partial`) or is gone.
#![forbid(unsafe_code)]

mod address;
mod choice;
mod download;
mod error;
mod fetcher;
mod hash;
mod json;
mod list;
mod model_id;
mod run;
mod store;

pub use address::{Server, Source};
pub use choice::{is_wanted, shards};
pub use download::{Disk, Download, Form, Input, Options, Output, Progress, Transfer};
pub use error::{Error, ErrorKind, Result};
pub use fetcher::{Fetcher, Flow, Head, Receiver, Request, Unfetched};
pub use hash::Digest;
pub use list::{FileList, Listed};
pub use model_id::ModelId;
pub use run::{Cancel, fetch};
pub use store::{Found, ModelStore};
