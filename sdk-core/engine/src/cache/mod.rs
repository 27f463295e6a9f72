//! The KV cache: pages of positions that sequences own, share and give back.
//!
//! The keys and values of all sequences lie in one slab a layer, allocated once. A page is the same few positions in
//! the slab of every layer, so one number names a page everywhere. A sequence is a list of pages; sequences that begin
//! with the same tokens share the pages of that beginning.

mod pages;
mod prefixes;
mod sequence;

pub(crate) use pages::{PAGE, Pages};
pub(crate) use prefixes::Prefixes;
pub(crate) use sequence::Sequence;
