//! The header of a safetensors file: where each tensor lies, checked as if an enemy had written it.
//!
//! A file is eight bytes (the header's length, little-endian), the header (a JSON object), and the tensors' bytes.

use std::{collections::BTreeMap, ops::Range};

use serde::Deserialize;

use crate::{Error, Result, json};

/// No honest header is larger: 100,000 tensors take about 15 MB.
const MAX_HEADER_BYTES: u64 = 32 << 20;

/// The length of the header's length.
pub(crate) const PREFIX_BYTES: u64 = 8;

/// How a tensor's elements are stored in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileType {
    F32,
    F16,
    Bf16,
    U32,
    /// Anything else: its size, so that the file can still be checked.
    Other {
        bits: u32,
    },
}

impl FileType {
    /// `None` for a name that the format does not have.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "F32" => Self::F32,
            "F16" => Self::F16,
            "BF16" => Self::Bf16,
            "U32" => Self::U32,
            "F4" => Self::Other { bits: 4 },
            "F6_E2M3" | "F6_E3M2" => Self::Other { bits: 6 },
            "BOOL" | "U8" | "I8" | "F8_E4M3" | "F8_E5M2" | "F8_E8M0" => Self::Other { bits: 8 },
            "I16" | "U16" => Self::Other { bits: 16 },
            "I32" => Self::Other { bits: 32 },
            "I64" | "U64" | "F64" | "C64" => Self::Other { bits: 64 },
            _ => return None,
        })
    }

    const fn bits(self) -> u32 {
        match self {
            Self::F32 | Self::U32 => 32,
            Self::F16 | Self::Bf16 => 16,
            Self::Other { bits } => bits,
        }
    }
}

/// A tensor of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) dtype: FileType,
    /// The type's name, for messages.
    pub(crate) dtype_name: String,
    pub(crate) shape: Vec<u64>,
    /// Where its bytes lie in the file.
    pub(crate) bytes: Range<u64>,
}

#[derive(Deserialize)]
struct Raw {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// How many bytes the header has, from the first eight of a file of `file_bytes`.
pub(crate) fn header_length(file: &str, prefix: [u8; 8], file_bytes: u64) -> Result<u64> {
    let length = u64::from_le_bytes(prefix);
    if length > MAX_HEADER_BYTES {
        return Err(invalid(
            file,
            format!("its header claims {length} bytes, at most {MAX_HEADER_BYTES} are expected"),
        ));
    }
    if PREFIX_BYTES + length > file_bytes {
        return Err(invalid(
            file,
            format!("its header claims {length} bytes in a file of {file_bytes}: it is cut off"),
        ));
    }
    Ok(length)
}

/// The tensors that a header names. Their bytes lie within the file, do not overlap, and are as many as their shapes
/// say.
pub(crate) fn tensors(file: &str, header: &[u8], file_bytes: u64) -> Result<BTreeMap<String, Entry>> {
    let raw: BTreeMap<String, serde_json::Value> =
        json::read(header).map_err(|e| invalid(file, format!("its header is not JSON: {e}")))?;
    let start = PREFIX_BYTES + header.len() as u64;
    let mut entries = BTreeMap::new();
    for (name, value) in raw {
        if name == "__metadata__" {
            continue;
        }
        let raw = Raw::deserialize(value).map_err(|e| invalid(file, format!("the entry of {name}: {e}")))?;
        let entry = entry(file, &name, raw, start, file_bytes)?;
        entries.insert(name, entry);
    }
    overlaps(file, &entries)?;
    Ok(entries)
}

fn entry(file: &str, name: &str, raw: Raw, start: u64, file_bytes: u64) -> Result<Entry> {
    let dtype = FileType::named(&raw.dtype)
        .ok_or_else(|| invalid(file, format!("{name} has the unknown element type {:?}", raw.dtype)))?;
    let elements = raw.shape.iter().try_fold(1_u64, |product, &n| product.checked_mul(n));
    let size = elements.and_then(|n| n.checked_mul(u64::from(dtype.bits()))).map(|bits| bits.div_ceil(8));
    let (from, to) = raw.data_offsets;
    let fits = to.checked_add(start).is_some_and(|end| end <= file_bytes);
    if from > to || !fits || size != Some(to - from) {
        return Err(invalid(
            file,
            format!(
                "{name} ({} {:?}) is said to lie at bytes {from}..{to} of {}",
                raw.dtype,
                raw.shape,
                file_bytes - start
            ),
        ));
    }
    Ok(Entry { dtype, dtype_name: raw.dtype, shape: raw.shape, bytes: start + from..start + to })
}

fn overlaps(file: &str, entries: &BTreeMap<String, Entry>) -> Result<()> {
    let mut by_start: Vec<_> = entries.iter().filter(|(_, e)| !e.bytes.is_empty()).collect();
    by_start.sort_by_key(|(_, e)| e.bytes.start);
    for pair in by_start.windows(2) {
        if let [(first, a), (second, b)] = pair
            && a.bytes.end > b.bytes.start
        {
            return Err(invalid(file, format!("{first} and {second} overlap")));
        }
    }
    Ok(())
}

fn invalid(file: &str, what: String) -> Error {
    Error::InvalidModel { file: file.into(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &str, data: u64) -> Result<BTreeMap<String, Entry>> {
        tensors("m.safetensors", header.as_bytes(), PREFIX_BYTES + header.len() as u64 + data)
    }

    #[test]
    fn a_tensor_lies_where_its_header_says_after_the_header() {
        let header =
            r#"{"__metadata__":{"format":"mlx"},"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]}}"#;
        let entries = read(header, 16).unwrap();
        let start = PREFIX_BYTES + header.len() as u64;
        assert_eq!(entries["w"].bytes, start + 4..start + 16);
        assert_eq!((entries["w"].dtype, &entries["w"].shape[..]), (FileType::Bf16, &[2, 3][..]));
        assert_eq!(entries.len(), 1);
    }

    #[test]
    fn hostile_headers_are_errors() {
        let cases = [
            // Not JSON, not an object, not entries.
            "",
            "{",
            "[]",
            r#"{"w":1}"#,
            r#"{"w":{"dtype":"F32"}}"#,
            // Beyond the file, backwards, of another size than the shape's, of an unknown type.
            r#"{"w":{"dtype":"F32","shape":[5],"data_offsets":[0,20]}}"#,
            r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#,
            r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}"#,
            r#"{"w":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}}"#,
            // Numbers that overflow on the way.
            r#"{"w":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#,
            r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,18446744073709551615]}}"#,
            // Two tensors in one place.
            r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}"#,
        ];
        for header in cases {
            let error = read(header, 16).expect_err(header);
            assert!(error.to_string().contains("m.safetensors"), "{error}");
        }
    }

    #[test]
    fn a_length_that_the_file_cannot_hold_is_an_error() {
        assert_eq!(header_length("m", 100_u64.to_le_bytes(), 108).unwrap(), 100);
        assert!(header_length("m", 100_u64.to_le_bytes(), 107).is_err());
        assert!(header_length("m", u64::MAX.to_le_bytes(), u64::MAX).is_err());
    }
}
