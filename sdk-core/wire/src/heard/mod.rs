//! What others say, read without trust.
//!
//! Any bytes end in a value or in `None`; nothing here panics, recurses without bound or keeps more than it was
//! given. Unknown tags and fields are no error: exo changes about monthly, and a member that only listens must live
//! through it.
