//! The cache: pages of positions, and states, that sequences own, share and give back.
//!
//! The keys and values of all sequences lie in one slab a layer, which can be made shorter and longer. A page is the same
//! few positions in the slab of every layer, so one number names a page everywhere. A sequence is a list of pages; sequences that begin
//! with the same tokens share the pages of that beginning.
//!
//! Layers that remember in a state have a slot for each sequence instead. A state cannot be cut back: a beginning is found
//! again only where its state was kept.

mod pool;
mod prefixes;
mod sequence;

pub(crate) use pool::{Grade, Move, PAGE, Pool, Pools};
pub(crate) use prefixes::{Known, Prefixes};
pub(crate) use sequence::Sequence;
