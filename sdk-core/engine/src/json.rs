//! JSON in bytes, as files have it.

use serde::{Deserialize, de::Error};

/// Reads it as a text. To read bytes as they are would be all of `serde_json` once more in the library for phones, and a
/// slow look at each string instead of a fast one at all of them.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> serde_json::Result<T> {
    serde_json::from_str(std::str::from_utf8(bytes).map_err(Error::custom)?)
}
